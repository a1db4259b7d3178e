/** `galley init`: writes the starter project into a folder. */
import { relative, resolve } from "node:path";
import type { Command, CommandCall } from "../command.ts";

async function runInit({ arguments: [folder = "."], print }: CommandCall): Promise<number> {
  const { writeStarter } = await import("../../server/starter.ts");
  const root = resolve(folder);
  const files = await writeStarter(root);
  const shown = relative(process.cwd(), root);
  print(`wrote a small magazine into ${root}: ${files.length} files`);
  print(`galley serve${shown === "" ? "" : ` ${shown}`} serves it`);
  return 0;
}

export const init: Command = {
  name: "init",
  summary: "Write a small magazine to start from: content-types, content and pictures",
  usage: "[folder]",
  maxArguments: 1,
  options: {},
  run: runInit,
};
