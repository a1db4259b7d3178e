/**
 * Writes documents that have changed in the database into their files. A file that has changed meanwhile is left to the next pass, which
 * merges both.
 */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, type ContentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { mapValues } from "../../lib/records.ts";
import type { ContentFile, VersionKeys } from "../../transfer/content/content-file.ts";
import { hashContent } from "../../transfer/content/digest.ts";
import { extensionFor, formOf } from "../../transfer/content/file-paths.ts";
import { printFile } from "../../transfer/content/file-text.ts";
import { keepIdleTimes, rebaseFile, sameFiles } from "../../transfer/content/rebase.ts";
import { equalValues } from "../../transfer/content/versions.ts";
import type { ApplyParts } from "./apply-files.ts";
import { type ChangedDocuments, changedDocuments, changedIds } from "./changed-documents.ts";
import type { ContentFolder } from "./folder.ts";
import type { MediaSync } from "./media-records.ts";
import { type FileProblem, systemProblem } from "./problems.ts";
import { type FileStamp, type PendingFile, SETTLED, type SyncedFile } from "./state.ts";
import { keepUnknownKeys } from "./unknown-keys.ts";
import { writeMedia } from "./write-media.ts";

/** Documents that are read, and files that are written, before others get a turn: a file system may need milliseconds to replace one. */
const BATCH = 20;
/** After as many files that cannot be written the others are not tried. */
const MAX_FAILURES = 20;

export interface WrittenFiles {
  /** Files that were written or removed. */
  readonly written: number;
  readonly warnings: readonly FileProblem[];
  /** Files that could not be written: a later pass has to. */
  readonly unwritten: readonly FileProblem[];
}

export interface WriteParts extends ApplyParts {
  readonly folder: ContentFolder;
  readonly media: MediaSync;
}

/** What happens to the file of a document. */
type Work =
  | { readonly kind: "remove"; readonly known: SyncedFile }
  /** A later pass looks at it. */
  | { readonly kind: "hold"; readonly known: SyncedFile | undefined }
  /** The text stays as it is. */
  | { readonly kind: "keep"; readonly next: SyncedFile }
  | {
      readonly kind: "write";
      readonly next: PendingFile;
      readonly known: SyncedFile | undefined;
      readonly text: string;
      /** Of the text that is replaced. */
      readonly stamp: FileStamp | undefined;
    };

/** What one pass knows, and what it has done. */
interface WritePass extends WriteParts {
  readonly held: ReadonlySet<string>;
  readonly changes: ChangedDocuments;
  readonly warnings: FileProblem[];
  readonly unwritten: FileProblem[];
  count: number;
  isIncomplete: boolean;
}

/** `held`: paths of files that changed and are not applied. */
export async function writeFiles(parts: WriteParts, held: ReadonlySet<string>): Promise<WrittenFiles> {
  const { context, state, media } = parts;
  const changes = changedDocuments(context, state.sequence);
  const pass: WritePass = { ...parts, held, changes, warnings: [], unwritten: [], count: 0, isIncomplete: false };
  const listIds = changedIds(changes, state);
  pass.count += await writeMedia(
    media,
    listIds(FILE, () => media.records.all()),
  );
  for (const type of apiTypes(context.model)) {
    const ids = listIds(type.uid, () => listDocumentIds(context, type));
    for (let start = 0; start < ids.length && pass.unwritten.length < MAX_FAILURES; start += BATCH) {
      if (start > 0) await new Promise((resolve) => setImmediate(resolve));
      await writeBatch(pass, type, ids.slice(start, start + BATCH));
    }
  }
  const isComplete = !pass.isIncomplete && pass.unwritten.length === 0;
  if (isComplete && state.sequence !== changes.sequence)
    await context.storage.write(() => state.setSequence(changes.sequence));
  return { written: pass.count, warnings: pass.warnings, unwritten: pass.unwritten };
}

async function writeBatch(pass: WritePass, type: ContentType, ids: readonly string[]): Promise<void> {
  const { context, state } = pass;
  const works = worksFor(pass, type, ids);
  if (works.length === 0) return;
  const pending = works.flatMap((work) => (work.kind === "write" ? [work.next] : []));
  if (pending.length > 0) await context.storage.write(() => state.addPending(pending));
  const done = works.map((work) => perform(pass, work));
  await context.storage.write(() => {
    for (const store of done) store();
    state.clearPending();
  });
}

function worksFor(pass: WritePass, type: ContentType, ids: readonly string[]): Work[] {
  const { stored, state, held, changes } = pass;
  const current = stored.read(type, ids);
  const known = state.filesOfDocuments(type.uid, ids);
  return ids.flatMap((documentId) => {
    const file = known.get(documentId);
    const now = current.get(documentId);
    if (!file) return now ? create(pass, type, documentId, now) : [];
    if (held.has(file.path)) return { kind: "hold", known: file };
    if (!now) return { kind: "remove", known: file };
    return update(pass, type, file, now, changes.documents.get(type.uid)?.get(documentId) ?? 0);
  });
}

function create({ names, folder }: WritePass, type: ContentType, documentId: string, now: ContentFile): Work {
  const path = `${names.nameOfDocument(type.uid, documentId)}${extensionFor(type)}`;
  // the file of a single type that is not valid yet
  if (folder.stamp(path)) return { kind: "hold", known: undefined };
  const text = printFile(now, formOf(type, path));
  const next = { path, uid: type.uid, documentId, digest: hashContent(text), stored: now, ...SETTLED };
  return { kind: "write", next, known: undefined, text, stamp: undefined };
}

function update(
  { context, warnings, folder }: WritePass,
  type: ContentType,
  known: SyncedFile,
  read: ContentFile,
  changedAt: number,
): Work {
  const { path, stored } = known;
  const { file: now, kept } = keepUnknownKeys(context.model, type, stored, read);
  for (const key of kept)
    warnings.push({ file: path, key: key.join("."), reason: `${type.uid} has no such attribute` });
  const said = known.written ?? stored;
  const rebased = withIdentity(rebaseFile(said, stored, now), now);
  const file = keepIdleTimes(type, { stored, file: said }, { stored: now, file: rebased });
  const next: SyncedFile = {
    ...known,
    stored: now,
    written: equalValues(file, now) ? undefined : file,
    isBehind: false,
    // somebody has decided
    conflicts: changedAt > known.appliedAt ? [] : known.conflicts,
  };
  if (sameFiles(file, said)) return { kind: "keep", next };
  const stamp = folder.stamp(path);
  const text = stamp && folder.read(path);
  if (text === undefined || hashContent(text) !== known.digest) return { kind: "hold", known };
  const edited = printFile(file, formOf(type, path), text);
  return { kind: "write", next: { ...next, digest: hashContent(edited) }, known, text: edited, stamp };
}

/** Returns what is to be stored then. */
function perform(pass: WritePass, work: Work): () => void {
  const { state, folder } = pass;
  switch (work.kind) {
    case "keep":
      return () => state.put(work.next);
    case "hold":
      return hold(pass, work.known);
    case "remove":
      return remove(pass, work.known);
    case "write": {
      const { next, known, text, stamp } = work;
      const written = attempt(pass, next.path, () => folder.replace(next.path, text, stamp));
      if (!written) return hold(pass, known);
      pass.count++;
      return () => state.put({ ...next, ...written });
    }
  }
}

function hold(pass: WritePass, known: SyncedFile | undefined): () => void {
  if (!known) pass.isIncomplete = true;
  return () => known && pass.state.markBehind([known.path]);
}

function remove(pass: WritePass, known: SyncedFile): () => void {
  const { folder, state } = pass;
  const isRemoved = attempt(pass, known.path, () => {
    const text = folder.read(known.path);
    // it is created again by the next pass
    if (text !== undefined && hashContent(text) !== known.digest) return false;
    folder.remove(known.path);
    return true;
  });
  if (!isRemoved) return hold(pass, known);
  pass.count++;
  return () => state.remove(known.path);
}

/** Undefined if the file system refuses. */
function attempt<T>({ unwritten }: WritePass, file: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const reason = systemProblem(error);
    if (reason === undefined) throw error;
    unwritten.push({ file, reason: `cannot be written: ${reason}` });
    return undefined;
  }
}

export const listDocumentIds = ({ storage }: DocumentsContext, { table }: ContentType): string[] =>
  storage.all(`SELECT DISTINCT document_id FROM ${quote(table)} ORDER BY document_id`).map(([id]) => id as string);

/** With the keys that are written into a new file, or a new locale of one, once. */
const withIdentity = (file: ContentFile, now: ContentFile): ContentFile => ({
  ...withTimes(file, now),
  $id: now.$id!,
  ...(file.$locales && {
    $locales: mapValues(file.$locales, (version, locale) => withTimes(version, now.$locales?.[locale] ?? {})),
  }),
});

const withTimes = (version: VersionKeys, { $createdAt, $publishedAt }: VersionKeys): VersionKeys => ({
  ...version,
  ...(version.$createdAt === undefined && $createdAt !== undefined ? { $createdAt } : {}),
  ...(version.$publishedAt === undefined && $publishedAt !== undefined ? { $publishedAt } : {}),
});
