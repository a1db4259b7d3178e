/** The interfaces through which the project's code takes part in reads and writes. Unused for projects without code. */

import type { ContentType, Schema } from "../schema/model.ts";
import type { Work } from "./steps.ts";

export type RowAction = "create" | "update" | "delete" | "findOne" | "findMany" | "count";

/** One query of the database. Hooks may change `params` before it runs and `result` afterwards. */
export interface RowEvent {
  readonly action: RowAction;
  /** A content-type, or a component whose rows the code itself queries. */
  readonly type: Schema;
  readonly params: Record<string, unknown>;
  result?: unknown;
}

/** The arguments of a validation: a row's data before it is written. */
export interface RowValidation {
  readonly type: ContentType;
  readonly data: Record<string, unknown>;
  readonly creating: boolean;
  readonly draft: boolean;
  readonly locale: string | null;
  /** The row that is updated. */
  readonly row?: number;
}

/** Hooks around the queries of single rows, and the transaction that waits for them. */
export interface RowHooks {
  /** A validation by the project's code that replaces the default one, and may call it; undefined: none. */
  readonly validation: ((input: RowValidation) => Promise<Record<string, unknown>>) | undefined;
  /** Whether there may be a hook for an action. If not, no event is created. */
  readonly listens: (type: Schema, action: RowAction) => boolean;
  /** Logs a warning about the code, once. */
  readonly warn: (message: string) => void;
  readonly before: (event: RowEvent) => Work<void>;
  readonly after: (event: RowEvent) => Work<void>;
  /** Runs `work` in a transaction that other code may join; rolls back when it rejects. */
  readonly transaction: <T>(work: () => Promise<T>) => Promise<T>;
}

export type FileChange = "create" | "update" | "delete";

type FileRow = Readonly<Record<string, unknown>>;

/** A received file, and the metadata that was sent with it. */
export interface SentFile {
  readonly file: {
    readonly name: string;
    /** The declared type with its parameters; empty for none. */
    readonly declared: string;
    readonly mime: string;
    /** On disk. The sender removes the file. */
    readonly path: string;
    /** In bytes. */
    readonly size: number;
  };
  readonly info: FileRow;
}

/**
 * Uploads through the services of the upload plugin, whose members the project's code has replaced, or by its own provider. Results have
 * no private attributes. Everything rejects with the errors of the code, and when the code takes too long.
 */
export interface CodeFiles {
  /** `fields`: of the form. `user`: the administrator, for requests of the admin. */
  readonly create: (
    files: readonly SentFile[],
    options: { readonly fields: FileRow; readonly inApiFolder: boolean; readonly user?: FileRow | undefined },
  ) => Promise<FileRow[]>;
  readonly replace: (id: unknown, file: SentFile, user?: FileRow) => Promise<FileRow>;
  readonly update: (id: unknown, info: FileRow, user?: FileRow) => Promise<FileRow>;
  /** Resolves with the file as it was; undefined for an unknown id. */
  readonly delete: (id: unknown) => Promise<FileRow | undefined>;
  readonly deleteMany: (ids: readonly number[], folderIds: readonly number[]) => Promise<FileRow[]>;
  /** Reads by a member of the upload service; undefined if the code has not replaced it, and no hook sees the read. */
  readonly read: (
    member: "findOne" | "findMany" | "findAndCountPage",
    ...args: readonly unknown[]
  ) => Promise<unknown> | undefined;
  /** Adds `isUrlSigned`, and signs the URLs of a private provider. */
  readonly sign: (file: FileRow) => Promise<FileRow>;
  /** Signs stored files, by their ids; undefined if the provider is not private. */
  readonly signStored: ((ids: readonly number[]) => Promise<ReadonlyMap<number, FileRow>>) | undefined;
}

/** Told about committed writes. */
export interface WriteReports {
  /** Whether anybody listens. If not, nothing is reported. */
  readonly isUsed: boolean;
  readonly report: (uid: string, action: string, params: FileRow, result: unknown) => void;
  readonly reportFiles: (change: FileChange, files: readonly FileRow[]) => void;
}

/** How the project's code takes part in changes of files. */
export interface DocumentCode {
  /** Emits an event for each file, after the change was committed. Does nothing without listeners. */
  readonly reportFiles: (change: FileChange, files: readonly Readonly<Record<string, unknown>>[]) => void;
  /** Undefined if the server stores and deletes files without the code. */
  readonly files: CodeFiles | undefined;
}

/** Code is loaded after the project is opened, and reloaded when its files change. */
export interface DocumentCodeSlot {
  current: DocumentCode | undefined;
}
