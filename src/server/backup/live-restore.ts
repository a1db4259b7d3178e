/**
 * Restores a backup while the project is served. What was received is checked first, also against the files that are served, and waits with
 * a summary; only then it is applied, all of it or nothing. Secrets and sessions stay those of the server.
 */
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { quote } from "../../engine/storage/sql.ts";
import { applicationError, bodyCutShort } from "../../lib/errors.ts";
import { inTurns } from "../../lib/in-turns.ts";
import { openProject, type Project } from "../project/project.ts";
import { dataFolder } from "../project/project-source.ts";
import { listUploads } from "../project/stored-uploads.ts";
import { CONTENT, DATABASE, SECRETS, withUnfinished } from "./backup-file.ts";
import { keepDatabase } from "./database-copy.ts";
import { extractBackup } from "./extract-backup.ts";
import { keepContent, keepUploads, restoreKept, serveRestored } from "./kept-files.ts";
import { listContent } from "./write-backup.ts";

interface Change {
  /** How many there are now, and in the backup. */
  readonly now: number;
  readonly after: number;
}

export interface RestoreSummary {
  readonly id: string;
  /** When the backup was made, in ISO 8601. */
  readonly createdAt: string;
  /** Documents of content-types that have any. */
  readonly types: readonly (Change & { readonly uid: string })[];
  readonly uploads: Change;
  readonly contentFiles: Change;
}

/** The largest body that the server accepts. */
const MAX_BYTES = 2_000_000_000;
/** What is left of the disk for the content that is there. */
const RESERVED_BYTES = 200_000_000;
const SUMMARY = "summary.json";
/** How often the database is copied again because somebody has written meanwhile. */
const MAX_COPIES = 5;

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return Math.max(0, bavail * bsize - RESERVED_BYTES);
}

/** Rejects with an ApplicationError for more bytes than there may be, and for a body that is cut off. */
export async function receive(body: ReadableStream<Uint8Array> | null, file: string, maxBytes: number): Promise<void> {
  if (body?.locked) throw applicationError("The content type of a backup is application/gzip");
  const reader = body?.getReader();
  const read = () =>
    reader?.read().catch((cause: unknown) => {
      throw Object.assign(bodyCutShort(), { cause });
    });
  const target = await open(file, "wx", 0o600);
  let bytes = 0;
  try {
    for (let chunk = await read(); chunk?.value; chunk = await read()) {
      bytes += chunk.value.length;
      if (bytes > maxBytes)
        throw applicationError("The file is larger than there is room for: galley restore takes any");
      await target.writeFile(chunk.value);
    }
  } finally {
    // what is left of it is not read
    await reader?.cancel().catch(() => {});
    await target.close();
  }
  if (bytes === 0) throw applicationError("The file is empty");
}

export class LiveRestore {
  readonly #project: Project;
  /** What waits; with a folder of its own for the data, as a project has it. */
  readonly #folder: string;

  constructor(project: Project) {
    this.#project = project;
    this.#folder = join(dataFolder(project.root), "restore");
  }

  /** Undefined: nothing waits. */
  get pending(): RestoreSummary | undefined {
    const file = join(this.#folder, SUMMARY);
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as RestoreSummary) : undefined;
  }

  /** Rejects with a ProjectError while a restore is at it. */
  discard(): Promise<void> {
    return withUnfinished(dataFolder(this.#project.root), async () => this.#discard(), "restore");
  }

  #discard(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Replaces what waits. Rejects with a ProjectError or an ApplicationError for what cannot be restored here. */
  receive(body: ReadableStream<Uint8Array> | null): Promise<RestoreSummary> {
    const data = dataFolder(this.#project.root);
    // backups go on: an upload may take long
    const work = async (temporary: string): Promise<RestoreSummary> => {
      const file = join(temporary, "backup.tar.gz");
      await receive(body, file, Math.min(MAX_BYTES, freeBytes(data)));
      const root = join(temporary, "checked");
      const folder = dataFolder(root);
      mkdirSync(join(folder, CONTENT), { recursive: true, mode: 0o700 });
      const { createdAt } = await extractBackup(file, folder, undefined, freeBytes(data));
      // they stay those of the server
      const secrets = join(folder, SECRETS);
      rmSync(secrets, { force: true });
      await this.#migrate(root);
      rmSync(secrets, { force: true });
      const summary = this.#summarise(folder, createdAt);
      writeFileSync(join(root, SUMMARY), JSON.stringify(summary));
      this.#discard();
      renameSync(root, this.#folder);
      return summary;
    };
    return withUnfinished(data, work, "restore");
  }

  /** Gives the database the tables of the files that are served, as the next start would. Throws a ProjectError if that cannot be. */
  async #migrate(root: string): Promise<void> {
    const { fileSettings, schema, settings, code, access } = this.#project;
    const project = openProject(root, {
      ...{ memory: false, publicRead: false, environment: settings.environment },
      ...(code ? { extraActions: access.extraActions } : {}),
      source: () => ({ settings: fileSettings, schema }),
    });
    await project.close();
  }

  #summarise(folder: string, createdAt: string): RestoreSummary {
    const { context, model, uploads, root } = this.#project;
    using saved = new Database(join(folder, DATABASE), { readonly: true });
    const types = [...model.types.values()].map(({ uid, table }) => {
      const sql = `SELECT count(DISTINCT document_id) FROM ${quote(table)}`;
      const [now, then] = [context.storage.db, saved].map((db) => Number(db.query(sql).values()[0]![0]));
      return { uid, now: now!, after: then! };
    });
    const names = (path: string | undefined): number => (path === undefined ? 0 : listUploads(path).length);
    const files = (path: string): number => listContent(join(path, CONTENT)).length;
    return {
      id: crypto.randomUUID(),
      createdAt,
      types: types.filter(({ now, after }) => now + after > 0),
      uploads: { now: names(uploads.path), after: names(join(folder, "uploads")) },
      contentFiles: { now: files(root), after: files(folder) },
    };
  }

  /**
   * Puts what waits in the place of the content. `id`: of the summary that somebody has seen. Resolves with the folder below `.galley` that
   * has what was there before.
   */
  apply(id: unknown): Promise<string> {
    const data = dataFolder(this.#project.root);
    const work = async (): Promise<string> => {
      if (id === undefined || this.pending?.id !== id)
        throw applicationError("This backup does not wait any more: choose its file again");
      // what has just changed in files is in the database, and the other way round
      await this.#project.reloader.contentSync?.()?.sync();
      return serveRestored(this.#project, async () => {
        const earlier = await this.#replace();
        this.#discard();
        return earlier;
      });
    };
    return withUnfinished(data, () => withUnfinished(data, work), "restore");
  }

  async #replace(): Promise<string> {
    const name = `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
    const earlier = join(dataFolder(this.#project.root), name);
    const saved = dataFolder(this.#folder);
    try {
      await this.#keep(earlier);
      // synchronous from here on: nobody writes between the copy and the restore
      restoreKept(this.#project, saved, join(saved, DATABASE));
      return name;
    } catch (error) {
      rmSync(earlier, { recursive: true, force: true });
      throw error;
    }
  }

  /** As a restore on the command line keeps it. Throws an ApplicationError while somebody writes all the time. */
  async #keep(folder: string): Promise<void> {
    const { storage } = this.#project.context;
    const file = join(folder, DATABASE);
    mkdirSync(folder, { mode: 0o700 });
    await inTurns(keepContent(this.#project, folder));
    for (let copies = 0; copies < MAX_COPIES; copies++) {
      const version = storage.version();
      rmSync(file, { force: true });
      await inTurns(keepUploads(this.#project, folder));
      await keepDatabase(storage, file);
      if (storage.version() === version) return;
    }
    throw applicationError("The content is being changed all the time: try again later");
  }
}
