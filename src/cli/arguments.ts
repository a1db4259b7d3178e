/** Options of commands, and parsed arguments. */

export interface Option {
  readonly type: "string" | "boolean";
  /** It may be repeated. */
  readonly multiple?: true;
  /** One letter: `-p`. */
  readonly short?: string;
  /** The placeholder for a value in the help. */
  readonly value?: string;
  readonly summary: string;
  /** What the value may be, also for shells to complete; anything, such as a path, by default. */
  readonly choices?: readonly string[];
  /** Several of the choices, separated by commas, which the command reads. */
  readonly isList?: true;
}

export interface Arguments {
  /** By option; the last value of a repeated option, unless it is `multiple`. */
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Of commands that serve. */
export const portOption: Option = {
  type: "string",
  short: "p",
  value: "number",
  summary: "Port to listen on (PORT; default 1337); 0 takes a free one",
};

/** Of commands whose output scripts read. */
export const json: Option = { type: "boolean", summary: "Print JSON, for scripts" };

export type Options = Readonly<Record<string, Option>>;

/** A mistake on the command line; printed without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
