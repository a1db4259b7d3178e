/** What every engine of regular expressions makes, and how it says that it cannot. */
export interface Pattern {
  /** `undefined`: it could not be found out in time. */
  readonly test: (text: string) => boolean | undefined;
}

/** A node that the engine without backtracking cannot express. */
export class Inexpressible extends Error {}
