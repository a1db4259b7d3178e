/**
 * Keeps the files of `content/` and the database equal, in both directions. What both changed since they were last equal is merged
 * attribute by attribute; where both changed the same one, the file's value is taken and the database's stays in the history.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { recordMissingVersions } from "../../admin/content-manager/snapshot.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE, LOCALE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, type ContentType, contentType } from "../../engine/schema/model.ts";
import { enableChangeLog, lastSequence } from "../../engine/storage/change-log/change-log.ts";
import { changesSince } from "../../engine/storage/change-log/changes-since.ts";
import { quote } from "../../engine/storage/quote.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";
import { lineOfKey, printFile } from "../../transfer/content/file-text.ts";
import { mergeFiles } from "../../transfer/content/merge.ts";
import { formatPath } from "../../transfer/content/paths.ts";
import { readDocuments } from "../../transfer/content/read-documents.ts";
import { rebaseFile, sameFiles } from "../../transfer/content/rebase.ts";
import {
  type ChangeProblem,
  ChangesRefusedError,
  type DocumentChange,
  hashesOf,
  writeDocuments,
} from "../../transfer/content/write-documents.ts";
import type { Project } from "../project/project.ts";
import { bodyOf, type ContentFolder, digestOf, formOf, nameOf } from "./folder.ts";
import { MediaSync } from "./media.ts";
import { SyncNames } from "./names.ts";
import type { FileProblem } from "./problems.ts";
import { type ChangedFile, type FileChanges, readChanges } from "./read-files.ts";
import { type SyncedFile, SyncState } from "./state.ts";

export interface SyncOptions {
  /** Whether files may be written; otherwise they are only read. */
  readonly writes: boolean;
  /** Apply deletions of more than a third of a type, too. */
  readonly deletesMany?: boolean;
}

export interface SyncResult {
  /** Documents that were written into the database. */
  readonly applied: number;
  readonly deleted: number;
  /** Numbers of documents of changed files, by content-type uid. */
  readonly documents: ReadonlyMap<string, number>;
  /** Number of media files that were changed. */
  readonly media: number;
  /** Files that were written or removed. */
  readonly written: number;
  /** While there are any, nothing of the files that changed is in the database. */
  readonly problems: readonly FileProblem[];
  /** What is served otherwise than the files say. */
  readonly warnings: readonly FileProblem[];
  /** The folder is being changed by git. */
  readonly waits: boolean;
}

/** Fewer deletions than this need no confirmation. */
const FEW = 3;
const MAX_DELETED_SHARE = 1 / 3;
/** Documents that are read from the database at a time. */
const BATCH = 500;
/** Files that are written before others get a turn. */
const WRITES = 50;

const nothing = {
  applied: 0,
  deleted: 0,
  documents: new Map<string, number>(),
  media: 0,
  written: 0,
  problems: [],
  warnings: [],
  waits: false,
} as const satisfies SyncResult;

/** Whether git is changing the working tree that contains a folder. */
function isGitBusy(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git", "index.lock"))) return true;
    if (existsSync(join(folder, ".git")) || folder === dirname(folder)) return false;
  }
}

/** One synchronisation of a project. */
export class ContentSync {
  readonly #context: DocumentsContext;
  readonly #folder: ContentFolder;
  readonly #state: SyncState;
  readonly #options: SyncOptions;
  readonly #names: SyncNames;
  readonly #media: MediaSync;

  constructor(project: Project, folder: ContentFolder, options: SyncOptions) {
    this.#context = project.context;
    this.#folder = folder;
    this.#state = new SyncState(project.context.storage);
    this.#options = options;
    this.#names = new SyncNames(project.context, this.#state);
    this.#media = new MediaSync(project, folder, this.#state);
  }

  /** Rejects with errors of the file system and the database; files and database are as they were, or further on. */
  async run(): Promise<SyncResult> {
    if (isGitBusy(this.#folder.path)) return { ...nothing, waits: true };
    const isFirst = !this.#state.exists;
    if (isFirst) await this.#context.storage.write(() => this.#state.create());
    // a project in memory writes no files
    if (this.#options.writes) enableChangeLog(this.#context.storage);
    const listing = this.#folder.list(this.#context.model);
    const changes = await readChanges(this.#folder, this.#state, listing);
    const strays = listing.strays.map((file) => ({ file, reason: "is named after no content-type" }));
    const media = await this.#media.apply(listing);
    const gone = [...changes.removed, ...media.removed];
    const problems = [...media.problems, ...changes.problems, ...this.#massDeletions(gone)];
    for (const { file } of problems) {
      const type = listing.documents.get(file)?.type;
      if (type) this.#names.giveAbsent(type, nameOf(file));
    }
    const applied = await this.#apply(changes, problems);
    const found = applied.problems;
    if (found.length === 0) await this.#media.remove(media.removed);
    const held = found.length > 0 ? heldPaths(changes) : new Set<string>();
    const written = this.#options.writes ? await this.#writeFiles(isFirst, held) : 0;
    return {
      applied: media.applied + applied.applied,
      documents: applied.applied > 0 ? countByType(changes.changed) : nothing.documents,
      media: media.applied,
      deleted: found.length > 0 ? 0 : applied.deleted + media.removed.length,
      written,
      problems: found,
      warnings: [...strays, ...applied.warnings],
      waits: false,
    };
  }

  #massDeletions(removed: readonly SyncedFile[]): FileProblem[] {
    if (this.#options.deletesMany) return [];
    const counts = this.#state.counts();
    return [...Map.groupBy(removed, ({ uid }) => uid)].flatMap(([uid, files]) => {
      const all = counts.get(uid) ?? 0;
      if (files.length < FEW || files.length <= all * MAX_DELETED_SHARE) return [];
      const type = this.#context.model.types.get(uid);
      return [
        {
          file: files[0]!.path,
          reason: `and ${files.length - 1} more of ${all} files of ${type?.pluralName ?? uid} are gone: "galley content apply --yes" deletes their documents`,
        },
      ];
    });
  }

  /** Applies changed files in one transaction, or none of them if there are problems, to which those of valid files are added. */
  async #apply(
    changes: FileChanges,
    problems: readonly FileProblem[],
  ): Promise<Pick<SyncResult, "applied" | "deleted" | "problems" | "warnings">> {
    const { storage } = this.#context;
    const { changed, removed, touched } = changes;
    if (changed.length + removed.length + touched.length === 0) return { ...nothing, problems };
    const sources = changed.map((item) => this.#sourceOf(item));
    for (const { item, documentId } of sources) this.#names.give(item.type, documentId, nameOf(item.path));
    await this.#recordReplaced(sources, removed);
    const hashes = await hashesOf(
      this.#context,
      sources.map(({ item, documentId }) => ({ type: item.type, documentId, before: undefined, after: item.file })),
      this.#context.defaultLocale(),
    );
    try {
      const told = await storage.write(() => {
        for (const stamp of touched) this.#state.touch(stamp.path, stamp);
        const plans = this.#plans(sources);
        const deletions = this.#deletions(removed);
        const result = writeDocuments(
          this.#context,
          [...plans.map(({ change }) => change), ...deletions],
          this.#names,
          hashes,
        );
        if (problems.length > 0) throw new ChangesRefusedError([]);
        for (const { path } of removed) this.#state.remove(path);
        this.#store(plans);
        return [...result.unknownKeys, ...result.invalid];
      });
      const warnings = told.map((problem) => problemOf(problem, sources));
      return { applied: sources.length, deleted: removed.length, problems: [], warnings };
    } catch (error) {
      if (!(error instanceof ChangesRefusedError)) throw error;
      const refused = error.problems.map((problem) => problemOf(problem, sources));
      return { applied: 0, deleted: 0, problems: [...problems, ...refused], warnings: [] };
    }
  }

  #sourceOf(item: ChangedFile): Source {
    return { item, documentId: item.documentId ?? this.#context.ids.documentId() };
  }

  /** What others have written since goes into the history, before files replace it. */
  async #recordReplaced(sources: readonly Source[], removed: readonly SyncedFile[]): Promise<void> {
    const { model } = this.#context;
    const { documents, types } = this.#changedSince(false);
    const isChanged = new Set(documents.map(({ uid, documentId }) => `${uid} ${documentId}`));
    const both = sources
      .map(({ item, documentId }) => ({ uid: item.type.uid, documentId }))
      .filter(({ uid, documentId }) => types.has(uid) || isChanged.has(`${uid} ${documentId}`));
    const all = [...both, ...removed];
    for (const [uid, items] of Map.groupBy(all, (item) => item.uid)) {
      const type = model.types.get(uid);
      if (!type || type.plugin !== undefined) continue;
      const ids = items.map(({ documentId }) => documentId);
      const locales = type.localized ? localesIn(this.#context) : [null];
      for (const locale of locales) await recordMissingVersions(this.#context, type, ids, locale);
    }
  }

  /** What has changed in the database since its last changes were in the files. */
  #changedSince(isFirst: boolean): ChangedDocuments {
    const { storage, model } = this.#context;
    if (!this.#options.writes) return { documents: [], types: new Set(), sequence: 0 };
    const documents: { uid: string; documentId: string }[] = [];
    const types = new Set<string>();
    let sequence = this.#state.sequence;
    for (let hasMore = !isFirst; hasMore; ) {
      const changes = changesSince(storage, sequence);
      if (!changes) return { documents: [], types: new Set(model.types.keys()), sequence: lastSequence(storage) };
      for (const { type, documentId } of changes.documents) documents.push({ uid: type, documentId });
      for (const type of changes.types) types.add(type);
      ({ sequence, hasMore } = changes);
    }
    return isFirst
      ? { documents, types: new Set(model.types.keys()), sequence: lastSequence(storage) }
      : { documents, types, sequence };
  }

  #read(type: ContentType, ids: readonly string[] | undefined): ReadonlyMap<string, ContentFile> {
    return readDocuments(this.#context, type, ids, {
      document: (uid, documentId) => this.#names.nameOfDocument(uid, documentId),
      media: (id) => this.#names.nameOfMedia(id),
    });
  }

  /** What is to be written for each file, given what is in the database now. */
  #plans(sources: readonly Source[]): Plan[] {
    return [...Map.groupBy(sources, ({ item }) => item.type)].flatMap(([type, own]) => {
      const stored = this.#read(
        type,
        own.map(({ documentId }) => documentId),
      );
      return own.map((source) => planOf(source, stored.get(source.documentId)));
    });
  }

  #deletions(removed: readonly SyncedFile[]): DocumentChange[] {
    const { model } = this.#context;
    return [...Map.groupBy(removed, ({ uid }) => uid)].flatMap(([uid, files]) => {
      const type = model.types.get(uid);
      if (!type) return [];
      const stored = this.#read(
        type,
        files.map(({ documentId }) => documentId),
      );
      return files.flatMap(({ documentId }) => {
        const before = stored.get(documentId);
        return before ? [{ type, documentId, before, after: undefined }] : [];
      });
    });
  }

  /** Stores what the database says after the write as the state that it has in common with the files. */
  #store(plans: readonly Plan[]): void {
    for (const [type, own] of Map.groupBy(plans, ({ change }) => change.type)) {
      const current = this.#read(
        type,
        own.map(({ change }) => change.documentId),
      );
      for (const { source, change, conflicts } of own) {
        const { path, size, modified, inode, digest, file, known } = source.item;
        const now = current.get(change.documentId)!;
        // without what only the database had changed: that is to be written into the file
        const stored = known && change.before ? rebaseFile(now, change.before, known.stored) : now;
        const isSame = sameFiles(stored, file);
        this.#state.put({
          path,
          uid: type.uid,
          documentId: change.documentId,
          digest,
          size,
          modified,
          inode,
          stored,
          written: isSame ? undefined : file,
          isBehind: !isSame || !sameFiles(stored, now),
          conflicts,
        });
      }
    }
  }

  /** Brings what has changed in the database into its files. Returns the number of files. */
  async #writeFiles(isFirst: boolean, held: ReadonlySet<string>): Promise<number> {
    const { storage, model } = this.#context;
    const behind = this.#state.behind();
    if (!isFirst && lastSequence(storage) === this.#state.sequence && behind.size === 0) return 0;
    const { documents, types, sequence } = this.#changedSince(isFirst);
    const byType = Map.groupBy([...documents, ...behind.values()], ({ uid }) => uid);
    // of a whole type, documents that are gone, too
    const idsOf = (uid: string, all: () => readonly string[]): string[] => {
      const ids = byType.get(uid)?.map(({ documentId }) => documentId) ?? [];
      return [...new Set(types.has(uid) ? [...ids, ...all(), ...this.#state.documentsOf(uid)] : ids)];
    };
    const media = await this.#media.write(idsOf(FILE, () => this.#media.all()));
    const works: FileWork[] = [];
    for (const type of apiTypes(model)) {
      const ids = idsOf(type.uid, () => documentIdsOf(this.#context, type));
      for (let start = 0; start < ids.length; start += BATCH)
        works.push(...this.#fileWorks(type, ids.slice(start, start + BATCH), held));
    }
    for (const [index, work] of works.entries()) {
      if (index % WRITES === WRITES - 1) await new Promise((resolve) => setImmediate(resolve));
      this.#write(work);
    }
    await storage.write(() => {
      for (const work of works) this.#keep(work);
      this.#state.sequence = sequence;
    });
    return media + works.filter(({ text, removes }) => text !== undefined || removes).length;
  }

  #fileWorks(type: ContentType, ids: readonly string[], held: ReadonlySet<string>): FileWork[] {
    const stored = this.#read(type, ids);
    const known = new Map(
      [...this.#state.filesOfDocuments(type.uid, ids).values()].map((file) => [file.documentId, file]),
    );
    return ids.flatMap((documentId) => {
      const file = known.get(documentId);
      const now = stored.get(documentId);
      if (file && held.has(file.path)) return [heldWork(type, file)];
      return this.#fileWork(type, documentId, file, now) ?? [];
    });
  }

  #fileWork(
    type: ContentType,
    documentId: string,
    known: SyncedFile | undefined,
    now: ContentFile | undefined,
  ): FileWork | undefined {
    if (!now) return known && { type, documentId, known, removes: true };
    if (!known) {
      const path = `${this.#names.nameOfDocument(type.uid, documentId)}${extensionFor(type)}`;
      const form = formOf(type, path);
      // a file of another document, or one that is not valid yet
      if (this.#folder.stamp(path)) return undefined;
      return { type, documentId, path, file: now, now, text: printFile(now, form), removes: false };
    }
    const { path, stored, written } = known;
    const said = written ?? stored;
    const file = withIdentity(rebaseFile(said, stored, now), now);
    if (sameFiles(file, said)) return { type, documentId, known, path, file: said, now, removes: false };
    const text = this.#folder.read(path);
    // it has changed since it was read: the next pass merges it
    if (text === undefined || digestOf(text) !== known.digest)
      return { type, documentId, known, removes: false, isHeld: true };
    return {
      type,
      documentId,
      known,
      path,
      file,
      now,
      text: printFile(file, formOf(type, path), text),
      removes: false,
    };
  }

  #write(work: FileWork): void {
    const { known, path, text, removes } = work;
    if (removes && known) {
      const current = this.#folder.read(known.path);
      if (current !== undefined && digestOf(current) === known.digest) this.#folder.remove(known.path);
    } else if (path !== undefined && text !== undefined) work.stamp = this.#folder.write(path, text);
  }

  #keep({ type, documentId, known, path, file, now, text, removes, isHeld, stamp }: FileWork): void {
    if (isHeld && known) this.#state.markBehind([known.path]);
    else if (removes && known) this.#state.remove(known.path);
    else if (path !== undefined && file && now) {
      const { size, modified, inode } = stamp ?? known!;
      this.#state.put({
        path,
        uid: type.uid,
        documentId,
        digest: text === undefined ? known!.digest : digestOf(text),
        size,
        modified,
        inode,
        stored: now,
        written: sameFiles(file, now) ? undefined : file,
        isBehind: false,
        conflicts: text === undefined ? (known?.conflicts ?? []) : [],
      });
    }
  }
}

interface ChangedDocuments {
  readonly documents: readonly { readonly uid: string; readonly documentId: string }[];
  /** Uids of types of which any document may have changed. */
  readonly types: ReadonlySet<string>;
  /** The last change among these. */
  readonly sequence: number;
}

interface Source {
  readonly item: ChangedFile;
  readonly documentId: string;
}

interface Plan {
  readonly source: Source;
  readonly change: DocumentChange;
  /** Paths of attributes. */
  readonly conflicts: readonly string[];
}

/** What is done with the file of a document that has changed in the database. */
interface FileWork {
  readonly type: ContentType;
  readonly documentId: string;
  readonly known?: SyncedFile | undefined;
  readonly path?: string;
  /** What the file says from now on. */
  readonly file?: ContentFile;
  /** What the database says. */
  readonly now?: ContentFile;
  /** Undefined: the file stays as it is. */
  readonly text?: string;
  readonly removes: boolean;
  /** It waits until the file can be read. */
  readonly isHeld?: boolean;
  stamp?: Pick<SyncedFile, "size" | "modified" | "inode">;
}

const countByType = (files: readonly ChangedFile[]): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(files, ({ type }) => type.uid)].map(([uid, own]) => [uid, own.length]));

const heldWork = (type: ContentType, known: SyncedFile): FileWork => ({
  type,
  documentId: known.documentId,
  known,
  removes: false,
  isHeld: true,
});

const heldPaths = ({ changed, removed, problems }: FileChanges): ReadonlySet<string> =>
  new Set([
    ...changed.flatMap(({ path, known }) => (known ? [path, known.path] : [path])),
    ...removed.map(({ path }) => path),
    ...problems.map(({ file }) => file),
  ]);

function planOf(source: Source, before: ContentFile | undefined): Plan {
  const { item, documentId } = source;
  const { type, file, known } = item;
  const change = (after: ContentFile): DocumentChange => ({ type, documentId, before, after });
  if (!known || !before) return { source, change: change(file), conflicts: [] };
  const said = known.written ?? known.stored;
  const merged = mergeFiles(known.stored, rebaseFile(known.stored, said, file), before);
  return { source, change: change(merged.file!), conflicts: merged.conflicts.map(({ path }) => formatPath(path)) };
}

const problemOf = ({ change, path, reason }: ChangeProblem, sources: readonly Source[]): FileProblem => {
  const source = sources.find(({ documentId, item }) => documentId === change.documentId && item.type === change.type);
  if (!source)
    return { file: `${change.type.pluralName}/${change.documentId}`, key: path.join(".") || undefined, reason };
  const { path: file, text, type } = source.item;
  return {
    file,
    line: path.length > 0 ? lineOfKey(text, formOf(type, file), path) : undefined,
    key: path.join(".") || undefined,
    reason,
  };
};

const documentIdsOf = ({ storage }: DocumentsContext, { table }: ContentType): string[] =>
  storage.all(`SELECT DISTINCT document_id FROM ${quote(table)} ORDER BY document_id`).map(([id]) => id as string);

const localesIn = ({ storage, model }: DocumentsContext): string[] =>
  storage.all(`SELECT code FROM ${quote(contentType(model, LOCALE).table)}`).map(([code]) => code as string);

const extensionFor = (type: ContentType): string => (bodyOf(type) === undefined ? ".yaml" : ".md");

/** With the keys that are written into a new file once. */
const withIdentity = (file: ContentFile, now: ContentFile): ContentFile => ({
  ...file,
  $id: now.$id!,
  ...(file.$createdAt === undefined && now.$createdAt !== undefined ? { $createdAt: now.$createdAt } : {}),
  ...(file.$publishedAt === undefined && now.$publishedAt !== undefined ? { $publishedAt: now.$publishedAt } : {}),
});
