/** `galley diff`: shows which documents and fields differ from a commit, between two commits, from an archive or a running Strapi. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "../../engine/storage/temporary-folder.ts";
import type { DocumentDifference, Side } from "../../server/content-diff/compare.ts";
import type { ContentFolder } from "../../server/content-sync/folder.ts";
import type { ArchiveSource } from "../../transfer/archive/entries.ts";
import type { Unread } from "../../transfer/import/unread.ts";
import { EVERYTHING } from "../../transfer/selection.ts";
import { namedArchive } from "../archive-source.ts";
import { type Command, type CommandCall, json } from "../command.ts";
import { openContentFolder, problemLines, refuseEarlierFormat } from "../content-folder.ts";
import { differenceLines } from "../differences.ts";
import { textsOfRef, textsOfRefs } from "../git-content.ts";
import { openCopy } from "../open-copy.ts";
import { readForCommand } from "../open-project.ts";
import { projectFolder } from "../project-folder.ts";
import { requireRemoteToken } from "../remote-token.ts";
import { withPulled } from "../with-pulled.ts";
import { listPaths } from "./pull.ts";

interface Comparison {
  readonly documents: readonly DocumentDifference[];
  readonly problems: Side["problems"];
}

const loadCompare = () => import("../../server/content-diff/compare.ts");
const loadTextSide = () => import("../../server/content-diff/text-side.ts");

/** Empty for media, whose bytes are not compared here. */
function readFiles(folder: ContentFolder, paths: Iterable<string>): Map<string, string> {
  const isFile = (path: string): boolean =>
    statSync(join(folder.path, path), { throwIfNoEntry: false })?.isFile() ?? false;
  return new Map([...paths].filter(isFile).map((path) => [path, readFileSync(join(folder.path, path), "utf8")]));
}

async function compareCommits(call: CommandCall, root: string, refs: string): Promise<Comparison> {
  const folder = openContentFolder(root);
  const { compareSides } = await loadCompare();
  const { readTexts } = await loadTextSide();
  const { model } = await readForCommand(root, call.environment);
  await refuseEarlierFormat(folder, model);
  const [from, to] = refs.split("..", 2).map((ref) => ref || "HEAD") as [string, string | undefined];
  let sides: [Side, Side];
  if (to === undefined) {
    const { before, paths } = await textsOfRef(folder.path, from);
    sides = [readTexts(model, before, from), readTexts(model, readFiles(folder, paths))];
  } else {
    const [before, after] = await textsOfRefs(folder.path, from, to);
    sides = [readTexts(model, before, from), readTexts(model, after, to)];
  }
  return { documents: compareSides(...sides), problems: sides.flatMap(({ problems }) => problems) };
}

async function compareArchive(
  call: CommandCall,
  root: string,
  source: ArchiveSource,
  unread?: Unread,
): Promise<Comparison> {
  const folder = openContentFolder(root);
  const { openArchive } = await import("../../server/archive.ts");
  const { compareWithArchive } = await import("../../server/content-diff/archive-side.ts");
  const { readTexts } = await loadTextSide();
  const { environment } = call;
  const { model, settings } = await readForCommand(root, environment);
  await refuseEarlierFormat(folder, model);
  const { documents, media } = folder.list(model);
  const side = readTexts(
    model,
    readFiles(folder, [...documents.keys(), ...[...media.keys()].map((path) => `media/${path}`)]),
  );
  const defaultLocale = settings.galley.locales?.find(({ isDefault }) => isDefault)?.code;
  await using archive = await openArchive(source, {
    memory: true,
    publicRead: false,
    environment,
    announce: console.error,
  });
  const differences = await compareWithArchive(archive, { model, defaultLocale, side }, unread);
  return { documents: differences, problems: side.problems };
}

async function compareServer(call: CommandCall, root: string, url: string): Promise<Comparison> {
  const token = requireRemoteToken(call);
  const { remoteAddress } = await import("../../transfer/remote/address.ts");
  const { isApiToken } = await import("../../transfer/remote/recognise.ts");
  const address = remoteAddress(url);
  const project = await openCopy(root, call.environment);
  await project.close();
  const usesRest = await isApiToken(address, listPaths(project), token);
  const source = { address, token, selection: EVERYTHING, project: usesRest ? project : undefined };
  return withPulled(call, createTemporaryFolder("diff"), source, (file, { notes = [], unread }) => {
    for (const note of notes) console.error(note);
    return compareArchive(call, root, { file }, unread);
  });
}

function compare(call: CommandCall): Promise<Comparison> {
  const [first = "HEAD", second] = call.arguments;
  const isProject = second === undefined && existsSync(join(first, "src/api"));
  const [what, root] = isProject ? ["HEAD", projectFolder(first)] : [first, projectFolder(second)];
  if (/^https?:\/\//.test(what)) return compareServer(call, root, what);
  const archive = namedArchive(what, call.text("key"));
  if (archive) return compareArchive(call, root, archive);
  return compareCommits(call, root, what);
}

function documentLines({ file, previousFile, change, differences }: DocumentDifference): string[] {
  const earlier = previousFile === undefined ? "" : ` (was content/${previousFile})`;
  return [`${change.padEnd(8)} content/${file}${earlier}`, ...differenceLines(differences).map((line) => `  ${line}`)];
}

async function runDiff(call: CommandCall): Promise<number> {
  const { documents, problems } = await compare(call);
  const lines = [...documents.flatMap(documentLines), ...problemLines({ problems, warnings: [] })];
  call.result({ documents, problems }, lines);
  return problems.length === 0 ? 0 : 1;
}

export const diff: Command = {
  name: "diff",
  summary: "Show which documents and fields differ from a commit, an archive or a running Strapi",
  usage: "[ref | ref..ref | archive | url] [project]",
  options: {
    json,
    key: { type: "string", value: "password", summary: "Password of an encrypted archive" },
    token: { type: "string", value: "token", summary: "Token of the Strapi (GALLEY_REMOTE_TOKEN)" },
  },
  run: runDiff,
};
