/** The definition of a command, its options, and its help text. */
import type { SafetyNet } from "./safety-net.ts";

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

export interface Command {
  /** One word or two: "serve", "token create". */
  readonly name: string;
  readonly summary: string;
  /** Arguments as shown in the help, which takes no others: "<file> [project]"; none by default. */
  readonly usage?: string;
  /** Values of the first argument for shell completion; any, such as a path, by default. */
  readonly choices?: readonly string[];
  /** Arguments after `--` are not parsed, but passed in `call.rest`. */
  readonly takesRest?: true;
  readonly options?: Options;
  /** Internal: not in the help. */
  readonly hidden?: true;
  /** Uncaught errors and `process.exit` end the process, as on Node.js. */
  readonly endsOnErrors?: true;
  /** Runs a server, which does not wait for a reader of what it prints. */
  readonly isServer?: true;
  /** Resolves with the exit code; undefined keeps the process running. */
  readonly run: (call: CommandCall) => Promise<number | undefined>;
}

export interface CommandCall {
  /** Arguments after `--`, for commands with `takesRest`. */
  readonly rest: readonly string[];
  readonly arguments: readonly string[];
  readonly text: (option: string) => string | undefined;
  readonly flag: (option: string) => boolean;
  /** All values of an option that is `multiple`. */
  readonly list: (option: string) => readonly string[];
  /** For people: progress and hints, too. With `--json` it goes to standard error. */
  readonly print: (line: string) => void;
  /** What the command is for: with `--json` the facts, as JSON, alone on standard output; otherwise the lines. Returns 0, the exit code. */
  readonly result: (facts: unknown, lines: readonly string[]) => number;
  /** Handles uncaught errors, unless the command `endsOnErrors`. */
  readonly net: SafetyNet;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const help: Option = { type: "boolean", summary: "Show this help" };

export function formatHelp(command: Command): string {
  const rows = Object.entries({ ...command.options, help }).map(([name, { value, summary, short }]) => [
    `${short ? `-${short}, ` : ""}--${name}${value ? ` <${value}>` : ""}`,
    summary,
  ]);
  const width = Math.max(...rows.map(([option]) => option!.length)) + 2;
  const lines = rows.map(([option, summary]) => `  ${option!.padEnd(width)}${summary}`);
  const usage = ["galley", command.name, command.usage ?? [], "[options]"].flat().join(" ");
  return [`${command.summary}\n`, `Usage: ${usage}\n`, "Options:", ...lines].join("\n");
}
