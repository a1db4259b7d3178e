/** `galley pull` and `galley push`: a project's content from and to a running Strapi. */
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { dataFolder, openProject } from "../../server/project.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { confirmed } from "../confirm.ts";
import { progressOn } from "../progress.ts";
import { checkFolder } from "../project-folder.ts";
import { importInto } from "./import.ts";

interface Remote {
  readonly url: string;
  readonly root: string;
  readonly token: string;
}

/** Throws a UsageError for what is missing. */
function remoteOf({ arguments: [url, folder = "."], text, environment }: CommandCall, name: string): Remote {
  if (url === undefined) throw new UsageError(`${name} needs the address of a Strapi: galley ${name} <url> [project]`);
  const token = text("token") ?? environment.GALLEY_REMOTE_TOKEN;
  if (!token) throw new UsageError("--token or GALLEY_REMOTE_TOKEN gives a transfer token of the Strapi");
  return { url, root: resolve(folder), token };
}

const options: Command["options"] = {
  token: { type: "string", value: "token", summary: "Token of the Strapi (GALLEY_REMOTE_TOKEN)" },
  yes: { type: "boolean", summary: "Do not ask" },
};

async function runPull(call: CommandCall): Promise<number> {
  const { print } = call;
  const { url, root, token } = remoteOf(call, "pull");
  if (!call.flag("schemas")) checkFolder(root);
  const { remoteAddress } = await import("../../transfer/remote/address.ts");
  const { pullInto } = await import("../../transfer/remote/pull.ts");
  const { ArchiveWriter } = await import("../../transfer/export/archive-writer.ts");
  const address = remoteAddress(url);
  const folder = dataFolder(root);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `pull-${process.pid}.tar`);
  const scratch = join(folder, `pull-${process.pid}`);
  const progress = progressOn(print);
  try {
    const writer = new ArchiveWriter({ file });
    try {
      await pullInto(writer, address, { token, scratch, progress: (stage, rows) => progress.count(rows, stage) });
      await writer.finish();
    } catch (error) {
      await writer.abandon();
      throw error;
    } finally {
      progress.stop();
    }
    return await importInto(call, { source: { file }, root, name: address.root });
  } finally {
    rmSync(file, { force: true });
  }
}

async function runPush(call: CommandCall): Promise<number> {
  const { print, environment } = call;
  const { url, root, token } = remoteOf(call, "push");
  checkFolder(root);
  const { remoteAddress } = await import("../../transfer/remote/address.ts");
  const { pushTo } = await import("../../transfer/remote/push.ts");
  const address = remoteAddress(url);
  if (!confirmed(`Everything that ${address.root} has will be replaced by the content of ${root}.`, call.flag("yes"))) {
    print("nothing was changed");
    return 1;
  }
  const project = openProject(root, { memory: false, publicRead: false, environment, announce: print });
  const progress = progressOn(print);
  try {
    await project.idle();
    const { context, schema, settings, uploads } = project;
    const source = { context, schema, settings, uploadFolder: uploads.path };
    const done = await pushTo(address, source, { token, progress: (stage, rows) => progress.count(rows, stage) });
    progress.stop();
    print(`pushed ${done.entities} rows, ${done.links} links, ${done.assets} media files to ${address.root}`);
    return 0;
  } finally {
    progress.stop();
    await project.close();
  }
}

export const pull: Command = {
  name: "pull",
  summary: "Replace a project's content by that of a running Strapi",
  usage: "<url> [project]",
  maxArguments: 2,
  options: {
    ...options,
    schemas: { type: "boolean", summary: "Write the Strapi's schemas as files of the project first" },
    merge: { type: "boolean", summary: "Keep documents that the Strapi does not have" },
  },
  run: runPull,
};

export const push: Command = {
  name: "push",
  summary: "Replace a running Strapi's content by that of a project",
  usage: "<url> [project]",
  maxArguments: 2,
  options,
  run: runPush,
};
