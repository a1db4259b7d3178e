/** A command of the command line, from which help and parsing are made. */
import { type Arguments, type Option, type Options, UsageError } from "./arguments.ts";

export { type Option, UsageError } from "./arguments.ts";

export interface Command {
  /** One word or two: "serve", "token create". */
  readonly name: string;
  readonly summary: string;
  /** How arguments are shown in the help: "[project]". */
  readonly usage: string;
  readonly maxArguments: number;
  /** What the first argument may be, for shells to complete; anything, such as a path, by default. */
  readonly choices?: readonly string[];
  /** Words after `--` are not the command's own; `call.rest` has them. */
  readonly takesRest?: true;
  readonly options: Readonly<Record<string, Option>>;
  /** Internal: not in the help. */
  readonly hidden?: true;
  /** Answers the exit code; undefined keeps the process running. */
  readonly run: (call: CommandCall) => Promise<number | undefined>;
}

export interface CommandCall {
  /** What follows `--`, for commands that take it. */
  readonly rest: readonly string[];
  readonly arguments: readonly string[];
  readonly text: (option: string) => string | undefined;
  readonly flag: (option: string) => boolean;
  readonly print: (line: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const help: Option = { type: "boolean", summary: "Show this help" };

export function helpOf(command: Command): string {
  const rows = Object.entries({ ...command.options, help }).map(([name, { value, summary }]) => [
    `--${name}${value ? ` <${value}>` : ""}`,
    summary,
  ]);
  const width = Math.max(...rows.map(([left]) => left!.length)) + 2;
  const lines = rows.map(([left, right]) => `  ${left!.padEnd(width)}${right}`);
  const usage = ["galley", command.name, command.usage, "[options]"].filter((part) => part !== "").join(" ");
  return [`${command.summary}\n`, `Usage: ${usage}\n`, "Options:", ...lines].join("\n");
}

/** Arguments in the forms that the help shows; undefined for all others, and for those that are wrong. */
function plainArguments(options: Options, args: readonly string[]): Arguments | undefined {
  const values: Record<string, string | true> = {};
  const positionals: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const name = word.slice("--".length);
    if (!word.startsWith("-")) positionals.push(word);
    else if (!word.startsWith("--") || !Object.hasOwn(options, name)) return undefined;
    else if (options[name]?.type === "boolean") values[name] = true;
    else {
      const value = args[++at];
      // a negative number is a value
      if (value === undefined || (value.startsWith("-") && !/^-\d+$/.test(value))) return undefined;
      values[name] = value;
    }
  }
  return { values, positionals };
}

const otherArguments = () => require("./other-arguments.ts") as typeof import("./other-arguments.ts");

/** Parses the arguments of a command. Throws a UsageError for what it does not know. */
export function parseCommand(command: Command, args: readonly string[]): Arguments {
  const options = { ...command.options, help };
  const parsed = plainArguments(options, args) ?? otherArguments().parseOther(command.name, options, args);
  const tooMany = parsed.positionals.slice(command.maxArguments);
  if (tooMany.length > 0)
    throw new UsageError(`too many arguments: ${tooMany.join(" ")} (usage: galley ${command.name} ${command.usage})`);
  return parsed;
}
