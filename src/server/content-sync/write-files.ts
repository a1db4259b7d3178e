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
import { type FileProblem, systemProblem } from "./problems.ts";
import { type FileStamp, type PendingFile, SETTLED, type SyncedFile } from "./state.ts";
import { keepUnknownKeys } from "./unknown-keys.ts";
import type { MediaWriter } from "./write-media.ts";

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
  readonly media: MediaWriter;
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

/** `held`: paths of files that changed and are not applied. */
export async function writeFiles(
  { context, folder, state, names, stored, media }: WriteParts,
  held: ReadonlySet<string>,
): Promise<WrittenFiles> {
  const warnings: FileProblem[] = [];
  const unwritten: FileProblem[] = [];
  let count = 0;
  let isIncomplete = false;

  async function writeBatch(type: ContentType, ids: readonly string[], changes: ChangedDocuments): Promise<void> {
    const works = worksFor(type, ids, changes);
    if (works.length === 0) return;
    const pending = works.flatMap((work) => (work.kind === "write" ? [work.next] : []));
    if (pending.length > 0) await context.storage.write(() => state.addPending(pending));
    const done = works.map((work) => perform(work));
    await context.storage.write(() => {
      for (const store of done) store();
      state.clearPending();
    });
  }

  function worksFor(type: ContentType, ids: readonly string[], changes: ChangedDocuments): Work[] {
    const current = stored.read(type, ids);
    const known = new Map([...state.filesOfDocuments(type.uid, ids).values()].map((file) => [file.documentId, file]));
    return ids.flatMap((documentId) => {
      const file = known.get(documentId);
      const now = current.get(documentId);
      if (!file) return now ? create(type, documentId, now) : [];
      if (held.has(file.path)) return { kind: "hold", known: file };
      if (!now) return { kind: "remove", known: file };
      return update(type, file, now, changes.documents.get(type.uid)?.get(documentId) ?? 0);
    });
  }

  function create(type: ContentType, documentId: string, now: ContentFile): Work {
    const path = `${names.nameOfDocument(type.uid, documentId)}${extensionFor(type)}`;
    // the file of a single type that is not valid yet
    if (folder.stamp(path)) return { kind: "hold", known: undefined };
    const text = printFile(now, formOf(type, path));
    const next = { path, uid: type.uid, documentId, digest: hashContent(text), stored: now, ...SETTLED };
    return { kind: "write", next, known: undefined, text, stamp: undefined };
  }

  function update(type: ContentType, known: SyncedFile, read: ContentFile, changedAt: number): Work {
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
  function perform(work: Work): () => void {
    switch (work.kind) {
      case "keep":
        return () => state.put(work.next);
      case "hold":
        return hold(work.known);
      case "remove":
        return remove(work.known);
      case "write": {
        const { next, known, text, stamp } = work;
        const written = attempt(next.path, () => folder.replace(next.path, text, stamp));
        if (!written) return hold(known);
        count++;
        return () => state.put({ ...next, ...written });
      }
    }
  }

  function hold(known: SyncedFile | undefined): () => void {
    if (!known) isIncomplete = true;
    return () => known && state.markBehind([known.path]);
  }

  function remove(known: SyncedFile): () => void {
    const isRemoved = attempt(known.path, () => {
      const text = folder.read(known.path);
      // it is created again by the next pass
      if (text !== undefined && hashContent(text) !== known.digest) return false;
      folder.remove(known.path);
      return true;
    });
    if (!isRemoved) return hold(known);
    count++;
    return () => state.remove(known.path);
  }

  /** Undefined if the file system refuses. */
  function attempt<T>(file: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      const reason = systemProblem(error);
      if (reason === undefined) throw error;
      unwritten.push({ file, reason: `cannot be written: ${reason}` });
      return undefined;
    }
  }

  const changes = changedDocuments(context, state.sequence);
  const listIds = changedIds(changes, state);
  count += await media.write(listIds(FILE, () => media.all()));
  for (const type of apiTypes(context.model)) {
    const ids = listIds(type.uid, () => listDocumentIds(context, type));
    for (let start = 0; start < ids.length && unwritten.length < MAX_FAILURES; start += BATCH) {
      if (start > 0) await new Promise((resolve) => setImmediate(resolve));
      await writeBatch(type, ids.slice(start, start + BATCH), changes);
    }
  }
  const isComplete = !isIncomplete && unwritten.length === 0;
  if (isComplete && state.sequence !== changes.sequence)
    await context.storage.write(() => state.setSequence(changes.sequence));
  return { written: count, warnings, unwritten };
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
