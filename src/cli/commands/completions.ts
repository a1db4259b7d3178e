/** `galley completions`: what a shell loads to complete commands and options. */
import { type Command, type CommandCall, UsageError } from "../command.ts";

async function runCompletions({ arguments: [shell = ""], print }: CommandCall, commands: readonly Command[]) {
  const { shells } = require("../completions.ts") as typeof import("../completions.ts");
  const write = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  if (!write) throw new UsageError(`which shell? galley completions ${Object.keys(shells).join("|")}`);
  print(write(commands.filter(({ hidden }) => !hidden)).trimEnd());
  return 0;
}

/** `commands` returns the whole table, of which this one is part. */
export const completionsOf = (commands: () => readonly Command[]): Command => ({
  name: "completions",
  summary: "Print what a shell needs to complete commands: bash, zsh or fish",
  usage: "<shell>",
  maxArguments: 1,
  choices: ["bash", "zsh", "fish"],
  options: {},
  run: (call) => runCompletions(call, commands()),
});
