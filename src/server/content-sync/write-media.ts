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
import { SETTLED, type SyncedFile, type SyncState } from "./state.ts";

export function createMediaWriter(
  context: DocumentsContext,
  records: MediaRecords,
  folder: ContentFolder,
  state: SyncState,
) {
  /** The document ids of all records. */
  const all = (): string[] => records.all();

  /** Writes the files of records. Returns the number of files. */
  async function write(documentIds: readonly string[]): Promise<number> {
    let written = 0;
    for (const documentId of documentIds) {
      await new Promise((resolve) => setImmediate(resolve));
      written += await writeOne(documentId);
    }
    return written;
  }

  async function writeOne(documentId: string): Promise<number> {
    const record = records.find(documentId);
    const path = state.findPath(FILE, documentId);
    if (record) {
      const target = path ?? `${MEDIA_FOLDER}/${freeName(String(record.name), documentId)}`;
      return (await writeBytes(target, record)) + (await writeTexts(target, record));
    }
    if (path === undefined) return 0;
    const paths = [path, `${path}${TEXTS_EXTENSION}`];
    const known = state.files(paths);
    if (paths.some((each) => isChanged(each, known.get(each)))) return hold(path);
    for (const each of paths) folder.remove(each);
    await context.storage.write(() => {
      for (const each of paths) state.remove(each);
    });
    return paths.length;
  }

  /** Whether a file is there that is not as it was when it was read or written last. */
  function isChanged(path: string, known: SyncedFile | undefined): boolean {
    const digest = hashFile(join(folder.path, path));
    return digest !== undefined && digest !== known?.digest;
  }

  async function hold(path: string): Promise<number> {
    await context.storage.write(() => state.markBehind([path]));
    return 0;
  }

  function freeName(name: string, documentId: string): string {
    const isFree = (candidate: string): boolean =>
      folder.stamp(`${MEDIA_FOLDER}/${candidate}`) === undefined &&
      state.files([`${MEDIA_FOLDER}/${candidate}`]).size === 0;
    return mediaPath(name, documentId, isFree);
  }

  async function writeBytes(path: string, record: Document): Promise<number> {
    const digest = records.digest(record);
    if (digest === undefined) return 0;
    const known = state.files([path]).get(path);
    if (isChanged(path, known)) return hold(path);
    const isWritten = known?.digest !== digest && !isDerived(known, digest);
    const stamp = isWritten ? folder.copy(path, records.path(record)!) : folder.stamp(path);
    if (!stamp) return 0;
    await context.storage.write(() =>
      state.put({
        ...{ path, uid: FILE, documentId: record.documentId as string, ...stamp },
        digest: isWritten ? digest : known!.digest,
        stored: { $upload: digest },
        ...SETTLED,
      }),
    );
    return isWritten ? 1 : 0;
  }

  async function writeTexts(path: string, record: Document): Promise<number> {
    const textsPath = `${path}${TEXTS_EXTENSION}`;
    const files = state.files([path, textsPath]);
    const [media, known] = [files.get(path), files.get(textsPath)];
    const now = media !== undefined && media.digest === media.stored.$upload ? textsOfUpload(record) : textsOf(record);
    const said = known ? (known.written ?? known.stored) : undefined;
    const file = known && said ? { ...rebaseFile(said, known.stored, now), $id: now.$id! } : now;
    if (said && sameFiles(file, said)) return 0;
    if (isChanged(textsPath, known)) return hold(path);
    const text = printFile(file, TEXTS_FORM, known && folder.read(textsPath));
    const stamp = folder.write(textsPath, text);
    await context.storage.write(() =>
      state.put({
        ...{ path: textsPath, uid: TEXTS, documentId: record.documentId as string, ...stamp },
        digest: hashContent(text),
        stored: now,
        ...SETTLED,
        written: sameFiles(file, now) ? undefined : file,
      }),
    );
    return 1;
  }

  return { all, write };
}

export type MediaWriter = ReturnType<typeof createMediaWriter>;

/** Whether the upload was made of the file: images are stored rotated. */
const isDerived = (known: SyncedFile | undefined, upload: string): boolean =>
  known !== undefined && (known.stored.$upload === undefined || known.stored.$upload === upload);
