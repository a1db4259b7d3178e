/** Packages that Galley provides to configuration files, since the reference includes them. `project-code` registers them. */
interface Provider {
  readonly names: ReadonlySet<string>;
  /** Makes them importable; called when the first file needs one. */
  readonly register: () => void;
}

let provider: Provider | undefined;

/** Called by the layer that has the packages. */
export function providePackages(given: Provider): void {
  provider = given;
}

/** Whether Galley provides a package. */
export function findsProvided(name: string): boolean {
  if (!provider?.names.has(name)) return false;
  provider.register();
  return true;
}
