/** `galley pull` and `galley push`: copy content from and to a running Strapi. */
import { join, resolve } from "node:path";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, routeName } from "../../engine/schema/model.ts";
import { removeLeftovers } from "../../engine/storage/temporary-folder.ts";
import { openWithContent } from "../../server/open-with-content.ts";
import type { Project } from "../../server/project/project.ts";
import { dataFolder } from "../../server/project/project-source.ts";
import type { RemoteAddress } from "../../transfer/remote/address.ts";
import { type Command, type CommandCall, json, type Options, UsageError } from "../command.ts";
import { confirmed, leaveUnchanged } from "../confirm.ts";
import { openForCommand, readForCommand } from "../open-project.ts";
import { withProgress } from "../progress.ts";
import { projectFolder } from "../project-folder.ts";
import { requireRemoteToken } from "../remote-token.ts";
import { checkContentTypes, parseSelection, selectionOptions, selectionText } from "../selection-options.ts";
import { type PullSource, withPulled } from "../with-pulled.ts";
import { importInto, leftOutLines, lossOptions } from "./import.ts";

/** Throws a UsageError as `parseServer`, and for a folder without a project. */
function parseRemote(call: CommandCall, name: string) {
  const server = parseServer(call, name);
  const folder = call.arguments[1];
  // a project whose schemas are pulled may not be there yet
  const root = call.flag("schemas") ? resolve(folder ?? ".") : projectFolder(folder);
  return { ...server, root };
}

/** Throws a UsageError for a missing URL or token. */
export function parseServer(call: CommandCall, name: string): { readonly url: string; readonly token: string } {
  const [url] = call.arguments;
  if (url === undefined)
    throw new UsageError(`${name} needs the URL of a Strapi server: galley ${name} <url> [project]`);
  return { url, token: requireRemoteToken(call) };
}

const options: Options = {
  token: { type: "string", value: "token", summary: "Token of the Strapi (GALLEY_REMOTE_TOKEN)" },
  yes: { type: "boolean", summary: "Do not ask" },
  json,
  ...selectionOptions,
};

/** Paths of REST lists. */
export const listPaths = ({ model, settings }: Pick<Project, "model" | "settings">): string[] =>
  apiTypes(model).map((type) => `${settings.rest.prefix}/${routeName(type)}`);

/** Parses `--since`. `last` returns the start of the last pull from the server. */
function parseSince(text: string | undefined, lastPull: () => string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (text === "last") {
    const time = lastPull();
    if (time === undefined) throw new UsageError("--since last: there was no pull over REST from there before");
    return new Date(time);
  }
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--since must be a time such as 2026-01-31T12:00:00Z, or last`);
  return time;
}

async function runPull(call: CommandCall): Promise<number> {
  const { url, root, token } = parseRemote(call, "pull");
  const writesSchemas = call.flag("schemas");
  // an invalid time is an error before the confirmation
  const since = call.text("since");
  if (since !== "last") parseSince(since, () => undefined);
  const { remoteAddress } = await import("../../transfer/remote/address.ts");
  const { isApiToken } = await import("../../transfer/remote/recognise.ts");
  const address = remoteAddress(url);
  const selection = parseSelection(call);
  const source = { address, token, selection };
  if (!writesSchemas) {
    const project = await readForCommand(root, call.environment);
    checkContentTypes(selection, project.model.types.keys());
    if (await isApiToken(address, listPaths(project), token)) return pullOverApi(call, root, source);
  }
  if (since !== undefined)
    throw new UsageError("--since needs an API token of the Strapi, and a project that has its schemas");
  return withPulled(call, prepareFolder(root), source, (file) =>
    importInto(call, { source: { file }, root, name: address.root, selection }),
  );
}

/** Returns the folder for temporary files of this pull, and removes those of pulls that were killed. */
function prepareFolder(root: string): string {
  const folder = dataFolder(root);
  removeLeftovers(folder, "pull-");
  return join(folder, `pull-${process.pid}`);
}

/** Meta key: start of the last pull from a server, in ISO 8601. */
const pullTimeKey = ({ root }: RemoteAddress): string => `pulled:${root}`;
/** Subtracted from the start: clocks differ, and the next pull must include writes that were in progress when this one began. */
const OVERLAP_MS = 60_000;

async function pullOverApi(call: CommandCall, root: string, source: PullSource): Promise<number> {
  const { print, environment } = call;
  const { address, selection } = source;
  const project = await openForCommand(root, { memory: false, environment, announce: print });
  const last = project.context.storage.meta(pullTimeKey(address));
  await project.close();
  const since = parseSince(call.text("since"), () => last);
  const pulled = { ...source, project, since };
  return withPulled(call, prepareFolder(root), pulled, (file, { notes = [], unread, startedAt = new Date() }) => {
    const time = new Date(startedAt.getTime() - OVERLAP_MS).toISOString();
    for (const line of notes) print(line);
    return importInto(call, {
      source: { file },
      root,
      name: address.root,
      selection,
      unread,
      notes,
      ...(since ? { merges: true } : {}),
      // the next pull since then would miss changes of what this one leaves out
      beforeEnd: (storage) => selection.isEverything && storage.setMeta(pullTimeKey(address), time),
    });
  });
}

async function runPush(call: CommandCall): Promise<number> {
  const { print, environment } = call;
  const { url, root, token } = parseRemote(call, "push");
  const { remoteAddress } = await import("../../transfer/remote/address.ts");
  const { pushTo } = await import("../../transfer/remote/push.ts");
  const address = remoteAddress(url);
  const selection = parseSelection(call);
  // it ends the transfer at the first file without a record
  if (selection.has("assets") && !selection.hasType(FILE))
    throw new UsageError(`a Strapi takes media files only with their records: ${FILE}`);
  const options = selectionText(call);
  const question = `Everything that ${address.root} has will be replaced by the content of ${root}${options && ` (${options})`}.`;
  if (!confirmed(question, call)) return leaveUnchanged(call);
  await using project = await openWithContent(root, { environment, announce: print });
  const { context, schema, settings, uploads } = project;
  checkContentTypes(selection, context.model.types.keys());
  const source = { context, schema, settings, uploadFolder: uploads.path, selection };
  const isStrict = call.flag("strict");
  const { entities, links, assets, leftOut } = await withProgress(call, (progress) =>
    pushTo(address, source, { token, isStrict, progress }),
  );
  return call.result({ to: address.root, rows: entities, links, files: assets, leftOut }, [
    `pushed ${entities} rows, ${links} links, ${assets} media files to ${address.root}`,
    ...leftOutLines(leftOut),
    `${address.root}/admin shows it`,
  ]);
}

export const pull: Command = {
  name: "pull",
  summary: "Replace a project's content with that of a running Strapi",
  usage: "<url> [project]",
  options: {
    ...options,
    schemas: { type: "boolean", summary: "Write the Strapi's schemas as files of the project first" },
    merge: { type: "boolean", summary: "Keep documents that the Strapi does not have" },
    ...lossOptions,
    since: { type: "string", value: "time|last", summary: "With an API token: only what was changed since" },
  },
  run: runPull,
};

export const push: Command = {
  name: "push",
  summary: "Replace a running Strapi's content with that of a project",
  usage: "<url> [project]",
  options: { ...options, strict: lossOptions.strict! },
  run: runPush,
};
