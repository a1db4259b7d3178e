/** Chooses and runs a command; turns errors into messages and exit codes. */
import { version } from "../../package.json" with { type: "json" };
import { ProjectError } from "../errors.ts";
import { type Command, type CommandCall, helpOf, parseCommand, UsageError } from "./command.ts";
import { init } from "./commands/init.ts";
import { serve } from "./commands/serve.ts";

const commands: readonly Command[] = [serve, init];

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  return [
    "galley: a content server in one executable that answers as a Strapi 5 server does\n",
    "Usage: galley <command> [options]\n",
    "Commands:",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    "\nRun galley <command> --help for its options.",
  ].join("\n");
}

/** Errors that a person can act on are told in one line; anything else is a defect and shows where it happened. */
function explain(error: unknown): string {
  const known = error instanceof ProjectError || error instanceof UsageError;
  return known ? `galley: ${error.message}` : Bun.inspect(error);
}

async function runCommand(command: Command, args: readonly string[], environment: CommandCall["environment"]) {
  const { values, positionals } = parseCommand(command, args);
  const print = (line: string): void => console.log(line);
  if (values.help) {
    print(helpOf(command));
    return 0;
  }
  return command.run({
    arguments: positionals,
    text: (option) => values[option] as string | undefined,
    flag: (option) => values[option] === true,
    print,
    environment,
  });
}

/** Answers the exit code; undefined while a server runs. */
export async function run(
  args: readonly string[],
  environment: CommandCall["environment"],
): Promise<number | undefined> {
  const [name, ...rest] = args;
  if (name === "--version" || name === "-v") {
    console.log(version);
    return 0;
  }
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    console.log(overview());
    return name === undefined ? 2 : 0;
  }
  const command = commands.find((item) => item.name === name);
  try {
    if (!command) throw new UsageError(`unknown command "${name}"; galley --help lists the commands`);
    return await runCommand(command, rest, environment);
  } catch (error) {
    console.error(explain(error));
    return 1;
  }
}
