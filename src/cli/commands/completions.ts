/** `galley completions`: prints a shell script that completes commands and options. */
import { type Command, type CommandCall, UsageError } from "../command.ts";

async function runCompletions({ arguments: [shell = ""], print }: CommandCall, commands: readonly Command[]) {
  const { shells } = require("../completions.ts") as typeof import("../completions.ts");
  const generate = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  if (!generate) throw new UsageError(`which shell? galley completions ${Object.keys(shells).join("|")}`);
  print(generate(commands.filter(({ hidden }) => !hidden)).trimEnd());
  return 0;
}

/** `commands` returns all commands, including this one. */
export const createCompletions = (commands: () => readonly Command[]): Command => ({
  name: "completions",
  summary: "Print the completion script for a shell: bash, zsh or fish",
  usage: "<shell>",
  choices: ["bash", "zsh", "fish"],
  run: (call) => runCompletions(call, commands()),
});
