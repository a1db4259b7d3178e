/** Exports a project and uploads the archive to a store, once or after every change of published content. */
import { Database } from "bun:sqlite";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../engine/config/env.ts";
import { withTemporaryFolder } from "../../engine/storage/temporary-folder.ts";
import { ProjectError } from "../../lib/errors.ts";
import { type ExportResult, exportArchive } from "../../transfer/export/export-archive.ts";
import { publishedMark } from "../../transfer/export/published-mark.ts";
import { openWithContent } from "../open-with-content.ts";
import { databaseFile, dataFolder } from "../project/project-source.ts";
import { type StoreObject, storeClient } from "./location.ts";
import { upload } from "./upload.ts";

export interface PublishTask {
  readonly root: string;
  readonly object: StoreObject;
  /** Password of an encrypted archive. */
  readonly key: string | undefined;
  readonly environment: Environment;
  readonly announce: (line: string) => void;
}

export interface Published extends ExportResult {
  /** Size of the archive. */
  readonly bytes: number;
  /** Changes with the published content (`publishedMark`) and with the project's files. */
  readonly mark: string;
}

const FOLDER = "publish-";
/** Milliseconds after which nobody can be uploading any more. */
const ABANDONED_MS = 2 * 3_600_000;

/** Removes what killed processes left. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(FOLDER)) continue;
    const path = join(parent, name);
    if (Date.now() - statSync(path).mtimeMs > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** Resolves with undefined if nothing has changed since the mark `last`. Rejects with a ProjectError; the store is unchanged then. */
export async function publish(task: PublishTask, last?: string): Promise<Published | undefined> {
  const { root, key, environment, announce } = task;
  // fail before the export if there are no keys for the store
  storeClient(task.object, environment);
  const project = await openWithContent(root, { environment, announce });
  try {
    const { context, schema, settings, uploads, fingerprint } = project;
    const mark = `${fingerprint}.${publishedMark(context)}`;
    if (mark === last) return undefined;
    const parent = dataFolder(root);
    removeAbandoned(parent);
    return await withTemporaryFolder(join(parent, FOLDER + crypto.randomUUID()), async (folder) => {
      const file = join(folder, `content.tar.gz${key === undefined ? "" : ".enc"}`);
      const exported = await exportArchive({ context, schema, settings, uploadFolder: uploads.path }, { file, key });
      return { ...exported, bytes: await upload(file, task), mark };
    });
  } finally {
    await project.close();
  }
}

export interface ChangeTimes {
  /** Milliseconds between two checks of the database; 500. */
  readonly pollMs?: number;
  /** Milliseconds without another write before the content is published; 1,000. */
  readonly quietMs?: number;
  /** Milliseconds after which content is published although writes go on; 10,000. */
  readonly maxWaitMs?: number;
  /** Milliseconds until the next attempt after a failed one; 30,000. */
  readonly retryMs?: number;
}

export interface PublishOnChangeOptions extends ChangeTimes {
  readonly published: (done: Published) => void;
  readonly report: (problem: ProjectError) => void;
  readonly signal: AbortSignal;
}

/** SQLite's `data_version`: it changes when another connection commits. */
const readDataVersion = (db: Database): number => (db.query("PRAGMA data_version").values() as [[number]])[0][0];

/** Publishes until `signal` is aborted, then resolves. Rejects with a ProjectError if the first attempt fails. */
export async function publishOnChange(
  task: PublishTask,
  { pollMs = 500, quietMs = 1_000, maxWaitMs = 10_000, retryMs = 30_000, ...options }: PublishOnChangeOptions,
): Promise<void> {
  const { published, report, signal } = options;
  const first = (await publish(task))!;
  published(first);
  let { mark } = first;
  using db = new Database(databaseFile(task.root), { readwrite: true });
  // undefined at first, since there may have been writes while the first archive was exported
  let lastVersion: number | undefined;
  let scheduled: { at: number; since: number } | undefined;
  while (!signal.aborted) {
    await Bun.sleep(pollMs);
    const version = readDataVersion(db);
    const now = performance.now();
    if (version !== lastVersion) scheduled = { at: now + quietMs, since: scheduled?.since ?? now };
    lastVersion = version;
    if (!scheduled || signal.aborted || (now < scheduled.at && now - scheduled.since < maxWaitMs)) continue;
    scheduled = undefined;
    try {
      const next = await publish(task, mark);
      if (next) published(next);
      mark = next?.mark ?? mark;
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      report(error);
      const at = performance.now() + retryMs;
      scheduled = { at, since: at };
    }
  }
}
