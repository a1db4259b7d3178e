/** Prepares received files for storage: creates the stored file and its copies, but no record. */
import { rmSync } from "node:fs";
import { basename } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { storedValue } from "../storage/core-store.ts";
import type { FileInfo } from "./file-info.ts";
import { formatsFor } from "./images/formats.ts";
import { MAX_IMAGE_BYTES, type ProcessedImage, type Source } from "./images/image.ts";
import { readImage } from "./images/index.ts";
import { checkDiskName, checkInfoName, checkName, createHash, decodeFilename, findExtension } from "./names.ts";
import { type ReceivedFile, receive } from "./receive.ts";
import { checkSize, kilobytes } from "./sizes.ts";
import { chooseType } from "./types.ts";
import type { UploadFolder } from "./upload-folder.ts";

/** A received file whose type is accepted. */
export interface AcceptedFile extends ReceivedFile {
  readonly name: string;
  readonly mime: string;
}

/** The parts of a name on disk. */
export interface DiskName {
  readonly hash: string;
  readonly ext: string;
}

/** The data of a new file's record. */
interface FileData extends Readonly<Record<string, unknown>> {
  readonly width: number | null;
  readonly height: number | null;
}

/** A prepared file: the data of its record, and its unfinished files by their final names. */
export interface PreparedFile {
  readonly data: FileData;
  readonly files: ReadonlyMap<string, string>;
  readonly folder?: FileInfo["folder"];
}

/** Strapi's key of the media library's settings. */
export const UPLOAD_SETTINGS_KEY = "plugin_upload_settings";

/** Removes the unfinished files of a prepared one. */
export function removeFiles(files: PreparedFile["files"]): void {
  for (const path of files.values()) rmSync(path, { force: true });
}

const urlOf = (name: string): string => `/uploads/${name}`;

export interface PrepareOptions {
  /** Of the file that it replaces, or that it was before. */
  readonly diskName?: DiskName | undefined;
  /** Images are stored as they are, since they were made smaller and turned before. */
  readonly keepsBytes?: boolean;
}

export class FilePreparer {
  readonly #context: DocumentsContext;
  readonly #settings: Settings["upload"];
  readonly #folder: UploadFolder;

  constructor(context: DocumentsContext, settings: Settings["upload"], folder: UploadFolder) {
    this.#context = context;
    this.#settings = settings;
    this.#folder = folder;
  }

  /** Receives a part of a form as an unfinished file, which the caller stores or discards. */
  receive(part: Parameters<typeof receive>[1]): Promise<ReceivedFile> {
    // the limit applies to the stored image, which may be smaller than the sent one
    const limit = this.#settings.sizeLimit || Number.POSITIVE_INFINITY;
    return receive(this.#folder, part, Math.max(limit + 1000, MAX_IMAGE_BYTES));
  }

  /** Throws a ValidationError for a file whose type the project refuses. */
  async accept(file: ReceivedFile): Promise<AcceptedFile> {
    const name = decodeFilename(file.filename);
    return {
      ...file,
      name,
      mime: await chooseType({ name, declared: file.declared, head: file.head }, this.#settings),
    };
  }

  /**
   * Creates the stored file and its copies, but no record. Throws for an invalid name, a broken image, and a file that is too
   * large.
   */
  async prepare(file: AcceptedFile, info: FileInfo, options: PrepareOptions = {}): Promise<PreparedFile> {
    const { diskName, keepsBytes = false } = options;
    checkName(file.name);
    const displayName = info.name || file.name;
    checkInfoName(displayName);
    const name = displayName.normalize();
    const ext = findExtension(file.name, file.mime);
    const { hash, ext: storedExt } = diskName ?? { hash: createHash(name, ext, this.#context.ids), ext };
    const listFormats = (size: Source) => formatsFor(size, this.#breakpoints);
    checkDiskName(`${hash}${storedExt}`);
    const image = await readImage(file.path, file.head, listFormats);
    const stored = keepsBytes ? undefined : image?.stored;
    const bytes = stored?.length ?? file.size;
    checkSize(name, bytes, this.#settings.sizeLimit);
    const files = new Map<string, string>();
    const addFile = async (diskName: string, content: Uint8Array | undefined): Promise<void> => {
      checkDiskName(diskName);
      files.set(diskName, content ? await this.#folder.write(content) : file.path);
    };
    try {
      await addFile(`${hash}${storedExt}`, stored);
      const base = { name, hash, ext: storedExt, mime: file.mime };
      const formats = image && (await this.#formats(image, listFormats(image), base, addFile));
      const data = {
        ...base,
        alternativeText: info.alternativeText ?? null,
        caption: info.caption ?? null,
        focalPoint: info.focalPoint ?? null,
        width: image?.width ?? null,
        height: image?.height ?? null,
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

  /** None if responsive copies are disabled in the media library's settings. */
  get #breakpoints(): Settings["upload"]["breakpoints"] {
    const stored = storedValue(this.#context.storage, UPLOAD_SETTINGS_KEY);
    return isRecord(stored) && stored.responsiveDimensions === false ? {} : this.#settings.breakpoints;
  }

  /** `prepare` for a copy of a file on disk. */
  async prepareFrom(path: string, info: FileInfo, options: PrepareOptions = {}): Promise<PreparedFile> {
    const file = await this.receive({ filename: basename(path), type: "", stream: Bun.file(path).stream() });
    let isUsed = false;
    try {
      const prepared = await this.prepare(await this.accept(file), info, options);
      isUsed = [...prepared.files.values()].includes(file.path);
      return prepared;
    } finally {
      if (!isUsed) rmSync(file.path, { force: true });
    }
  }

  /** Undefined for an image without copies. */
  async #formats(
    { copies }: ProcessedImage,
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
