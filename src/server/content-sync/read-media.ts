/**
 * Applies what has changed in `content/media/` to the media library. Beside each file is one with what is known of it
 * (`cover.jpg.yaml`): its id, its name on disk, which is part of its URL, and its texts. Folders of the media library are not kept.
 */
import { basename, join } from "node:path";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { ApiError, validationError } from "../../lib/errors.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";
import { hashContent, hashFile } from "../../transfer/content/digest.ts";
import { ContentFileError } from "../../transfer/content/file-error.ts";
import { MEDIA_FOLDER } from "../../transfer/content/file-paths.ts";
import { parseFile } from "../../transfer/content/file-text.ts";
import {
  infoOf,
  preparationOf,
  storeIdentity,
  TEXTS_EXTENSION,
  TEXTS_FORM,
  textsOf,
} from "../../transfer/content/media-texts.ts";
import { mergeFiles } from "../../transfer/content/merge.ts";
import { rebaseFile, sameFiles } from "../../transfer/content/rebase.ts";
import { type Listing, stampToStore } from "./folder.ts";
import type { MediaSync } from "./media-records.ts";
import { type FileProblem, systemProblem } from "./problems.ts";
import { type FileStamp, isSameStamp, SETTLED, type SyncedFile } from "./state.ts";

/** Instead of a uid: of the files beside media files. */
export const TEXTS = `${FILE}:texts`;

/** What git has in the place of a file that is not fetched. */
const LFS_POINTER = "version https://git-lfs.github.com/spec/";
const MAX_POINTER_BYTES = 1024;

/** A file of the folder, and what is known of it and of the one beside it. */
interface MediaFile {
  /** Below the folder of media. */
  readonly path: string;
  readonly stamp: FileStamp;
  readonly known: SyncedFile | undefined;
  readonly texts: FileStamp | undefined;
  readonly knownTexts: SyncedFile | undefined;
}

interface MediaChange {
  /** Below the folder of media. */
  readonly path: string;
  readonly stamp: FileStamp;
  readonly digest: string;
}

export interface MediaResult {
  readonly applied: number;
  readonly problems: readonly FileProblem[];
  /** Of files that are gone. Their records are to be deleted after the documents. */
  readonly removed: readonly SyncedFile[];
  /** The earlier paths of renamed files, below the folder of media. */
  readonly renamed: readonly string[];
}

/** Of a folder that has not changed. */
export const NO_MEDIA: MediaResult = { applied: 0, problems: [], removed: [], renamed: [] };

const isTexts = (path: string, media: Listing["media"]): boolean =>
  path.endsWith(TEXTS_EXTENSION) && media.has(path.slice(0, -TEXTS_EXTENSION.length));

const isUnchanged = ({ stamp, known, texts, knownTexts }: MediaFile): boolean =>
  known !== undefined &&
  isSameStamp(known, stamp) &&
  (!texts || (knownTexts !== undefined && isSameStamp(texts, knownTexts)));

/** Applies what has changed in the folder, except removed files. */
export async function applyMedia(sync: MediaSync, media: Listing["media"]): Promise<MediaResult> {
  const { state } = sync;
  const problems: FileProblem[] = [];
  const known = new Map(
    [...state.filesBelow(`${MEDIA_FOLDER}/`)].map(([path, file]) => [path.slice(MEDIA_FOLDER.length + 1), file]),
  );
  const removed = new Map([...known].filter(([path, { uid }]) => uid === FILE && !media.has(path)));
  const renamed: string[] = [];
  let applied = 0;
  for (const [path, stamp] of media) {
    if (isTexts(path, media)) continue;
    const textsPath = `${path}${TEXTS_EXTENSION}`;
    const beside = { texts: media.get(textsPath), knownTexts: known.get(textsPath) };
    const file: MediaFile = { path, stamp, known: known.get(path), ...beside };
    if (isUnchanged(file)) continue;
    try {
      const earlierPaths = await applyOne(sync, file, removed);
      renamed.push(...(earlierPaths ?? []));
      if (earlierPaths) applied++;
    } catch (error) {
      problems.push(createProblem(error, `${MEDIA_FOLDER}/${path}`, `${MEDIA_FOLDER}/${textsPath}`));
    }
  }
  return { applied, problems, removed: [...removed.values()], renamed };
}

/** Returns the earlier path of a renamed file; undefined if nothing has changed but times. */
async function applyOne(
  sync: MediaSync,
  { path, stamp, known, texts, knownTexts }: MediaFile,
  removed: Map<string, SyncedFile>,
): Promise<string[] | undefined> {
  const { folder, context, state, records } = sync;
  const textsPath = `${MEDIA_FOLDER}/${path}${TEXTS_EXTENSION}`;
  const text = texts && folder.read(textsPath);
  const said = text === undefined ? {} : parseFile(text, TEXTS_FORM);
  refuseUsedId(sync, path, said.$id);
  refusePointer(sync, path, stamp);
  const digest = hashFile(pathOf(sync, path));
  // removed in the meantime
  if (digest === undefined) return undefined;
  const isSameText = text === undefined || hashContent(text) === knownTexts?.digest;
  if (known?.digest === digest && isSameText) {
    await context.storage.write(() => {
      state.touch(known.path, stampToStore(stamp));
      if (texts) state.touch(textsPath, stampToStore(texts));
    });
    return undefined;
  }
  const change: MediaChange = { path, stamp: stampToStore(stamp), digest };
  // the file beside it may not have been moved
  const isMoved = ({ documentId, digest: earlier }: SyncedFile): boolean =>
    said.$id === undefined ? earlier === digest : documentId === said.$id;
  const earlier = known ?? [...removed.values()].find(isMoved);
  const isStored = said.$id !== undefined && records.find(said.$id) !== undefined;
  const documentId = earlier?.documentId ?? (isStored ? said.$id : undefined);
  const renamed = [...removed].filter(([, other]) => other.documentId === documentId).map(([at]) => at);
  const record = documentId === undefined ? undefined : records.find(documentId);
  const before = record && textsOf(record);
  if (documentId === undefined) await create(sync, change, said);
  else {
    for (const at of renamed) removed.delete(at);
    for (const at of said.$id === undefined ? renamed : []) folder.remove(`${MEDIA_FOLDER}/${at}${TEXTS_EXTENSION}`);
    await update(sync, change, documentId, earlier, text === undefined ? undefined : said, knownTexts);
  }
  if (text !== undefined && texts) {
    // what only the library had changed is to be written into the file
    const keep = (now: ContentFile): ContentFile =>
      knownTexts && before ? rebaseFile(now, before, knownTexts.stored) : now;
    await storeTexts(sync, textsPath, stampToStore(texts), text, said, keep);
  }
  return renamed;
}

const pathOf = ({ folder }: MediaSync, path: string): string => join(folder.path, MEDIA_FOLDER, path);

/** Two files with one id would take it from each other with every pass. */
function refuseUsedId({ state, folder }: MediaSync, path: string, id: string | undefined): void {
  const other = id === undefined ? undefined : state.findPath(FILE, id);
  if (other === undefined || other === `${MEDIA_FOLDER}/${path}` || !folder.stamp(other)) return;
  throw new UsedIdError(other);
}

function refusePointer({ folder }: MediaSync, path: string, { size }: FileStamp): void {
  if (size <= MAX_POINTER_BYTES && folder.read(`${MEDIA_FOLDER}/${path}`)?.startsWith(LFS_POINTER))
    throw validationError("is a pointer of Git LFS, not the file: git lfs pull fetches it");
}

async function create(sync: MediaSync, change: MediaChange, said: ContentFile): Promise<void> {
  const { records, context } = sync;
  const library = records.library;
  const { diskName, keepsBytes } = preparationOf(said);
  const isTaken = diskName !== undefined && records.hasDiskName(diskName);
  const prepared = await library.prepareFrom(
    pathOf(sync, change.path),
    { ...infoOf(said), name: infoOf(said).name ?? basename(change.path) },
    { diskName: isTaken ? undefined : diskName, keepsBytes },
  );
  // after a transaction of own code that is open
  await context.storage.write(() => {});
  library.store([prepared], ([id]) => {
    storeIdentity(context, id!, said);
    const { documentId } = library.records.find(id!)!;
    put(sync, change, documentId as string);
  });
}

/** The bytes, the path or the texts of a known file have changed. */
async function update(
  sync: MediaSync,
  change: MediaChange,
  documentId: string,
  earlier: SyncedFile | undefined,
  said: ContentFile | undefined,
  knownTexts: SyncedFile | undefined,
): Promise<void> {
  const { records, context } = sync;
  const library = records.library;
  const record = records.find(documentId);
  if (!record) return create(sync, change, said ?? {});
  if (earlier?.digest !== change.digest && records.digest(record) !== change.digest) {
    const received = await library.receive({
      filename: basename(change.path),
      type: "",
      stream: Bun.file(pathOf(sync, change.path)).stream(),
    });
    const { name, alternativeText, caption } = record as {
      name: string;
      alternativeText: string | null;
      caption: string | null;
    };
    await library.replace(record.id, await library.accept(received), { name, alternativeText, caption });
  }
  await context.storage.write(() => {
    if (said) {
      const now = textsOf(records.find(documentId)!);
      const base = knownTexts?.stored ?? now;
      const merged = mergeFiles(base, rebaseFile(base, knownTexts?.written ?? base, said), now).file!;
      library.records.patch(record.id as number, { ...infoOf(merged) });
    }
    put(sync, change, documentId);
  });
}

function put({ state }: MediaSync, { path, stamp, digest }: MediaChange, documentId: string): void {
  const file = { path: `${MEDIA_FOLDER}/${path}`, uid: FILE, documentId, digest, ...stamp };
  state.put({ ...file, stored: {}, ...SETTLED, isBehind: true });
}

function storeTexts(
  { state, context, records }: MediaSync,
  path: string,
  stamp: FileStamp,
  text: string,
  said: ContentFile,
  keep: (now: ContentFile) => ContentFile,
): Promise<void> {
  const mediaPath = path.slice(0, -TEXTS_EXTENSION.length);
  const { documentId } = state.files([mediaPath]).get(mediaPath)!;
  return context.storage.write(() => {
    const stored = keep(textsOf(records.find(documentId)!));
    const written = sameFiles(said, stored) ? undefined : said;
    state.put({ path, uid: TEXTS, documentId, digest: hashContent(text), ...stamp, stored, ...SETTLED, written });
  });
}

/** Deletes the records of removed files. */
export async function removeMedia(
  { records, context, state, folder }: MediaSync,
  files: readonly SyncedFile[],
): Promise<void> {
  if (files.length === 0) return;
  const ids = files.flatMap(({ documentId }) => (records.find(documentId)?.id as number | undefined) ?? []);
  await records.library.deleteMany(ids);
  await context.storage.write(() => {
    for (const { path } of files) for (const each of [path, `${path}${TEXTS_EXTENSION}`]) state.remove(each);
  });
  for (const { path } of files) folder.remove(`${path}${TEXTS_EXTENSION}`);
}

class UsedIdError extends Error {
  constructor(other: string) {
    super(`is the id of ${other}; without it, the file is another one`);
  }
}

/** Throws other errors. */
function createProblem(error: unknown, path: string, textsPath: string): FileProblem {
  if (error instanceof UsedIdError) return { file: textsPath, key: "$id", reason: error.message };
  if (error instanceof ContentFileError) return { file: textsPath, line: error.line, reason: error.reason };
  if (error instanceof ApiError) return { file: path, reason: error.message };
  const reason = systemProblem(error);
  if (reason === undefined) throw error;
  return { file: path, reason: `cannot be read: ${reason}` };
}
