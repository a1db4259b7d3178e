/**
 * The media of `content/media/`, in both directions. Beside each file is one with what is known of it (`cover.jpg.yaml`): its id, its
 * name on disk, which is part of its URL, and its texts. Folders of the media library are not kept.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { MediaService } from "../../engine/media/media-service.ts";
import type { Document } from "../../engine/query/select.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/quote.ts";
import { ApiError } from "../../lib/errors.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";
import { ContentFileError } from "../../transfer/content/file-error.ts";
import { MEDIA_FOLDER } from "../../transfer/content/file-paths.ts";
import { parseFile, printFile } from "../../transfer/content/file-text.ts";
import {
  infoOf,
  mediaPath,
  preparationOf,
  storeIdentity,
  TEXTS_EXTENSION,
  TEXTS_FORM,
  textsOf,
  textsOfUpload,
} from "../../transfer/content/media-texts.ts";
import { mergeFiles } from "../../transfer/content/merge.ts";
import { rebaseFile, sameFiles } from "../../transfer/content/rebase.ts";
import type { Project } from "../project/project.ts";
import { type ContentFolder, hashContent, type Listing, stampToStore } from "./folder.ts";
import type { FileProblem } from "./problems.ts";
import { type FileStamp, isSameStamp, type SyncedFile, type SyncState } from "./state.ts";

/** Instead of a uid: of the files beside media files. */
export const TEXTS = `${FILE}:texts`;

interface MediaChange {
  /** Below the folder of media. */
  readonly path: string;
  readonly stamp: FileStamp;
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly known: SyncedFile | undefined;
}

export interface MediaResult {
  readonly applied: number;
  readonly problems: readonly FileProblem[];
  /** Of files that are gone. Their records are to be deleted after the documents. */
  readonly removed: readonly SyncedFile[];
  /** The earlier paths of renamed files, below the folder of media. */
  readonly renamed: readonly string[];
}

const isTexts = (path: string, media: Listing["media"]): boolean =>
  path.endsWith(TEXTS_EXTENSION) && media.has(path.slice(0, -TEXTS_EXTENSION.length));

export class MediaSync {
  readonly #context: DocumentsContext;
  readonly #library: () => MediaService;
  readonly #uploads: () => string | undefined;
  readonly #folder: ContentFolder;
  readonly #state: SyncState;

  constructor({ context, media, uploads }: Project, folder: ContentFolder, state: SyncState) {
    this.#context = context;
    this.#library = () => media().own;
    this.#uploads = () => uploads.path;
    this.#folder = folder;
    this.#state = state;
  }

  /** Applies what has changed in the folder, except removed files. */
  async apply({ media }: Listing): Promise<MediaResult> {
    const problems: FileProblem[] = [];
    const known = new Map(
      [...this.#state.filesBelow(`${MEDIA_FOLDER}/`)].map(([path, file]) => [
        path.slice(MEDIA_FOLDER.length + 1),
        file,
      ]),
    );
    const removed = new Map([...known].filter(([path, { uid }]) => uid === FILE && !media.has(path)));
    const renamed: string[] = [];
    let applied = 0;
    for (const [path, stamp] of media) {
      if (isTexts(path, media)) continue;
      const file = known.get(path);
      const textsPath = `${path}${TEXTS_EXTENSION}`;
      const texts = media.get(textsPath);
      const knownTexts = known.get(textsPath);
      const isTextsChanged = texts && !(knownTexts && isSameStamp(texts, knownTexts));
      if (file && isSameStamp(file, stamp) && !isTextsChanged) continue;
      try {
        renamed.push(...(await this.#applyOne(path, stamp, { file, texts, knownTexts }, removed)));
        applied++;
      } catch (error) {
        problems.push(createProblem(error, `${MEDIA_FOLDER}/${path}`, `${MEDIA_FOLDER}/${textsPath}`));
      }
    }
    return { applied, problems, removed: [...removed.values()], renamed };
  }

  /** Returns the earlier path of a renamed file. */
  async #applyOne(
    path: string,
    stamp: FileStamp,
    {
      file,
      texts,
      knownTexts,
    }: {
      readonly file: SyncedFile | undefined;
      readonly texts: FileStamp | undefined;
      readonly knownTexts: SyncedFile | undefined;
    },
    removed: Map<string, SyncedFile>,
  ): Promise<string[]> {
    const textsPath = `${MEDIA_FOLDER}/${path}${TEXTS_EXTENSION}`;
    const text = texts && this.#folder.read(textsPath);
    const said = text === undefined ? {} : parseFile(text, TEXTS_FORM);
    const bytes = readFileSync(join(this.#folder.path, MEDIA_FOLDER, path));
    const change: MediaChange = { path, stamp: stampToStore(stamp), bytes, digest: hashContent(bytes), known: file };
    const earlier = file ?? [...removed.values()].find(({ documentId }) => documentId === said.$id);
    const documentId = earlier?.documentId ?? (said.$id === undefined ? undefined : this.#existing(said.$id));
    const renamed = [...removed].filter(([, other]) => other.documentId === documentId).map(([at]) => at);
    if (documentId === undefined) await this.#create(change, said);
    else {
      for (const at of renamed) removed.delete(at);
      await this.#update(change, documentId, earlier, text === undefined ? undefined : said, knownTexts);
    }
    if (text !== undefined && texts) await this.#storeTexts(textsPath, stampToStore(texts), text, said);
    return renamed;
  }

  #existing(documentId: string): string | undefined {
    return this.#findRecord(documentId) && documentId;
  }

  #findRecord(documentId: string): Document | undefined {
    const sql = `SELECT id FROM ${quote(contentType(this.#context.model, FILE).table)} WHERE document_id = ?`;
    const id = this.#context.storage.first(sql, [documentId])?.[0] as number | undefined;
    return id === undefined ? undefined : this.#library().records.find(id);
  }

  async #create(change: MediaChange, said: ContentFile): Promise<void> {
    const library = this.#library();
    const file = join(this.#folder.path, MEDIA_FOLDER, change.path);
    const prepared = await library.prepareFrom(
      file,
      { ...infoOf(said), name: infoOf(said).name ?? basename(change.path) },
      preparationOf(said),
    );
    // after a transaction of own code that is open
    await this.#context.storage.write(() => {});
    library.store([prepared], ([id]) => {
      storeIdentity(this.#context, id!, said);
      const { documentId } = library.records.find(id!)!;
      this.#put(change, documentId as string);
    });
  }

  /** The bytes, the path or the texts of a known file have changed. */
  async #update(
    change: MediaChange,
    documentId: string,
    earlier: SyncedFile | undefined,
    said: ContentFile | undefined,
    knownTexts: SyncedFile | undefined,
  ): Promise<void> {
    const library = this.#library();
    const record = this.#findRecord(documentId);
    if (!record) return this.#create(change, said ?? {});
    if (earlier?.digest !== change.digest && this.#digestOfUpload(record) !== change.digest) {
      const received = await library.receive({
        filename: basename(change.path),
        type: "",
        stream: new Blob([change.bytes]).stream(),
      });
      const { name, alternativeText, caption } = record as {
        name: string;
        alternativeText: string | null;
        caption: string | null;
      };
      await library.replace(record.id, await library.accept(received), { name, alternativeText, caption });
    }
    await this.#context.storage.write(() => {
      if (said) {
        const now = textsOf(this.#findRecord(documentId)!);
        const base = knownTexts?.stored ?? now;
        const merged = mergeFiles(base, rebaseFile(base, knownTexts?.written ?? base, said), now).file!;
        library.records.patch(record.id as number, { ...infoOf(merged) });
      }
      this.#put(change, documentId);
    });
  }

  #put({ path, stamp, digest }: MediaChange, documentId: string): void {
    const { size, modified, inode } = stamp;
    this.#state.put({
      path: `${MEDIA_FOLDER}/${path}`,
      uid: FILE,
      documentId,
      digest,
      size,
      modified,
      inode,
      stored: {},
      written: undefined,
      isBehind: true,
      conflicts: [],
      appliedAt: 0,
    });
  }

  #storeTexts(path: string, { size, modified, inode }: FileStamp, text: string, said: ContentFile): Promise<void> {
    const media = this.#state
      .files([path.slice(0, -TEXTS_EXTENSION.length)])
      .values()
      .next().value!;
    return this.#context.storage.write(() => {
      const stored = textsOf(this.#findRecord(media.documentId)!);
      this.#state.put({
        path,
        uid: TEXTS,
        documentId: media.documentId,
        digest: hashContent(text),
        size,
        modified,
        inode,
        stored,
        written: sameFiles(said, stored) ? undefined : said,
        isBehind: false,
        conflicts: [],
        appliedAt: 0,
      });
    });
  }

  #digestOfUpload({ hash, ext }: Document): string | undefined {
    const bytes = this.#uploadedBytes(`${hash}${ext ?? ""}`);
    return bytes && hashContent(bytes);
  }

  #uploadedBytes(name: string): Uint8Array | undefined {
    const uploads = this.#uploads();
    if (uploads === undefined || basename(name) !== name) return undefined;
    try {
      return readFileSync(join(uploads, name));
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Deletes the records of removed files. */
  async remove(files: readonly SyncedFile[]): Promise<void> {
    if (files.length === 0) return;
    const ids = files.flatMap(({ documentId }) => (this.#findRecord(documentId)?.id as number | undefined) ?? []);
    await this.#library().deleteMany(ids);
    await this.#context.storage.write(() => {
      for (const { path } of files) for (const each of [path, `${path}${TEXTS_EXTENSION}`]) this.#state.remove(each);
    });
    for (const { path } of files) this.#folder.remove(`${path}${TEXTS_EXTENSION}`);
  }

  /** Writes the files of records. Returns the number of files. */
  async write(documentIds: readonly string[]): Promise<number> {
    let written = 0;
    for (const documentId of documentIds) {
      await new Promise((resolve) => setImmediate(resolve));
      written += await this.#writeOne(documentId);
    }
    return written;
  }

  /** The document ids of all records. */
  all(): string[] {
    const sql = `SELECT document_id FROM ${quote(contentType(this.#context.model, FILE).table)} ORDER BY id`;
    return this.#context.storage.all(sql).map(([id]) => id as string);
  }

  async #writeOne(documentId: string): Promise<number> {
    const record = this.#findRecord(documentId);
    const path = this.#state.findPath(FILE, documentId);
    if (!record) {
      if (path === undefined) return 0;
      for (const each of [path, `${path}${TEXTS_EXTENSION}`]) this.#folder.remove(each);
      await this.#context.storage.write(() => {
        for (const each of [path, `${path}${TEXTS_EXTENSION}`]) this.#state.remove(each);
      });
      return 2;
    }
    const target = path ?? `${MEDIA_FOLDER}/${this.#freeName(String(record.name), documentId)}`;
    const isBytesWritten = await this.#writeBytes(target, record);
    return (isBytesWritten ? 1 : 0) + ((await this.#writeTexts(target, record)) ? 1 : 0);
  }

  #freeName(name: string, documentId: string): string {
    const isFree = (candidate: string): boolean =>
      this.#folder.stamp(`${MEDIA_FOLDER}/${candidate}`) === undefined &&
      this.#state.files([`${MEDIA_FOLDER}/${candidate}`]).size === 0;
    return mediaPath(name, documentId, isFree);
  }

  async #writeBytes(path: string, record: Document): Promise<boolean> {
    const bytes = this.#uploadedBytes(`${record.hash}${record.ext ?? ""}`);
    if (!bytes) return false;
    const digest = hashContent(bytes);
    const known = this.#state.files([path]).get(path);
    const isWritten = known?.digest !== digest && !isDerived(known, bytes);
    const stamp = isWritten ? this.#folder.write(path, bytes) : this.#folder.stamp(path);
    if (!stamp) return false;
    const { size, modified, inode } = stamp;
    const documentId = record.documentId as string;
    await this.#context.storage.write(() =>
      this.#state.put({
        path,
        uid: FILE,
        documentId,
        digest: isWritten ? digest : known!.digest,
        size,
        modified,
        inode,
        stored: { $upload: digest },
        written: undefined,
        isBehind: false,
        conflicts: [],
        appliedAt: 0,
      }),
    );
    return isWritten;
  }

  async #writeTexts(mediaPath: string, record: Document): Promise<boolean> {
    const path = `${mediaPath}${TEXTS_EXTENSION}`;
    const known = this.#state.files([path]).get(path);
    const media = this.#state.files([mediaPath]).get(mediaPath);
    const now = media !== undefined && media.digest === media.stored.$upload ? textsOfUpload(record) : textsOf(record);
    const said = known ? (known.written ?? known.stored) : undefined;
    const file = known && said ? { ...rebaseFile(said, known.stored, now), $id: now.$id! } : now;
    if (said && sameFiles(file, said)) return false;
    const text = printFile(file, TEXTS_FORM, known && this.#folder.read(path));
    const { size, modified, inode } = this.#folder.write(path, text);
    await this.#context.storage.write(() =>
      this.#state.put({
        path,
        uid: TEXTS,
        documentId: record.documentId as string,
        digest: hashContent(text),
        size,
        modified,
        inode,
        stored: now,
        written: sameFiles(file, now) ? undefined : file,
        isBehind: false,
        conflicts: [],
        appliedAt: 0,
      }),
    );
    return true;
  }
}

/** Whether the upload was made of the file: images are stored rotated. */
const isDerived = (known: SyncedFile | undefined, upload: Uint8Array): boolean =>
  known !== undefined && (known.stored.$upload === undefined || known.stored.$upload === hashContent(upload));

function createProblem(error: unknown, path: string, textsPath: string): FileProblem {
  if (error instanceof ContentFileError) return { file: textsPath, line: error.line, reason: error.reason };
  if (error instanceof ApiError) return { file: path, reason: error.message };
  throw error;
}
