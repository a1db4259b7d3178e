/** Uploads, replaces, renames and removes files: the record and the files on disk change together. */
import { rmSync } from "node:fs";
import { basename } from "node:path";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { type ApiError, notFound } from "../errors.ts";
import { isRecord } from "../query/key-check.ts";
import type { Document } from "../query/select.ts";
import { storedValue } from "../storage/core-store.ts";
import { attach, type Place } from "./attach.ts";
import { commitFiles, recover } from "./file-change.ts";
import type { FileInfo } from "./file-info.ts";
import { Folders, folderLink, ROOT_PATH } from "./folders.ts";
import { checkDiskName, checkGivenName, checkName, createHash, extensionOf, sentName } from "./names.ts";
import { formatsFor } from "./pictures/formats.ts";
import { readPicture } from "./pictures/index.ts";
import { MAX_PICTURE_BYTES, type Picture, type Source } from "./pictures/picture.ts";
import { type ReceivedFile, receive } from "./receive.ts";
import { copyNames, FileRecords, fileNames } from "./records.ts";
import { rowId } from "./row-id.ts";
import { checkSize, kilobytes } from "./sizes.ts";
import { chooseType } from "./types.ts";
import type { UploadFolder } from "./upload-folder.ts";

/** A received file whose type is accepted. */
export interface AcceptedFile extends ReceivedFile {
  readonly name: string;
  readonly mime: string;
}

/** What the name on disk is made of. */
interface DiskName {
  readonly hash: string;
  readonly ext: string;
}

/** What a new file's record holds. */
interface FileData extends Readonly<Record<string, unknown>> {
  readonly width: number | null;
  readonly height: number | null;
}

/** A file before it is stored: its record, and the unfinished files by their final names. */
export interface PreparedFile {
  readonly data: FileData;
  readonly files: ReadonlyMap<string, string>;
  readonly folder?: FileInfo["folder"];
}

/** What becomes of new files besides their records. */
export interface Placement {
  /** The entry's field that they become the value of. */
  readonly place?: Place | undefined;
  /** They go into the folder of what the Content API uploads, wherever their texts say. */
  readonly inApiFolder?: boolean;
}

const entityNotFound = (): ApiError => notFound("Entity not found");

/** The reference's key of the media library's settings. */
export const UPLOAD_SETTINGS_KEY = "plugin_upload_settings";

function removeFiles(files: PreparedFile["files"]): void {
  for (const path of files.values()) rmSync(path, { force: true });
}

const urlOf = (name: string): string => `/uploads/${name}`;

export class MediaService {
  readonly #context: DocumentsContext;
  readonly #settings: Settings["upload"];
  readonly #folder: UploadFolder;
  readonly records: FileRecords;
  readonly folders: Folders;

  constructor(context: DocumentsContext, settings: Settings["upload"], folder: UploadFolder) {
    this.#context = context;
    this.#settings = settings;
    this.#folder = folder;
    this.records = new FileRecords(context);
    this.folders = new Folders(context);
  }

  /** Finishes or undoes what a killed process left. */
  recover(): void {
    recover(this.#folder, this.#context.storage);
  }

  /** Receives a part of a form as an unfinished file, which the caller stores or discards. */
  receive(part: Parameters<typeof receive>[1]): Promise<ReceivedFile> {
    // the limit holds for the stored picture, which may be smaller than what is sent
    const limit = this.#settings.sizeLimit || Number.POSITIVE_INFINITY;
    return receive(this.#folder, part, Math.max(limit + 1000, MAX_PICTURE_BYTES));
  }

  /** Throws a ValidationError for a file whose type the project refuses. */
  async accept(file: ReceivedFile): Promise<AcceptedFile> {
    const name = sentName(file.filename);
    return {
      ...file,
      name,
      mime: await chooseType({ name, declared: file.declared, head: file.head }, this.#settings),
    };
  }

  /**
   * Makes the stored file and its copies, but no record; `diskName` is that of the file it replaces. Throws for a bad name, a broken
   * picture or too large a file.
   */
  async prepare(file: AcceptedFile, info: FileInfo, diskName?: DiskName): Promise<PreparedFile> {
    checkName(file.name);
    const given = info.name || file.name;
    checkGivenName(given);
    const name = given.normalize();
    const ext = extensionOf(file.name, file.mime);
    const { hash, ext: storedExt } = diskName ?? { hash: createHash(name, ext, this.#context.ids), ext };
    const formatsOf = (size: Source) => formatsFor(size, this.#breakpoints);
    checkDiskName(`${hash}${storedExt}`);
    const picture = await readPicture(file.path, file.head, formatsOf);
    const bytes = picture?.stored?.length ?? file.size;
    checkSize(name, bytes, this.#settings.sizeLimit);
    const files = new Map<string, string>();
    const put = async (diskName: string, content: Uint8Array | undefined): Promise<void> => {
      checkDiskName(diskName);
      files.set(diskName, content ? await this.#folder.write(content) : file.path);
    };
    try {
      await put(`${hash}${storedExt}`, picture?.stored);
      const base = { name, hash, ext: storedExt, mime: file.mime };
      const formats = picture && (await this.#formats(picture, formatsOf(picture), base, put));
      const data = {
        ...base,
        alternativeText: info.alternativeText ?? null,
        caption: info.caption ?? null,
        focalPoint: info.focalPoint ?? null,
        width: picture?.width ?? null,
        height: picture?.height ?? null,
        formats: formats ?? null,
        size: kilobytes(bytes),
        url: urlOf(`${hash}${storedExt}`),
      };
      return { data, files, folder: info.folder };
    } catch (error) {
      removeFiles(files);
      throw error;
    }
  }

  /** None where somebody has switched the responsive copies off in the media library's settings. */
  get #breakpoints(): Settings["upload"]["breakpoints"] {
    const stored = storedValue(this.#context.storage, UPLOAD_SETTINGS_KEY);
    return isRecord(stored) && stored.responsiveDimensions === false ? {} : this.#settings.breakpoints;
  }

  /** `prepare` for a file elsewhere on disk, which stays there. */
  async prepareFrom(path: string, info: FileInfo): Promise<PreparedFile> {
    const file = await this.receive({ filename: basename(path), type: "", stream: Bun.file(path).stream() });
    let isUsed = false;
    try {
      const prepared = await this.prepare(await this.accept(file), info);
      isUsed = [...prepared.files.values()].includes(file.path);
      return prepared;
    } finally {
      if (!isUsed) rmSync(file.path, { force: true });
    }
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
      for (const { file, info } of files) prepared.push(await this.prepare(file, info));
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
    const prepared = await this.prepare(file, info, diskName);
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

  /** Undefined for a picture without copies. */
  async #formats(
    { copies }: Picture,
    formats: ReturnType<typeof formatsFor>,
    { name, hash, ext, mime }: DiskName & { readonly name: string; readonly mime: string },
    put: (diskName: string, content: Uint8Array) => Promise<void>,
  ): Promise<Record<string, unknown> | undefined> {
    const records: Record<string, unknown> = {};
    for (const [index, { key, width, height }] of formats.entries()) {
      const content = copies[index];
      if (!content) continue;
      const diskName = `${key}_${hash}${ext}`;
      await put(diskName, content);
      const size = { size: kilobytes(content.length), sizeInBytes: content.length };
      const names = { name: `${key}_${name}`, hash: `${key}_${hash}`, ext, mime, path: null };
      records[key] = { ...names, width, height, ...size, url: urlOf(diskName) };
    }
    return Object.keys(records).length > 0 ? records : undefined;
  }
}
