/**
 * Writes records of the media library that have changed into `content/media/`. A file that has changed itself is left to a pass that
 * reads it.
 */
import { join } from "node:path";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Document } from "../../engine/query/select.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { hashContent, hashFile } from "../../transfer/content/digest.ts";
import { MEDIA_FOLDER } from "../../transfer/content/file-paths.ts";
import { printFile } from "../../transfer/content/file-text.ts";
import { mediaPath, TEXTS_EXTENSION, TEXTS_FORM, textsOf, textsOfUpload } from "../../transfer/content/media-texts.ts";
import { rebaseFile, sameFiles } from "../../transfer/content/rebase.ts";
import type { ContentFolder } from "./folder.ts";
import type { MediaRecords } from "./media-records.ts";
import { TEXTS } from "./read-media.ts";
import type { SyncedFile, SyncState } from "./state.ts";

export class MediaWriter {
  readonly #context: DocumentsContext;
  readonly #records: MediaRecords;
  readonly #folder: ContentFolder;
  readonly #state: SyncState;

  constructor(context: DocumentsContext, records: MediaRecords, folder: ContentFolder, state: SyncState) {
    this.#context = context;
    this.#records = records;
    this.#folder = folder;
    this.#state = state;
  }

  /** The document ids of all records. */
  all(): string[] {
    return this.#records.all();
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

  async #writeOne(documentId: string): Promise<number> {
    const record = this.#records.find(documentId);
    const path = this.#state.findPath(FILE, documentId);
    if (record) {
      const target = path ?? `${MEDIA_FOLDER}/${this.#freeName(String(record.name), documentId)}`;
      return (await this.#writeBytes(target, record)) + (await this.#writeTexts(target, record));
    }
    if (path === undefined) return 0;
    const paths = [path, `${path}${TEXTS_EXTENSION}`];
    const known = this.#state.files(paths);
    if (paths.some((each) => this.#isChanged(each, known.get(each)))) return this.#hold(path);
    for (const each of paths) this.#folder.remove(each);
    await this.#context.storage.write(() => {
      for (const each of paths) this.#state.remove(each);
    });
    return paths.length;
  }

  /** Whether a file is there that is not as it was when it was read or written last. */
  #isChanged(path: string, known: SyncedFile | undefined): boolean {
    const digest = hashFile(join(this.#folder.path, path));
    return digest !== undefined && digest !== known?.digest;
  }

  async #hold(path: string): Promise<number> {
    await this.#context.storage.write(() => this.#state.markBehind([path]));
    return 0;
  }

  #freeName(name: string, documentId: string): string {
    const isFree = (candidate: string): boolean =>
      this.#folder.stamp(`${MEDIA_FOLDER}/${candidate}`) === undefined &&
      this.#state.files([`${MEDIA_FOLDER}/${candidate}`]).size === 0;
    return mediaPath(name, documentId, isFree);
  }

  async #writeBytes(path: string, record: Document): Promise<number> {
    const digest = this.#records.digest(record);
    if (digest === undefined) return 0;
    const known = this.#state.files([path]).get(path);
    if (this.#isChanged(path, known)) return this.#hold(path);
    const isWritten = known?.digest !== digest && !isDerived(known, digest);
    const stamp = isWritten ? this.#folder.copy(path, this.#records.path(record)!) : this.#folder.stamp(path);
    if (!stamp) return 0;
    const { size, modified, inode } = stamp;
    await this.#context.storage.write(() =>
      this.#state.put({
        ...{ path, uid: FILE, documentId: record.documentId as string, size, modified, inode },
        digest: isWritten ? digest : known!.digest,
        stored: { $upload: digest },
        ...SETTLED,
      }),
    );
    return isWritten ? 1 : 0;
  }

  async #writeTexts(path: string, record: Document): Promise<number> {
    const textsPath = `${path}${TEXTS_EXTENSION}`;
    const files = this.#state.files([path, textsPath]);
    const [media, known] = [files.get(path), files.get(textsPath)];
    const now = media !== undefined && media.digest === media.stored.$upload ? textsOfUpload(record) : textsOf(record);
    const said = known ? (known.written ?? known.stored) : undefined;
    const file = known && said ? { ...rebaseFile(said, known.stored, now), $id: now.$id! } : now;
    if (said && sameFiles(file, said)) return 0;
    if (this.#isChanged(textsPath, known)) return this.#hold(path);
    const text = printFile(file, TEXTS_FORM, known && this.#folder.read(textsPath));
    const { size, modified, inode } = this.#folder.write(textsPath, text);
    await this.#context.storage.write(() =>
      this.#state.put({
        ...{ path: textsPath, uid: TEXTS, documentId: record.documentId as string, size, modified, inode },
        digest: hashContent(text),
        stored: now,
        ...SETTLED,
        written: sameFiles(file, now) ? undefined : file,
      }),
    );
    return 1;
  }
}

/** A file that says what the database does. */
const SETTLED = { written: undefined, isBehind: false, conflicts: [], appliedAt: 0 } as const;

/** Whether the upload was made of the file: images are stored rotated. */
const isDerived = (known: SyncedFile | undefined, upload: string): boolean =>
  known !== undefined && (known.stored.$upload === undefined || known.stored.$upload === upload);
