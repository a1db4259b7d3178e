/** `galley init`: writes a template project into a folder. */
import { existsSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { replaceFile } from "../../lib/replace-file.ts";
import type { Template } from "../../server/starter.ts";
import { agentFiles, planAgentFiles, ZED_SETTINGS } from "../agent-files.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { findProject, serveHint } from "../project-folder.ts";

/** Descriptions of the templates, for the output. */
const descriptions: Readonly<Record<Template, string>> = {
  starter: "a small magazine",
  blog: "a blog",
  empty: "a project without content-types",
};

const templateNames = Object.keys(descriptions).join(", ");

const encodeFiles = (files: Readonly<Record<string, string>>): ReadonlyMap<string, Uint8Array> =>
  new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));

async function runInit({ arguments: [folder = "."], text, flag, result }: CommandCall): Promise<number> {
  const template = (text("template") ?? "starter") as Template;
  const { writeNewFiles, writeStarter } = await import("../../server/starter.ts");
  const root = resolve(folder);
  const forAgents = new Map(flag("agent") ? encodeFiles(agentFiles(root)) : []);
  if (existsSync(join(root, ZED_SETTINGS))) forAgents.delete(ZED_SETTINGS);
  if (flag("agent") && text("template") === undefined && findProject(root) === root) {
    const { added, changed, left } = planAgentFiles(root);
    const files = writeNewFiles(root, encodeFiles(Object.fromEntries(added)));
    // a link to settings of another place stays one
    for (const [path, content] of changed)
      replaceFile(realpathSync(join(root, path)), (unfinished) => writeFileSync(unfinished, content));
    return result({ folder: root, files, changed: [...changed.keys()], left }, [
      ...(files.length > 0 ? [`wrote ${files.join(", ")}`] : []),
      ...(changed.size > 0 ? [`added galley to ${[...changed.keys()].join(", ")}`] : []),
      ...(left.length > 0 ? [`left ${left.join(", ")} as they are`] : []),
      "editors that read them start galley mcp, which galley help agents describes",
    ]);
  }
  if (text("template") === undefined && findProject(root) === root)
    throw new UsageError(`${root} is a project already: ${serveHint(root)}; --template adds one of ${templateNames}`);
  const files = await writeStarter(root, template, forAgents);
  return result({ folder: root, files }, [
    `wrote ${descriptions[template]} into ${root}: ${files.length} files`,
    serveHint(root),
  ]);
}

export const init: Command = {
  name: "init",
  summary: "Write a starter project: content-types, content and images",
  usage: "[folder]",
  options: {
    template: {
      type: "string",
      value: "name",
      summary: `What to start from: ${templateNames}; starter by default`,
      choices: Object.keys(descriptions),
    },
    agent: {
      type: "boolean",
      summary: "Also write AGENTS.md and the MCP settings of editors; only these into a project",
    },
    json,
  },
  run: runInit,
};
