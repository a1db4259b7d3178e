/** `galley init`: writes a template project into a folder. */
import { realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { replaceFile } from "../../lib/replace-file.ts";
import type { Template } from "../../server/starter.ts";
import { type AgentFilesPlan, planAgentFiles } from "../agent-files.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { findProject, serveHint } from "../project-folder.ts";

/** Descriptions of the templates, for the output. */
const descriptions: Readonly<Record<Template, string>> = {
  starter: "a small magazine",
  blog: "a blog",
  empty: "a project without content-types",
};

const templateNames = Object.keys(descriptions).join(", ");

const noFiles: AgentFilesPlan = { added: new Map(), changed: new Map(), left: [] };

async function runInit({ arguments: [folder = "."], text, flag, result }: CommandCall): Promise<number> {
  const template = (text("template") ?? "starter") as Template;
  const { writeNewFiles, writeStarter } = await import("../../server/starter.ts");
  const root = resolve(folder);
  const isProject = text("template") === undefined && findProject(root) === root;
  if (isProject && !flag("agent"))
    throw new UsageError(`${root} is a project already: ${serveHint(root)}; --template adds one of ${templateNames}`);
  const { added, changed, left } = flag("agent") ? planAgentFiles(root) : noFiles;
  const forAgents = new Map([...added].map(([path, content]) => [path, Buffer.from(content)]));
  const files = isProject ? writeNewFiles(root, forAgents) : await writeStarter(root, template, forAgents);
  // a link to settings of another place stays one
  for (const [path, content] of changed)
    replaceFile(realpathSync(join(root, path)), (unfinished) => writeFileSync(unfinished, content));
  const written = isProject ? files.join(", ") : `${descriptions[template]} into ${root}: ${files.length} files`;
  return result({ folder: root, files, ...(flag("agent") ? { changed: [...changed.keys()], left } : {}) }, [
    ...(files.length > 0 ? [`wrote ${written}`] : []),
    ...(changed.size > 0 ? [`added galley to ${[...changed.keys()].join(", ")}`] : []),
    ...(left.length > 0 ? [`left ${left.join(", ")} unchanged`] : []),
    isProject ? "editors that read them start galley mcp, which galley help agents describes" : serveHint(root),
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
