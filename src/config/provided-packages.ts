/** Packages that Galley has itself, since the reference comes with them: configuration files find those of `project-code`. */
interface Provider {
  readonly names: ReadonlySet<string>;
  /** Lets files find them; called when the first file needs one. */
  readonly register: () => void;
}

let provider: Provider | undefined;

/** Called by the layer that knows the packages. */
export function providePackages(given: Provider): void {
  provider = given;
}

/** Whether a file finds the package without anything being installed. */
export function findsProvided(name: string): boolean {
  if (!provider?.names.has(name)) return false;
  provider.register();
  return true;
}
