/** The records of the media library, the bytes that they are of, and what both directions of their synchronisation share. */
import { basename, join } from "node:path";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { DiskName } from "../../engine/media/file-preparer.ts";
import type { MediaService } from "../../engine/media/media-service.ts";
import type { Document } from "../../engine/query/select.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { hashFile } from "../../transfer/content/digest.ts";
import type { Project } from "../project/project.ts";
import type { ContentFolder } from "./folder.ts";
import type { SyncState } from "./state.ts";

export class MediaRecords {
  readonly #context: DocumentsContext;
  readonly #project: Project;

  constructor(project: Project) {
    this.#context = project.context;
    this.#project = project;
  }

  get library(): MediaService {
    return this.#project.media().own;
  }

  get #table(): string {
    return quote(contentType(this.#context.model, FILE).table);
  }

  find(documentId: string): Document | undefined {
    const sql = `SELECT id FROM ${this.#table} WHERE document_id = ?`;
    const id = this.#context.storage.first(sql, [documentId])?.[0] as number | undefined;
    return id === undefined ? undefined : this.library.records.find(id);
  }

  /** The document ids of all records. */
  all(): string[] {
    return this.#context.storage.all(`SELECT document_id FROM ${this.#table} ORDER BY id`).map(([id]) => id as string);
  }

  /** Whether there is a record of such a file on disk, which another one must not replace. */
  hasDiskName({ hash, ext }: DiskName): boolean {
    const sql = `SELECT 1 FROM ${this.#table} WHERE hash = ? AND coalesce(ext, '') = ? LIMIT 1`;
    return this.#context.storage.first(sql, [hash, ext]) !== undefined;
  }

  /** The uploaded file; undefined without an upload folder. */
  path({ hash, ext }: Document): string | undefined {
    const uploads = this.#project.uploads.path;
    const name = `${hash}${ext ?? ""}`;
    return uploads === undefined || basename(name) !== name ? undefined : join(uploads, name);
  }

  /** Of the uploaded file, if it is there. */
  digest(record: Document): string | undefined {
    const path = this.path(record);
    return path === undefined ? undefined : hashFile(path);
  }
}

export interface MediaSync {
  readonly context: DocumentsContext;
  readonly records: MediaRecords;
  readonly folder: ContentFolder;
  readonly state: SyncState;
}
