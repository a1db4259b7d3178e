/**
 * Writes records of the media library that have changed into `content/media/`. A file that has changed itself is left to a pass that
 * reads it.
 */
import { join } from "node:path";
import type { Document } from "../../engine/query/select.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { hashContent, hashFile } from "../../transfer/content/digest.ts";
import { MEDIA_FOLDER } from "../../transfer/content/file-paths.ts";
import { printFile } from "../../transfer/content/file-text.ts";
import { mediaPath, TEXTS_EXTENSION, TEXTS_FORM, textsOf, textsOfUpload } from "../../transfer/content/media-texts.ts";
import { rebaseFile, sameFiles } from "../../transfer/content/rebase.ts";
import type { MediaSync } from "./media-records.ts";
import { TEXTS } from "./read-media.ts";
import { SETTLED, type SyncedFile } from "./state.ts";

/** Writes the files of records. Returns the number of files. */
export async function writeMedia(sync: MediaSync, documentIds: readonly string[]): Promise<number> {
  let written = 0;
  for (const documentId of documentIds) {
    await new Promise((resolve) => setImmediate(resolve));
    written += await writeOne(sync, documentId);
  }
  return written;
}

async function writeOne(sync: MediaSync, documentId: string): Promise<number> {
  const { records, state, folder, context } = sync;
  const record = records.find(documentId);
  const path = state.findPath(FILE, documentId);
  if (record) {
    const target = path ?? `${MEDIA_FOLDER}/${freeName(sync, String(record.name), documentId)}`;
    return (await writeBytes(sync, target, record)) + (await writeTexts(sync, target, record));
  }
  if (path === undefined) return 0;
  const paths = [path, `${path}${TEXTS_EXTENSION}`];
  const known = state.files(paths);
  if (paths.some((each) => isChanged(sync, each, known.get(each)))) return hold(sync, path);
  for (const each of paths) folder.remove(each);
  await context.storage.write(() => {
    for (const each of paths) state.remove(each);
  });
  return paths.length;
}

/** Whether a file is there that is not as it was when it was read or written last. */
function isChanged({ folder }: MediaSync, path: string, known: SyncedFile | undefined): boolean {
  const digest = hashFile(join(folder.path, path));
  return digest !== undefined && digest !== known?.digest;
}

async function hold({ context, state }: MediaSync, path: string): Promise<number> {
  await context.storage.write(() => state.markBehind([path]));
  return 0;
}

function freeName({ folder, state }: MediaSync, name: string, documentId: string): string {
  const isFree = (candidate: string): boolean =>
    folder.stamp(`${MEDIA_FOLDER}/${candidate}`) === undefined &&
    state.files([`${MEDIA_FOLDER}/${candidate}`]).size === 0;
  return mediaPath(name, documentId, isFree);
}

async function writeBytes(sync: MediaSync, path: string, record: Document): Promise<number> {
  const { records, state, folder, context } = sync;
  const digest = records.digest(record);
  if (digest === undefined) return 0;
  const known = state.files([path]).get(path);
  if (isChanged(sync, path, known)) return hold(sync, path);
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

async function writeTexts(sync: MediaSync, path: string, record: Document): Promise<number> {
  const { state, folder, context } = sync;
  const textsPath = `${path}${TEXTS_EXTENSION}`;
  const files = state.files([path, textsPath]);
  const [media, known] = [files.get(path), files.get(textsPath)];
  const now = media !== undefined && media.digest === media.stored.$upload ? textsOfUpload(record) : textsOf(record);
  const said = known ? (known.written ?? known.stored) : undefined;
  const file = known && said ? { ...rebaseFile(said, known.stored, now), $id: now.$id! } : now;
  if (said && sameFiles(file, said)) return 0;
  if (isChanged(sync, textsPath, known)) return hold(sync, path);
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

/** Whether the upload was made of the file: images are stored rotated. */
const isDerived = (known: SyncedFile | undefined, upload: string): boolean =>
  known !== undefined && (known.stored.$upload === undefined || known.stored.$upload === upload);
