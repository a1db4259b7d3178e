/** The definition of a command, its help text, and the parsing of its arguments. */
import { type Arguments, type Option, type Options, UsageError } from "./arguments.ts";

import type { SafetyNet } from "./safety-net.ts";

export { type Option, UsageError } from "./arguments.ts";

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

/** Parses the common forms (`--name value`, `--flag`); undefined for all other forms and for invalid arguments. */
function parseCommonForms(options: Options, args: readonly string[]): Arguments | undefined {
  const values: Record<string, string | true> = {};
  const positionals: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]!;
    const name = argument.slice("--".length);
    if (!argument.startsWith("-")) positionals.push(argument);
    else if (!argument.startsWith("--") || !Object.hasOwn(options, name) || options[name]?.multiple) return undefined;
    else if (options[name]?.type === "boolean") values[name] = true;
    else {
      const value = args[++index];
      // a negative number is a value, not an option; an empty value is refused there
      if (!value || (value.startsWith("-") && !/^-\d+$/.test(value))) return undefined;
      values[name] = value;
    }
  }
  return { values, positionals };
}

/** Of those in brackets, without what belongs to an option or follows "--". */
const countArguments = (usage: string): number =>
  usage.replaceAll(/\[?--\S*( <[^>]*>)?\]?/g, "").match(/<[^>]*>|\[[^\]]*\]/g)?.length ?? 0;

const lazyOtherArguments = () => require("./other-arguments.ts") as typeof import("./other-arguments.ts");

/** Parses the arguments of a command. Throws a UsageError for unknown options, other values than the choices of one, and surplus arguments. */
export function parseCommand(command: Command, args: readonly string[]): Arguments {
  const options = { ...command.options, help };
  const parsed = parseCommonForms(options, args) ?? lazyOtherArguments().parseRareForms(command.name, options, args);
  const { name, usage = "" } = command;
  const surplus = parsed.positionals.slice(countArguments(usage));
  if (surplus.length > 0)
    throw new UsageError(`too many arguments: ${surplus.join(" ")} (usage: galley ${name} ${usage})`);
  for (const [option, { choices, isList }] of Object.entries<Option>(options)) {
    const value = parsed.values[option];
    if (choices && !isList && typeof value === "string" && !choices.includes(value))
      throw new UsageError(`--${option} must be one of ${choices.join(", ")}, not "${value}"`);
  }
  return parsed;
}
