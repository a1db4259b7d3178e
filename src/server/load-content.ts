/**
 * Brings the files of `content/` into the database at a start. Those of earlier formats, lists of entries and files of an export, are
 * loaded into an empty database only.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FileLock } from "../engine/storage/file-lock.ts";
import { problemText } from "../lib/errors.ts";
import type { ContentByName } from "../transfer/content/earlier/lists.ts";
import { type LoadedContent, loadEarlier } from "../transfer/content/earlier/load.ts";
import { finishMigration } from "../transfer/content/earlier/migration.ts";
import { earlierFormat, readEarlier } from "../transfer/content/earlier/read.ts";
import { isEmpty } from "../transfer/content/empty.ts";
import { CONTENT_FOLDER } from "../transfer/content/file-paths.ts";
import { readManifest, storeLocales } from "../transfer/content/manifest.ts";
import { ContentFolder } from "./content-sync/folder.ts";
import { isCurrent } from "./content-sync/is-current.ts";
import { lockContent } from "./content-sync/lock.ts";
import { asProjectProblem, toProjectError, warningText } from "./content-sync/problems.ts";
import { SyncState } from "./content-sync/state.ts";
import type { Project } from "./project/project.ts";

/** Meta key: it was told that files of an earlier format are not synchronised. */
const FORMAT_TOLD = "content_format_told";

export interface LoadOptions {
  /** Prints a line for the person at the command line. */
  readonly announce?: ((line: string) => void) | undefined;
  /** Entries to load instead of those in files. */
  readonly content?: ContentByName | undefined;
  /** Whether documents are only loaded into an empty database. */
  readonly ignoresContentChanges?: boolean | undefined;
  /** Instead of the project's `content/`. */
  readonly folder?: string | undefined;
  /** The database is in memory: no other process has it. */
  readonly memory?: boolean | undefined;
}

/** Milliseconds until a process that loads the same content is no longer waited for. */
const WAIT_MS = 30_000;
const POLL_MS = 20;

/** Resolves with undefined if there is nothing to load. Rejects with a ProjectError that names the file; nothing is loaded then. */
export async function loadContent(
  project: Project,
  {
    announce = (line) => console.warn(`galley: ${line}`),
    content,
    ignoresContentChanges = false,
    folder = join(project.root, CONTENT_FOLDER),
    memory = false,
  }: LoadOptions = {},
): Promise<LoadedContent | undefined> {
  const { context, settings } = project;
  if (!content) finishMigration(folder);
  const hasFiles = !content && existsSync(folder);
  const hasOwnLocales = settings.galley.locales !== undefined;
  if (hasFiles && earlierFormat(folder, context.model) === undefined)
    return loadDocuments(project, folder, { onlyOnce: ignoresContentChanges, hasOwnLocales, memory, announce });
  if (!isEmpty(context)) {
    if (hasFiles) await tellFormat(project, announce);
    return undefined;
  }
  const { locales, ...earlier } = readEarlier(folder, context, { content, hasOwnLocales });
  const loaded = await loadEarlier(project, earlier, locales);
  if (!loaded) return undefined;
  for (const line of earlier.warnings) announce(line);
  if (hasFiles && !memory) await tellFormat(project, announce);
  return loaded;
}

/** Once for each database. */
async function tellFormat({ context: { storage } }: Project, announce: (line: string) => void): Promise<void> {
  if (storage.meta(FORMAT_TOLD) !== undefined) return;
  announce(
    "content/ has the format of an earlier version: its changes are not served. galley content migrate converts it",
  );
  await storage.write(() => storage.setMeta(FORMAT_TOLD, new Date().toISOString()));
}

interface DocumentOptions {
  readonly onlyOnce: boolean;
  readonly hasOwnLocales: boolean;
  readonly memory: boolean;
  readonly announce: (line: string) => void;
}

/** Throws a ProjectError if the database is empty; otherwise what was served last stays, and problems are told. */
async function loadDocuments(
  project: Project,
  path: string,
  { onlyOnce, hasOwnLocales, memory, announce }: DocumentOptions,
): Promise<LoadedContent | undefined> {
  const { context } = project;
  const state = new SyncState(context.storage);
  const isNew = !state.hasFiles && isEmpty(context);
  if (onlyOnce && !isNew) return undefined;
  if (isCurrent(path, context)) return undefined;
  const folder = new ContentFolder(path);
  const { ContentSync } = require("./content-sync/sync.ts") as typeof import("./content-sync/sync.ts");
  using lock = memory ? undefined : await lockUnlessLoaded(project.root, isNew ? state : undefined);
  if (!lock && !memory) return undefined;
  if (isNew && !hasOwnLocales) {
    const manifest = readManifest(path);
    await context.storage.write(() => storeLocales(context, manifest));
  }
  const result = await new ContentSync(project, folder, { writes: false }).run();
  const { problems, warnings, conflicts, documents, media, waitsFor } = result;
  if (problems.length > 0 && isNew) throw toProjectError(problems);
  if (waitsFor !== undefined) announce(`content/ is not loaded until git has finished: ${waitsFor}`);
  for (const problem of [...problems, ...conflicts]) announce(problemText(asProjectProblem(problem)));
  for (const warning of warnings) announce(warningText(warning));
  return isNew && documents.size + media > 0 ? { documents, files: media } : undefined;
}

/** Undefined if another process synchronises the content; for a new database, once that has loaded it. */
async function lockUnlessLoaded(root: string, empty: SyncState | undefined): Promise<FileLock | undefined> {
  for (const end = Date.now() + WAIT_MS; ; await Bun.sleep(POLL_MS)) {
    const lock = lockContent(root);
    if (lock || !empty || empty.hasFiles || Date.now() > end) return lock;
  }
}
