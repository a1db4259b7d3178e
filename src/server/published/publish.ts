/** Exports a project and puts the archive into a store, once or after every change of what is published. */
import { Database } from "bun:sqlite";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../config/env.ts";
import { ProjectError } from "../../errors.ts";
import { type ExportResult, exportArchive } from "../../transfer/export/export-archive.ts";
import { publishedMark } from "../../transfer/export/published-mark.ts";
import { openWithContent } from "../open-with-content.ts";
import { dataFolder } from "../project-source.ts";
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
  /** Of the archive. */
  readonly bytes: number;
  /** See `publishedMark`; with the files of the project. */
  readonly mark: string;
}

const FOLDER = "publish-";
/** Milliseconds after which nobody can be uploading any more. */
const ABANDONED_MS = 2 * 3_600_000;

/** A folder for one archive, beside the database. Those that killed processes left are removed. */
function makeFolder(root: string): string {
  const parent = dataFolder(root);
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(FOLDER)) continue;
    const path = join(parent, name);
    if (Date.now() - statSync(path).mtimeMs > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
  }
  return mkdtempSync(join(parent, FOLDER));
}

/** Undefined when nothing has changed since `last`. Rejects with a ProjectError; the store has what it had then. */
export async function publish(task: PublishTask, last?: string): Promise<Published | undefined> {
  const { root, key, environment, announce } = task;
  // before anything is exported for nobody
  storeClient(task.object, environment);
  const project = await openWithContent(root, { environment, announce });
  let folder: string | undefined;
  const remove = (): void => {
    if (folder) rmSync(folder, { recursive: true, force: true });
  };
  // signals end the process
  process.once("exit", remove);
  try {
    folder = makeFolder(root);
    const { context, schema, settings, uploads, fingerprint } = project;
    const mark = `${fingerprint}.${publishedMark(context)}`;
    if (mark === last) return undefined;
    const file = join(folder, `content.tar.gz${key === undefined ? "" : ".enc"}`);
    const exported = await exportArchive({ context, schema, settings, uploadFolder: uploads.path }, { file, key });
    return { ...exported, bytes: await upload(file, task), mark };
  } finally {
    process.off("exit", remove);
    remove();
    await project.close();
  }
}

export interface ChangeTimes {
  /** Milliseconds between two looks at the database; 500. */
  readonly pollMs?: number;
  /** Milliseconds without another write before the content is published; 1,000. */
  readonly quietMs?: number;
  /** Milliseconds after which writes that go on are not waited for; 10,000. */
  readonly maxWaitMs?: number;
  /** Milliseconds to the next attempt after one that failed; 30,000. */
  readonly retryMs?: number;
}

export interface PublishOnChangeOptions extends ChangeTimes {
  readonly published: (done: Published) => void;
  readonly report: (problem: ProjectError) => void;
  readonly signal: AbortSignal;
}

/** The number of commits of other connections, as SQLite counts them. */
const versionOf = (db: Database): number => (db.query("PRAGMA data_version").values() as [[number]])[0][0];

/** Resolves when `signal` ends it. Rejects with a ProjectError when the first attempt fails. */
export async function publishOnChange(
  task: PublishTask,
  { pollMs = 500, quietMs = 1_000, maxWaitMs = 10_000, retryMs = 30_000, ...options }: PublishOnChangeOptions,
): Promise<void> {
  const { published, report, signal } = options;
  const first = (await publish(task))!;
  published(first);
  let { mark } = first;
  const db = new Database(join(dataFolder(task.root), "content.db"), { readwrite: true });
  try {
    // undefined: there may have been writes since the content was read
    let seen: number | undefined;
    let due: { at: number; since: number } | undefined;
    while (!signal.aborted) {
      await Bun.sleep(pollMs);
      const version = versionOf(db);
      const now = performance.now();
      if (version !== seen) due = { at: now + quietMs, since: due?.since ?? now };
      seen = version;
      if (!due || signal.aborted || (now < due.at && now - due.since < maxWaitMs)) continue;
      due = undefined;
      try {
        const next = await publish(task, mark);
        if (next) published(next);
        mark = next?.mark ?? mark;
      } catch (error) {
        if (!(error instanceof ProjectError)) throw error;
        report(error);
        const at = performance.now() + retryMs;
        due = { at, since: at };
      }
    }
  } finally {
    db.close();
  }
}
