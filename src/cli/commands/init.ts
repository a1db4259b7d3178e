/** `galley init`: writes a project to start from into a folder. */
import { relative, resolve } from "node:path";
import type { Template } from "../../server/starter.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";

/** By template, what has been written. */
const written: Readonly<Record<Template, string>> = {
  starter: "a small magazine",
  blog: "a blog",
  empty: "a project without content-types",
};

const names = Object.keys(written).join(", ");

function templateOf(name: string): Template {
  if (Object.hasOwn(written, name)) return name as Template;
  throw new UsageError(`--template must be one of ${names}, not "${name}"`);
}

/** As a shell takes it. */
const quoted = (path: string): string => (/^[\w./\\:-]+$/.test(path) ? path : `"${path.replaceAll(/["$`]/g, "\\$&")}"`);

async function runInit({ arguments: [folder = "."], text, print }: CommandCall): Promise<number> {
  const template = templateOf(text("template") ?? "starter");
  const { writeStarter } = await import("../../server/starter.ts");
  const root = resolve(folder);
  const files = await writeStarter(root, template);
  const shown = relative(process.cwd(), root);
  print(`wrote ${written[template]} into ${root}: ${files.length} files`);
  print(`galley serve${shown === "" ? "" : ` ${quoted(shown)}`} serves it`);
  return 0;
}

export const init: Command = {
  name: "init",
  summary: "Write a project to start from: content-types, content and pictures",
  usage: "[folder]",
  maxArguments: 1,
  options: {
    template: {
      type: "string",
      value: "name",
      summary: `What to start from: ${names}; starter by default`,
      choices: Object.keys(written),
    },
  },
  run: runInit,
};
