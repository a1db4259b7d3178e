/** What a command of the command line is made of. Help and parsing come from this. */
import { parseArgs } from "node:util";

export interface Option {
  readonly type: "string" | "boolean";
  /** The placeholder for a value in the help. */
  readonly value?: string;
  readonly summary: string;
}

export interface Command {
  /** One word or two: "serve", "token create". */
  readonly name: string;
  readonly summary: string;
  /** How arguments are shown in the help: "[project]". */
  readonly usage: string;
  readonly maxArguments: number;
  readonly options: Readonly<Record<string, Option>>;
  /** Not for people; no help names it. */
  readonly hidden?: true;
  /** Answers the exit code; undefined keeps the process running. */
  readonly run: (call: CommandCall) => Promise<number | undefined>;
}

export interface CommandCall {
  readonly arguments: readonly string[];
  readonly text: (option: string) => string | undefined;
  readonly flag: (option: string) => boolean;
  readonly print: (line: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Something that the person at the command line can mend; printed without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const help: Option = { type: "boolean", summary: "Show this help" };

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

/** Parses the arguments of a command. Throws a UsageError for what it does not know. */
export function parseCommand(command: Command, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, help }).map(([name, { type }]) => [name, { type }]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length > command.maxArguments) throw new UsageError(`too many arguments: ${positionals.join(" ")}`);
    return { values, positionals };
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError((cause as Error).message);
  }
}
