/** Services that take the place of the media library's own, for changes of files and for the URLs of files. */

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
 * Results have no private attributes. Everything rejects with errors that clients may see, and when a service takes too long.
 */
export interface FileServices {
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
  /** Reads by a member of the upload service; undefined if it is the library's own. */
  readonly read: (
    member: "findOne" | "findMany" | "findAndCountPage",
    ...args: readonly unknown[]
  ) => Promise<unknown> | undefined;
  /** Adds `isUrlSigned`, and signs the URLs of a private provider. */
  readonly sign: (file: FileRow) => Promise<FileRow>;
  /** Signs stored files, by their ids; undefined if the provider is not private. */
  readonly signStored: ((ids: readonly number[]) => Promise<ReadonlyMap<number, FileRow>>) | undefined;
}
