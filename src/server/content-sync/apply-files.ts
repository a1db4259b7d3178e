/** Applies changed files to the database: all in one transaction, or none. */
import { insertMissingVersions } from "../../admin/content-manager/snapshot.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { atOnce, inTurns, type WorkInTurns } from "../../lib/in-turns.ts";
import { isRecord } from "../../lib/is-record.ts";
import { mapValues } from "../../lib/records.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";
import { diffFiles } from "../../transfer/content/diff.ts";
import {
  type ChangeProblem,
  ChangesRefusedError,
  type DocumentChange,
} from "../../transfer/content/document-change.ts";
import { formOf, nameOf } from "../../transfer/content/file-paths.ts";
import { lineOfKey } from "../../transfer/content/file-text.ts";
import { mergeFiles } from "../../transfer/content/merge.ts";
import { formatPath } from "../../transfer/content/paths.ts";
import { rebaseFile, sameFiles } from "../../transfer/content/rebase.ts";
import { createHashes, writeDocuments } from "../../transfer/content/write-documents.ts";
import { lastChange } from "./changed-documents.ts";
import { localeWarnings } from "./locale-warnings.ts";
import type { SyncNames } from "./names.ts";
import { conflictProblem, type FileProblem } from "./problems.ts";
import type { ChangedFile, FileChanges } from "./read-files.ts";
import type { StoredDocuments } from "./read-stored.ts";
import type { SyncedFile, SyncState } from "./state.ts";

export interface AppliedFiles {
  /** Documents that were written into the database. */
  readonly applied: number;
  readonly deleted: number;
  /** While there are any, nothing of the files that changed is in the database. */
  readonly problems: readonly FileProblem[];
  /** What is served otherwise than the files say. */
  readonly warnings: readonly FileProblem[];
  /** What files and database had both changed, where the file's value was taken. */
  readonly conflicts: readonly FileProblem[];
}

/** A changed file and the id of its document. */
interface Source {
  readonly item: ChangedFile;
  readonly documentId: string;
}

interface Plan extends Source {
  readonly change: DocumentChange;
  /** As `SyncedFile.conflicts`. */
  readonly conflicts: readonly string[];
}

interface Deletion {
  readonly known: SyncedFile;
  readonly change: DocumentChange;
  /** The database has changes that are deleted, too. */
  readonly isConflict: boolean;
}

export interface ApplyParts {
  readonly context: DocumentsContext;
  readonly state: SyncState;
  readonly names: SyncNames;
  readonly stored: StoredDocuments;
}

/** Documents in one burst from which others are served meanwhile, on a connection of their own. */
const MANY = 50;
/** Documents that are read at a time. */
const BATCH = 50;

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}

const idsOf = (items: readonly { readonly documentId: string }[]): string[] =>
  items.map(({ documentId }) => documentId);

/** With `problems`, nothing is applied, and those of valid files are added. `partsOn`: the parts for another connection to the database. */
export async function applyFiles(
  parts: ApplyParts,
  partsOn: (storage: Storage) => ApplyParts,
  { changed, removed, touched }: FileChanges,
  problems: readonly FileProblem[],
): Promise<AppliedFiles> {
  const nothing = { applied: 0, deleted: 0, problems, warnings: [], conflicts: [] };
  if (changed.length + removed.length + touched.length === 0) return nothing;
  const { context, names } = parts;
  const sources = changed.map((item) => ({ item, documentId: item.documentId ?? context.ids.documentId() }));
  for (const { item, documentId } of sources) names.give(item.type, documentId, nameOf(item.path));
  const hashes = await createHashes(
    context,
    sources.map(({ item, documentId }) => ({ type: item.type, documentId, before: undefined, after: item.file })),
    context.defaultLocale(),
  );
  const apply = function* (parts: ApplyParts): WorkInTurns<AppliedFiles> {
    const { context, state, names } = parts;
    for (const stamp of touched) state.touch(stamp.path, stamp);
    const plans = yield* plansFor(parts, sources);
    const deletions = deletionsOf(parts, removed);
    keepInHistory(context, plans, deletions);
    const changes = plans.map(({ change }) => change);
    const { leftOut, invalid } = yield* writeDocuments(context, changes, names, hashes);
    if (problems.length > 0) throw new ChangesRefusedError([]);
    yield* store(parts, plans);
    // then, so that links to what is deleted are taken out of the files that have just been read, too
    const deleted = deletions.map(({ change }) => change);
    yield* writeDocuments(context, deleted, names, hashes);
    for (const { path } of removed) state.remove(path);
    return {
      applied: plans.length,
      deleted: removed.length,
      problems: [],
      warnings: [...leftOut, ...invalid, ...localeWarnings(changes, localesOf(context))].map((problem) =>
        createProblem(problem, sources),
      ),
      conflicts: [
        ...plans.flatMap(({ item, conflicts }) => conflicts.map((path) => conflictProblem(item.path, path))),
        ...deletions
          .filter(({ isConflict }) => isConflict)
          .map(({ known }) => ({
            file: known.path,
            reason: "was deleted, though the document had changed; it can be restored from its history",
          })),
      ],
    };
  };
  try {
    const isLong = changed.length + removed.length > MANY;
    const beside = isLong ? context.storage.openBeside() : undefined;
    if (!beside) return await context.storage.write(() => atOnce(apply(parts)));
    try {
      return await beside.exclusive(() => inTurns(apply(partsOn(beside))));
    } finally {
      beside.close();
    }
  } catch (error) {
    if (!(error instanceof ChangesRefusedError)) throw error;
    return { ...nothing, problems: [...problems, ...error.problems.map((problem) => createProblem(problem, sources))] };
  }
}

/** What is to be written for each file, given what is in the database now. */
function* plansFor({ stored }: ApplyParts, sources: readonly Source[]): WorkInTurns<Plan[]> {
  const plans: Plan[] = [];
  for (const [type, own] of Map.groupBy(sources, ({ item }) => item.type))
    for (const batch of batches(own)) {
      const current = stored.read(type, idsOf(batch));
      for (const source of batch) plans.push(planFor(source, current.get(source.documentId)));
      yield;
    }
  return plans;
}

/** Keys that hand-written files do not have. */
const INFORMATIONAL: ReadonlySet<string> = new Set(["$id", "$createdAt", "$updatedAt", "$publishedAt"]);

/** `before`: what the database has. */
function planFor(source: Source, before: ContentFile | undefined): Plan {
  const { item, documentId } = source;
  const { type, file, known } = item;
  const plan = (after: ContentFile, conflicts: readonly string[]): Plan => ({
    ...source,
    change: { type, documentId, before, after },
    conflicts,
  });
  // deleted there, and changed in the file
  if (!before) return plan(file, known ? [""] : []);
  // never equal before
  if (!known)
    return plan(
      file,
      diffFiles(before, file)
        .map(({ path }) => path)
        .filter((path) => !INFORMATIONAL.has(String(path.at(-1))))
        .map(formatPath),
    );
  const merged = mergeFiles(known.stored, rebaseFile(known.stored, known.written ?? known.stored, file), before);
  return plan(
    merged.file!,
    merged.conflicts.map(({ path }) => formatPath(path)),
  );
}

const deletionsOf = ({ context, stored }: ApplyParts, removed: readonly SyncedFile[]): Deletion[] =>
  [...Map.groupBy(removed, ({ uid }) => uid)].flatMap(([uid, files]) => {
    const type = context.model.types.get(uid);
    if (!type) return [];
    const current = stored.read(type, idsOf(files));
    return files.flatMap((known) => {
      const { documentId } = known;
      const before = current.get(documentId);
      if (!before) return [];
      const change = { type, documentId, before, after: undefined };
      return [{ known, change, isConflict: !sameFiles(known.stored, before) }];
    });
  });

/** What files replace or delete stays restorable. */
function keepInHistory(context: DocumentsContext, plans: readonly Plan[], deletions: readonly Deletion[]): void {
  const replaced = plans.filter(({ change, conflicts }) => change.before && conflicts.length > 0);
  const all = [...replaced, ...deletions].map(({ change }) => change);
  for (const [type, own] of Map.groupBy(all, (change) => change.type)) {
    for (const locale of type.localized ? localesOf(context) : [null])
      insertMissingVersions(context, type, idsOf(own), locale);
  }
}

const localesOf = ({ storage, model }: DocumentsContext): string[] =>
  storage.all(`SELECT code FROM ${quote(contentType(model, LOCALE).table)}`).map(([code]) => code as string);

/** Stores what the database says after the write as the state that it has in common with the files. */
function* store({ context, state, stored: documents }: ApplyParts, plans: readonly Plan[]): WorkInTurns<void> {
  const appliedAt = lastChange(context.storage);
  const renamed = new Map(
    plans.flatMap(({ item: { path, known } }) =>
      known && known.path !== path ? [[nameOf(path), nameOf(known.path)]] : [],
    ),
  );
  for (const [type, all] of Map.groupBy(plans, ({ change }) => change.type))
    for (const own of batches(all)) {
      const current = documents.read(type, idsOf(own));
      yield;
      for (const { item, documentId, change, conflicts } of own) {
        const { path, size, modified, inode, digest, file, known } = item;
        const now = current.get(documentId)!;
        // without what only the database had changed: that is to be written into the file
        const others = known && change.before ? rebaseFile(now, change.before, known.stored) : now;
        // with the earlier names of renamed files, which the file may have: these are to be replaced
        const stored = renamed.size > 0 ? (replaceNames(others, renamed) as ContentFile) : others;
        const isSame = sameFiles(stored, file);
        state.put({
          ...{ path, uid: type.uid, documentId, digest, size, modified, inode, stored, conflicts, appliedAt },
          written: isSame ? undefined : file,
          isBehind: !isSame || !sameFiles(stored, now),
        });
      }
    }
}

function replaceNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => replaceNames(item, names));
  return isRecord(value) ? mapValues(value, (item) => replaceNames(item, names)) : value;
}

function createProblem({ change, path, reason }: ChangeProblem, sources: readonly Source[]): FileProblem {
  const key = path.join(".") || undefined;
  const source = sources.find(({ documentId, item }) => documentId === change.documentId && item.type === change.type);
  if (!source) return { file: `${change.type.pluralName}/${change.documentId}`, key, reason };
  const { path: file, text, type } = source.item;
  const line = path.length > 0 ? lineOfKey(text, formOf(type, file), path) : undefined;
  return { file, line, key, reason };
}
