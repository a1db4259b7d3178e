/** What the engines that run patterns have in common. */
export interface Pattern {
  /** `undefined`: it could not be found out in time. */
  readonly test: (text: string) => boolean | undefined;
}

/** Thrown for a node that the engine without backtracking cannot express. */
export class Inexpressible extends Error {}
