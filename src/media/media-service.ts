/** Stores, replaces, renames and removes files: the record and the files on disk change together. */
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { type ApiError, notFound } from "../errors.ts";
import type { Document } from "../query/select.ts";
import { attach, type Place } from "./attach.ts";
import { commitFiles, recover } from "./file-change.ts";
import type { FileInfo } from "./file-info.ts";
import { type AcceptedFile, FilePreparer, type PreparedFile, removeFiles } from "./file-preparer.ts";
import { Folders, folderLink, ROOT_PATH } from "./folders.ts";
import type { ReceivedFile } from "./receive.ts";
import { copyNames, FileRecords, fileNames } from "./records.ts";
import { rowId } from "./row-id.ts";
import type { UploadFolder } from "./upload-folder.ts";

/** What becomes of new files besides their records. */
export interface Placement {
  /** The entry's field that they become the value of. */
  readonly place?: Place | undefined;
  /** They go into the folder of what the Content API uploads, wherever their texts say. */
  readonly inApiFolder?: boolean;
}

const entityNotFound = (): ApiError => notFound("Entity not found");

export class MediaService {
  readonly #context: DocumentsContext;
  readonly #folder: UploadFolder;
  readonly #preparer: FilePreparer;
  readonly records: FileRecords;
  readonly folders: Folders;

  constructor(context: DocumentsContext, settings: Settings["upload"], folder: UploadFolder) {
    this.#context = context;
    this.#folder = folder;
    this.#preparer = new FilePreparer(context, settings, folder);
    this.records = new FileRecords(context);
    this.folders = new Folders(context);
  }

  /** Finishes or undoes what a killed process left. */
  recover(): void {
    recover(this.#folder, this.#context.storage);
  }

  receive(...args: Parameters<FilePreparer["receive"]>): Promise<ReceivedFile> {
    return this.#preparer.receive(...args);
  }

  accept(file: ReceivedFile): Promise<AcceptedFile> {
    return this.#preparer.accept(file);
  }

  prepareFrom(path: string, info: FileInfo): Promise<PreparedFile> {
    return this.#preparer.prepareFrom(path, info);
  }

  /** Stores prepared files and what `work` does with their ids, or nothing of it. */
  store<T>(prepared: readonly PreparedFile[], work: (ids: readonly number[]) => T, inApiFolder = false): T {
    const files = new Map(prepared.flatMap((file) => [...file.files]));
    return this.#commit(files, () => {
      const apiFolder = inApiFolder ? this.folders.apiFolder().id : undefined;
      return work(
        prepared.map(({ data, folder }) =>
          this.records.insert({ ...data, provider: "local", ...this.#inFolder(apiFolder ?? folder ?? null) }),
        ),
      );
    });
  }

  /** What a record says of its folder; one that has been removed meanwhile is the root. */
  #inFolder(id: number | null): { readonly folder: unknown; readonly folderPath: string } {
    const path = this.folders.pathOf(id);
    return { folder: folderLink(path === undefined ? null : id), folderPath: path ?? ROOT_PATH };
  }

  /** Removes what `prepare` wrote. */
  discard(prepared: readonly PreparedFile[]): void {
    for (const { files } of prepared) removeFiles(files);
  }

  /**
   * Stores new files in one transaction and returns their ids. Throws what `prepare` throws for the first that fails; the
   * files before it are stored all the same, as in the reference.
   */
  async create(
    files: readonly { readonly file: AcceptedFile; readonly info: FileInfo }[],
    { place, inApiFolder }: Placement = {},
  ): Promise<readonly number[]> {
    const prepared: PreparedFile[] = [];
    const storeAll = async () => {
      await this.#lock(...prepared);
      const attachAll = (ids: readonly number[]): readonly number[] => {
        if (place) for (const id of ids) attach(this.#context, place, id);
        return ids;
      };
      return this.store(prepared, attachAll, inApiFolder);
    };
    try {
      for (const { file, info } of files) prepared.push(await this.#preparer.prepare(file, info));
    } catch (error) {
      if (prepared.length > 0) await storeAll();
      throw error;
    }
    return storeAll();
  }

  /** Replaces the content of a file; its URL stays. Throws NotFoundError "Entity not found", and what `create` throws. */
  async replace(id: unknown, file: AcceptedFile, info: FileInfo): Promise<Document> {
    const existing = this.#existing(id);
    const diskName = { hash: String(existing.hash), ext: String(existing.ext ?? "") };
    const prepared = await this.#preparer.prepare(file, info, diskName);
    const { name, mime, size, formats, width, height } = prepared.data;
    const { alternativeText, caption, focalPoint = null, folder } = info;
    await this.#lock(prepared);
    return this.#commit(
      prepared.files,
      () => {
        // it may have been removed or replaced meanwhile
        const row = this.#existing(id).id as number;
        // a file that is no picture keeps the size of the picture that it replaces
        const measures = width === null ? {} : { width, height };
        const texts = { name, alternativeText, caption, focalPoint };
        const moved = folder === undefined ? {} : this.#inFolder(folder);
        this.records.update(row, { ...texts, mime, size, formats: formats ?? {}, ...measures, ...moved });
        return this.#existing(row);
      },
      () => copyNames(this.#existing(id)),
    );
  }

  /** Changes what is given; null keeps a text, and means the root as a folder. Throws NotFoundError "Entity not found". */
  async update(id: unknown, info: FileInfo): Promise<Document> {
    const [file] = await this.updateMany([{ id, info }]);
    return file!;
  }

  /** The same for several, in one transaction. */
  async updateMany(updates: readonly { readonly id: unknown; readonly info: FileInfo }[]): Promise<Document[]> {
    return this.#context.storage.write(() =>
      updates.map(({ id, info: { folder, ...texts } }) => {
        const row = this.#existing(id).id as number;
        const given = Object.entries(texts).filter(([, value]) => value !== null && value !== undefined);
        const moved = folder === undefined ? {} : this.#inFolder(folder);
        this.records.update(row, { ...Object.fromEntries(given), ...moved });
        return this.#existing(row);
      }),
    );
  }

  /** Removes the record, its files and every link to it; returns what it was, or undefined for an unknown id. */
  async delete(id: unknown): Promise<Document | undefined> {
    const row = rowId(id);
    return row === undefined ? undefined : (await this.deleteMany([row]))[0];
  }

  /**
   * The same for several, together with folders and all that lies below them: all of it or nothing. Returns the files that
   * were named; those of folders are not among them.
   */
  async deleteMany(ids: readonly number[], folderIds: readonly number[] = []): Promise<Document[]> {
    await this.#lock();
    const paths = this.folders.list(folderIds).map(({ path }) => path);
    const found = this.records.list(ids);
    const below = paths.length > 0 ? this.records.list(this.folders.filesBelow(paths)) : [];
    const all = new Map([...found, ...below].map((record) => [record.id as number, record]));
    if (all.size === 0 && paths.length === 0) return [];
    const drop = [...all.values()].flatMap(fileNames);
    commitFiles(this.#folder, this.#context.storage, { put: new Map(), drop }, () => {
      for (const id of all.keys()) this.records.remove(id);
      for (const { id } of this.folders.below(paths)) this.folders.remove(id);
    });
    return found;
  }

  /** Moves files and folders with everything below them. The caller has checked that they can be there. */
  async move(ids: readonly number[], folderIds: readonly number[], to: number | null): Promise<void> {
    await this.#context.storage.write(() => {
      for (const id of folderIds) {
        const folder = this.folders.find(id);
        if (folder) this.folders.move(folder, to);
      }
      for (const { id } of this.records.list(ids)) this.records.patch(id as number, this.#inFolder(to));
    });
  }

  /** Waits until nobody else is writing, without stopping others. Removes what was prepared when that takes too long. */
  async #lock(...prepared: readonly PreparedFile[]): Promise<void> {
    try {
      await this.#context.storage.write(() => {});
    } catch (error) {
      this.discard(prepared);
      throw error;
    }
  }

  #existing(id: unknown): Document {
    const row = rowId(id);
    const record = row === undefined ? undefined : this.records.find(row);
    if (!record) throw entityNotFound();
    return record;
  }

  /** `dropped` returns the names of files that the change removes; it is called right before. */
  #commit<T>(files: PreparedFile["files"], work: () => T, dropped: () => readonly string[] = () => []): T {
    try {
      return commitFiles(this.#folder, this.#context.storage, { put: files, drop: dropped() }, work);
    } catch (error) {
      removeFiles(files);
      throw error;
    }
  }
}
