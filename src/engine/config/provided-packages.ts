/** Packages that Galley provides to configuration files, since Strapi includes them. `project-code` registers them. */
interface Provider {
  readonly names: ReadonlySet<string>;
  /** Makes them importable; called when the first file needs one. */
  readonly register: () => void;
}

let provider: Provider | undefined;

/** Sets the provider. Called by the layer that has the packages. */
export function providePackages(newProvider: Provider): void {
  provider = newProvider;
}

/** Whether Galley provides a package; makes it importable. */
export function provideIfKnown(name: string): boolean {
  if (!provider?.names.has(name)) return false;
  provider.register();
  return true;
}
