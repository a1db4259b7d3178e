/** Finds and runs a command; converts errors to messages and exit codes. */
import { existsSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { asProjectError } from "../engine/storage/problems.ts";
import { findErrorCode } from "../lib/error-code.ts";
import { ProjectError } from "../lib/errors.ts";
import { formatStack, printableLines } from "../lib/printable.ts";
import { withoutSecrets } from "../lib/redact.ts";
import { type Command, type CommandCall, formatHelp, UsageError } from "./command.ts";
import { serve } from "./commands/serve.ts";
import { parseCommand } from "./parse-arguments.ts";
import { SafetyNet } from "./safety-net.ts";
import { exitWhenRead, printWithoutWaiting } from "./server-console.ts";
import { chooseFirstStep } from "./without-command.ts";

/** Loaded lazily, since `serve` does not need the other commands. */
const allCommands = (): readonly Command[] =>
  (require("./commands/index.ts") as typeof import("./commands/index.ts")).commands;

const shownCommands = (): readonly Command[] => allCommands().filter(({ hidden }) => !hidden);

function helpOverview(shown: readonly Command[]): string {
  const width = Math.max(...shown.map(({ name }) => name.length)) + 3;
  return [
    "galley: a content server in one executable that answers as a Strapi 5 server does\n",
    "Usage: galley <command> [options]\n",
    "Commands:",
    ...shown.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    "\nRun galley <command> --help for its options.",
  ].join("\n");
}

const isHelp = (word: string | undefined): boolean => word === "--help" || word === "-h" || word === "help";

/** Finds the command by its first one or two words; `group` has the commands that share the first word. */
function findCommand([first, second, ...rest]: readonly string[]) {
  if (first === serve.name) return { command: serve, args: second === undefined ? rest : [second, ...rest], group: [] };
  const commands = allCommands();
  const exact = commands.find(({ name }) => name === first);
  const args = second === undefined ? rest : [second, ...rest];
  if (exact) return { command: exact, args, group: [] };
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  return { command: group.find(({ name }) => name === `${first} ${second}`), args: rest, group };
}

/** The message of an error. Unexpected errors are defects, and are printed with their stack. */
function errorMessage(error: unknown): string {
  const { code = "", path = String(code).startsWith("SQLITE") ? "the database" : "the system" } = (error ?? {}) as {
    readonly code?: unknown;
    readonly path?: string;
  };
  const problem = asProjectError(error, path);
  if (problem instanceof ProjectError || problem instanceof UsageError)
    return `galley: ${printableLines(withoutSecrets(problem.message))}`;
  return `galley: ${formatStack(problem)}`;
}

type Output = Pick<CommandCall, "print" | "result">;

const STANDARD_OUTPUT = 1;

/** As `console.log`, which ignores that a disk is full. A reader that has gone away, such as `head`, is not an error. */
function printLine(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; )
    try {
      rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
    } catch (error) {
      const code = findErrorCode(error);
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw asProjectError(error, "the standard output");
      Bun.sleepSync(1);
    }
}

const print: Output["print"] = (line) => console.log(printableLines(line));

const textOutput: Output = {
  print,
  result: (_facts, lines) => {
    for (const line of lines) printLine(printableLines(line));
    return 0;
  },
};

/** What a project's own code prints in any way goes to standard error, too. */
function jsonOutput(): Output {
  Object.assign(globalThis, { console: new console.Console(process.stderr) });
  Object.defineProperty(process, "stdout", { value: process.stderr });
  const result: Output["result"] = (facts) => {
    printLine(JSON.stringify(facts, null, 2));
    return 0;
  };
  return { print, result };
}

async function runCommand(command: Command, args: readonly string[], environment: CommandCall["environment"]) {
  const separator = command.takesRest ? args.indexOf("--") : -1;
  const { values, positionals } = parseCommand(command, separator < 0 ? args : args.slice(0, separator));
  if (values.help) {
    console.log(formatHelp(command));
    return 0;
  }
  if (command.isServer) printWithoutWaiting();
  const output = values.json === true ? jsonOutput() : textOutput;
  const net = new SafetyNet({ print: console.error, end: () => void exitWhenRead(1) });
  // before any code of a project runs
  if (!command.endsOnErrors) net.install();
  return command.run({
    net,
    arguments: positionals,
    rest: separator < 0 ? [] : args.slice(separator + 1),
    text: (option) => values[option] as string | undefined,
    flag: (option) => values[option] === true,
    list: (option) => (values[option] as string[] | undefined) ?? [],
    ...output,
    environment,
  });
}

const isTerminal = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY);

/** Handles `galley` without arguments. */
async function runWithoutCommand(environment: CommandCall["environment"]): Promise<number | undefined> {
  const step = chooseFirstStep(process.cwd(), isTerminal());
  if (step === "serve") return runCommand(serve, [], environment);
  if (step === "offer" && confirm("This folder is empty. Write a small magazine into it, and serve it?")) {
    const { init } = require("./commands/init.ts") as typeof import("./commands/init.ts");
    await runCommand(init, [], environment);
    return runCommand(serve, [], environment);
  }
  console.log(helpOverview(shownCommands()));
  return 2;
}

const topics = () => import("./topics.ts");

/**
 * Handles `galley help`, `galley help token create`, which prints the same as `--help`, and `galley help rest`, which prints a
 * page of the manual.
 */
async function helpFor(words: readonly string[], { NO_COLOR, TERM }: CommandCall["environment"]): Promise<string> {
  const [first, second] = words;
  if (first === undefined) {
    const names = await (await topics()).topicNames();
    return `${helpOverview(shownCommands())}\nRun galley help <topic> for a page of the manual: ${names.join(", ")}.`;
  }
  const { command, group } = findCommand(words);
  if (command) return formatHelp(command);
  if (group.length > 0 && second === undefined) return helpOverview(group);
  if (second?.startsWith("-")) throw new UsageError(`galley help ${first} has no options; ${second} is not known`);
  const isPlain = !process.stdout.isTTY || NO_COLOR || TERM === "dumb";
  const page =
    second === undefined && (await (await topics()).readTopic(first, isPlain ? undefined : process.stdout.columns));
  if (!page) throw unknownCommand(words, await (await topics()).topicNames());
  return page;
}

/** The error for an unknown command, or topic if there are `topics`, with a suggestion. */
function unknownCommand(words: readonly string[], topicNames?: readonly string[]): UsageError {
  const { hintFor } = require("../lib/nearest.ts") as typeof import("../lib/nearest.ts");
  const names = shownCommands().map(({ name }) => name);
  const [first = ""] = words;
  const groups = names.map((name) => name.split(" ")[0]!);
  const isGroup = words.length > 1 && groups.includes(first);
  const word = isGroup ? words.slice(0, 2).join(" ") : first;
  const { counterpartHint } = require("./strapi-commands.ts") as typeof import("./strapi-commands.ts");
  const hint = counterpartHint(word) ?? hintFor(word, isGroup ? names : [...names, ...groups, ...(topicNames ?? [])]);
  const list = topicNames ? "galley help lists commands and topics" : "galley --help lists the commands";
  if (first.startsWith("-"))
    return new UsageError(`${first} stands after a command, as in galley serve ${words.join(" ")} (${list})`);
  return new UsageError(`unknown command "${word}"${hint} (${list})`);
}

const isCodeFile = (word: string): boolean => /\.[cm]?[jt]s$/.test(word) && existsSync(word);

/** Runs a file as Node.js does: code that starts `process.execPath`, such as `child_process.fork`, starts this executable. */
async function runFile([name = "", ...args]: readonly string[]): Promise<undefined> {
  const file = resolve(name);
  process.argv = [process.execPath, file, ...args];
  const { runScript } = require("../strapi/loader/load-script.ts") as typeof import("../strapi/loader/load-script.ts");
  await runScript(process.cwd(), file);
}

/** Resolves with the exit code; undefined while a server runs. Never rejects. */
export async function run(
  args: readonly string[],
  environment: CommandCall["environment"],
): Promise<number | undefined> {
  const [first, second] = args;
  if (first === "version" || first === "--version" || first === "-v") {
    console.log(version);
    return 0;
  }
  try {
    if (isHelp(first)) {
      console.log(await helpFor(args.slice(1), environment));
      return 0;
    }
    if (first === undefined) return await runWithoutCommand(environment);
    const { command, args: rest, group } = findCommand(args);
    if (command) return await runCommand(command, rest, environment);
    if (group.length === 0 && isCodeFile(first)) return await runFile(args);
    if (group.length === 0 || (second !== undefined && !isHelp(second))) throw unknownCommand(args);
    console.log(helpOverview(group));
    return second === undefined ? 2 : 0;
  } catch (error) {
    console.error(errorMessage(error));
    return 1;
  }
}
