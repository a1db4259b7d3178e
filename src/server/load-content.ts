/** Brings the files of `content/`, or documents that a test gives instead, into the database at a start. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FileLock } from "../engine/storage/file-lock.ts";
import { ProjectError, problemText } from "../lib/errors.ts";
import { withTemporaryFolder } from "../lib/interruption.ts";
import { parsePath } from "../transfer/archive/paths.ts";
import { isEmpty } from "../transfer/content/empty.ts";
import { CONTENT_FOLDER, MEDIA_FOLDER } from "../transfer/content/file-paths.ts";
import { readManifest, storeLocales } from "../transfer/content/manifest.ts";
import { ContentFolder } from "./content-sync/folder.ts";
import { isCurrent } from "./content-sync/is-current.ts";
import { lockContent } from "./content-sync/lock.ts";
import { asProjectProblem, toProjectError } from "./content-sync/problems.ts";
import { SyncState } from "./content-sync/state.ts";
import type { Project } from "./project/project.ts";

/** Numbers of loaded documents and files. */
export interface LoadedContent {
  /** Documents by content-type uid. */
  readonly documents: ReadonlyMap<string, number>;
  readonly files: number;
}

export interface LoadOptions {
  /** Prints a line for the person at the command line. */
  readonly announce?: ((line: string) => void) | undefined;
  /** Whether documents are only loaded into an empty database. */
  readonly ignoresContentChanges?: boolean | undefined;
  /** Instead of the project's `content/`. */
  readonly folder?: string | undefined;
  /** The database is in memory: no other process has it. */
  readonly memory?: boolean | undefined;
  /** Whether what would be served otherwise than the files say is refused, and not only told. */
  readonly refusesWarnings?: boolean;
}

/** Milliseconds until a process that loads the same content is no longer waited for. */
const WAIT_MS = 30_000;
const POLL_MS = 20;

/**
 * Resolves with undefined if there is nothing to load. Rejects with a ProjectError if the database is empty; otherwise what was served last
 * stays, and problems are told.
 */
export async function loadContent(
  project: Project,
  {
    announce = (line) => console.warn(`galley: ${line}`),
    ignoresContentChanges = false,
    folder: path = join(project.root, CONTENT_FOLDER),
    memory = false,
    refusesWarnings = false,
  }: LoadOptions = {},
): Promise<LoadedContent | undefined> {
  const { context, settings } = project;
  if (!existsSync(path)) return undefined;
  const state = new SyncState(context.storage);
  const isNew = !state.hasFiles && isEmpty(context);
  if ((ignoresContentChanges && !isNew) || isCurrent(path, context)) return undefined;
  const folder = new ContentFolder(path);
  const { ContentSync } = require("./content-sync/sync.ts") as typeof import("./content-sync/sync.ts");
  const lock = memory ? undefined : await lockUnlessLoaded(project.root, isNew ? state : undefined);
  if (!lock && !memory) return undefined;
  try {
    if (isNew && settings.galley.locales === undefined) {
      const manifest = readManifest(path);
      await context.storage.write(() => storeLocales(context, manifest));
    }
    const result = await new ContentSync(project, folder, { writes: false }).run();
    const { problems, warnings, conflicts, documents, media, waitsFor } = result;
    const refused = refusesWarnings ? [...problems, ...warnings] : problems;
    if (refused.length > 0 && isNew) throw toProjectError(refused);
    if (waitsFor !== undefined) announce(`content/ is not loaded until git has finished: ${waitsFor}`);
    for (const problem of [...problems, ...warnings, ...conflicts]) announce(problemText(asProjectProblem(problem)));
    return isNew && documents.size + media > 0 ? { documents, files: media } : undefined;
  } finally {
    lock?.release();
  }
}

/** Loads documents by the names of their files into a database in memory, with the project's media. Rejects with a ProjectError. */
export const loadGiven = (
  project: Project,
  content: Readonly<Record<string, unknown>>,
): Promise<LoadedContent | undefined> =>
  withTemporaryFolder(join(tmpdir(), `galley-content-${crypto.randomUUID()}`), async (folder) => {
    for (const [name, document] of Object.entries(content)) {
      if (parsePath(name) === undefined)
        throw new ProjectError(`content["${name}"]`, undefined, `must be the name of a file, as in "authors/ada"`);
      const file = join(folder, `${name}.json`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(document));
    }
    const media = join(project.root, CONTENT_FOLDER, MEDIA_FOLDER);
    if (existsSync(media)) cpSync(media, join(folder, MEDIA_FOLDER), { recursive: true });
    return loadContent(project, { folder, memory: true, refusesWarnings: true });
  });

/** Undefined if another process synchronises the content; for a new database, once that has loaded it. */
async function lockUnlessLoaded(root: string, empty: SyncState | undefined): Promise<FileLock | undefined> {
  for (const end = Date.now() + WAIT_MS; ; await Bun.sleep(POLL_MS)) {
    const lock = lockContent(root);
    if (lock || !empty || empty.hasFiles || Date.now() > end) return lock;
  }
}
