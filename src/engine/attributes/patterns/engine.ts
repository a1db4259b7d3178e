/** The common interface of the regular expression engines. */
export interface Pattern {
  /** Undefined: timed out. */
  readonly test: (text: string) => boolean | undefined;
}

/** Thrown for a pattern that the linear engine does not support. */
export class UnsupportedPatternError extends Error {}
