/** Packages that Galley provides to configuration files, since Strapi includes them. */
interface Provider {
  /** Those that are provided even where they are installed. */
  readonly names: ReadonlySet<string>;
  /** Makes them importable; called when the first file needs one. */
  readonly register: () => void;
  /** What loads a package that Strapi's own need, so that every installation has it; undefined for any other. */
  readonly findCompanion: (name: string) => (() => unknown) | undefined;
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

/** What loads a package that every installation of Strapi has; undefined for any other. */
export const findCompanion = (name: string): (() => unknown) | undefined => provider?.findCompanion(name);
