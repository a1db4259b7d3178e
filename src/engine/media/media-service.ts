/** Stores, replaces, updates and deletes files: the record and the files on disk change atomically. */

import { type ApiError, notFound } from "../../lib/errors.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext, FileChange } from "../documents/context.ts";
import type { Document } from "../query/select.ts";
import { type AttachTarget, attachFile } from "./attach.ts";
import { commitFiles } from "./file-change.ts";
import type { FileInfo } from "./file-info.ts";
import { type AcceptedFile, FilePreparer, type PreparedFile, removeFiles } from "./file-preparer.ts";
import type { FileServices, SentFile } from "./file-services.ts";
import { Folders, folderLink, ROOT_PATH } from "./folders.ts";
import type { ReceivedFile } from "./receive.ts";
import { copyNames, FileRecords, fileNames } from "./records.ts";
import { rowId } from "./row-id.ts";
import type { UploadFolder } from "./upload-folder.ts";

/** Where to link and store new files. */
export interface Placement {
  /** The field of an entry to link them to. */
  readonly attachTo?: AttachTarget | undefined;
  /** Store them in the folder of uploads by the Content API, overriding their metadata. */
  readonly inApiFolder?: boolean;
  /** The fields of the form, for other services. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** The administrator who uploads them, for other services. */
  readonly user?: (() => Document) | undefined;
}

/** Files that are processed before other requests are served. */
const BATCH = 16;

/** Batches of a list; other requests are served between them. */
export async function* batches<T>(list: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < list.length; at += BATCH) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    yield list.slice(at, at + BATCH);
  }
}

interface NewFile {
  readonly file: AcceptedFile;
  readonly info: FileInfo;
}

const asSent = ({ file, info }: NewFile): SentFile => ({ file, info: { ...info } });

const entityNotFound = (): ApiError => notFound("Entity not found");

export class MediaService {
  readonly #context: DocumentsContext;
  readonly uploadFolder: UploadFolder;
  readonly #preparer: FilePreparer;
  readonly #settings: Settings["upload"];
  readonly #services: (() => FileServices | undefined) | undefined;
  readonly records: FileRecords;
  readonly folders: Folders;

  /** `services`: take the place of the library's own for changes of files. */
  constructor(
    context: DocumentsContext,
    settings: Settings["upload"],
    folder: UploadFolder,
    services?: () => FileServices | undefined,
  ) {
    this.#context = context;
    this.#settings = settings;
    this.uploadFolder = folder;
    this.#services = services;
    this.#preparer = new FilePreparer(context, settings, folder);
    this.records = new FileRecords(context);
    this.folders = new Folders(context);
  }

  /** The same library without other services. */
  get own(): MediaService {
    return this.#services ? new MediaService(this.#context, this.#settings, this.uploadFolder) : this;
  }

  get services(): FileServices | undefined {
    return this.#services?.();
  }

  receive(...args: Parameters<FilePreparer["receive"]>): Promise<ReceivedFile> {
    return this.#preparer.receive(...args);
  }

  accept(file: ReceivedFile): Promise<AcceptedFile> {
    return this.#preparer.accept(file);
  }

  prepareFrom(...args: Parameters<FilePreparer["prepareFrom"]>): Promise<PreparedFile> {
    return this.#preparer.prepareFrom(...args);
  }

  /** Stores prepared files, and runs `work` with their ids in the same transaction. */
  store<T>(prepared: readonly PreparedFile[], work: (ids: readonly number[]) => T, inApiFolder = false): T {
    const files = new Map(prepared.flatMap((file) => [...file.files]));
    return this.#commit(files, () => {
      const apiFolder = inApiFolder ? this.folders.apiFolder().id : undefined;
      return work(
        prepared.map(({ data, folder }) =>
          this.records.insert({
            ...data,
            provider: "local",
            ...this.#folderAttributes(apiFolder ?? folder ?? null),
          }),
        ),
      );
    });
  }

  /** The folder attributes of a record. A folder that was deleted in the meantime is replaced by the root. */
  #folderAttributes(id: number | null): { readonly folder: unknown; readonly folderPath: string } {
    const path = this.folders.findPath(id);
    return { folder: folderLink(path === undefined ? null : id), folderPath: path ?? ROOT_PATH };
  }

  /** Removes the files that `prepare` has written. */
  discard(prepared: readonly PreparedFile[]): void {
    for (const { files } of prepared) removeFiles(files);
  }

  /**
   * Stores new files, in transactions of a few, and returns their records. If preparing a file fails, throws its error after storing the
   * files before it, as in Strapi.
   */
  async create(files: readonly NewFile[], placement: Placement = {}): Promise<Document[]> {
    const { fields = {}, inApiFolder = false, user } = placement;
    const { services } = this;
    if (services) return services.create(files.map(asSent), { fields, inApiFolder, user: user?.() });
    const ids: number[] = [];
    for await (const batch of batches(files)) ids.push(...(await this.#createBatch(batch, placement)));
    return this.records.list(ids);
  }

  async #createBatch(files: readonly NewFile[], { attachTo, inApiFolder }: Placement): Promise<readonly number[]> {
    const prepared: PreparedFile[] = [];
    const storeAll = async () => {
      await this.#lock(...prepared);
      const attachAll = (ids: readonly number[]): readonly number[] => {
        if (attachTo) for (const id of ids) attachFile(this.#context, attachTo, id);
        return ids;
      };
      const stored = this.store(prepared, attachAll, inApiFolder);
      this.#report("create", () => this.records.list(stored));
      return stored;
    };
    try {
      for (const { file, info } of files) prepared.push(await this.#preparer.prepare(file, info));
    } catch (error) {
      if (prepared.length > 0) await storeAll();
      throw error;
    }
    return storeAll();
  }

  /** Replaces the content of a file and keeps its URL. Throws NotFoundError "Entity not found", and the errors of `create`. */
  async replace(id: unknown, file: AcceptedFile, info: FileInfo, user?: Placement["user"]): Promise<Document> {
    const { services } = this;
    if (services) return services.replace(id, asSent({ file, info }), user?.());
    const existing = this.#findOrThrow(id);
    const diskName = { hash: String(existing.hash), ext: String(existing.ext ?? "") };
    const prepared = await this.#preparer.prepare(file, info, { diskName });
    const { name, mime, size, formats, width, height } = prepared.data;
    const { alternativeText, caption, focalPoint = null, folder } = info;
    await this.#lock(prepared);
    const replaced = this.#commit(
      prepared.files,
      () => {
        // it may have been removed or replaced in the meantime
        const row = this.#findOrThrow(id).id as number;
        // as in Strapi, a file that is not an image keeps the dimensions of the replaced image
        const dimensions = width === null ? {} : { width, height };
        const texts = { name, alternativeText, caption, focalPoint };
        const moved = folder === undefined ? {} : this.#folderAttributes(folder);
        this.records.update(row, { ...texts, mime, size, formats: formats ?? {}, ...dimensions, ...moved });
        return this.#findOrThrow(row);
      },
      () => copyNames(this.#findOrThrow(id)),
    );
    this.#report("update", () => [replaced]);
    return replaced;
  }

  /** Updates metadata. Null keeps a text; as a folder, it is the root. Throws NotFoundError "Entity not found". */
  async update(id: unknown, info: FileInfo, user?: Placement["user"]): Promise<Document> {
    const [file] = await this.updateMany([{ id, info }], user);
    return file!;
  }

  /** `update` for several files, in one transaction unless other services take part. */
  async updateMany(
    updates: readonly { readonly id: unknown; readonly info: FileInfo }[],
    user?: Placement["user"],
  ): Promise<Document[]> {
    const { services } = this;
    if (services) {
      const files: Document[] = [];
      for (const { id, info } of updates) files.push(await services.update(id, { ...info }, user?.()));
      return files;
    }
    const updated = await this.#context.storage.write(() =>
      updates.map(({ id, info: { folder, ...texts } }) => {
        const row = this.#findOrThrow(id).id as number;
        const changes = Object.entries(texts).filter(([, value]) => value !== null && value !== undefined);
        const moved = folder === undefined ? {} : this.#folderAttributes(folder);
        this.records.update(row, { ...Object.fromEntries(changes), ...moved });
        return this.#findOrThrow(row);
      }),
    );
    this.#report("update", () => updated);
    return updated;
  }

  /** Deletes the record, its files and all links to it; returns the deleted record, or undefined for an unknown id. */
  async delete(id: unknown): Promise<Document | undefined> {
    const row = rowId(id);
    if (row === undefined) return undefined;
    return this.services ? this.services.delete(id) : (await this.deleteMany([row]))[0];
  }

  /** Deletes files, and folders with everything below them, atomically. Returns the files of `ids`, without those of folders. */
  async deleteMany(ids: readonly number[], folderIds: readonly number[] = []): Promise<Document[]> {
    const { services } = this;
    if (services) return services.deleteMany(ids, folderIds);
    await this.#lock();
    const paths = this.folders.list(folderIds).map(({ path }) => path);
    const files = this.records.list(ids);
    const filesBelow = paths.length > 0 ? this.records.list(this.folders.filesBelow(paths)) : [];
    const records = new Map([...files, ...filesBelow].map((record) => [record.id as number, record]));
    if (records.size === 0 && paths.length === 0) return [];
    const drop = [...records.values()].flatMap(fileNames);
    commitFiles(this.uploadFolder, this.#context.storage, { put: new Map(), drop }, () => {
      for (const id of records.keys()) this.records.remove(id);
      for (const { id } of this.folders.below(paths)) this.folders.remove(id);
    });
    this.#report("delete", () => [...records.values()]);
    return files;
  }

  #report(change: FileChange, files: () => readonly Document[]): void {
    const { reports } = this.#context;
    if (reports?.isUsed) reports.reportFiles(change, files());
  }

  /** Moves files, and folders with everything below them. The caller has checked that this is possible. */
  async move(ids: readonly number[], folderIds: readonly number[], to: number | null): Promise<void> {
    await this.#context.storage.write(() => {
      for (const id of folderIds) {
        const folder = this.folders.find(id);
        if (folder) this.folders.move(folder, to);
      }
      for (const { id } of this.records.list(ids)) this.records.patch(id as number, this.#folderAttributes(to));
    });
  }

  /** Waits for the write lock without blocking. Removes prepared files on a timeout. */
  async #lock(...prepared: readonly PreparedFile[]): Promise<void> {
    try {
      await this.#context.storage.write(() => {});
    } catch (error) {
      this.discard(prepared);
      throw error;
    }
  }

  #findOrThrow(id: unknown): Document {
    const row = rowId(id);
    const record = row === undefined ? undefined : this.records.find(row);
    if (!record) throw entityNotFound();
    return record;
  }

  /** `dropped` returns the names of files to be removed; it is called just before the change. */
  #commit<T>(files: PreparedFile["files"], work: () => T, namesToDrop: () => readonly string[] = () => []): T {
    try {
      return commitFiles(this.uploadFolder, this.#context.storage, { put: files, drop: namesToDrop() }, work);
    } catch (error) {
      removeFiles(files);
      throw error;
    }
  }
}
