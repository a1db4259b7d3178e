/**
 * Keeps the files of `content/` and the database equal, in both directions. What both changed since they were last equal is merged
 * attribute by attribute; where both changed the same one, the file's value is taken and the database's stays in the history.
 */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { enableChangeLog } from "../../engine/storage/change-log/change-log.ts";
import { tendLog } from "../../engine/storage/change-log/upkeep.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { inTurns, type WorkInTurns } from "../../lib/in-turns.ts";
import { hashContent } from "../../transfer/content/digest.ts";
import { MEDIA_FOLDER, nameOf } from "../../transfer/content/file-paths.ts";
import type { Project } from "../project/project.ts";
import { type AppliedFiles, type ApplyParts, applyFiles } from "./apply-files.ts";
import type { ContentFolder, Listing, SomeFiles } from "./folder.ts";
import { gitActivity } from "./git.ts";
import { lockPass } from "./lock.ts";
import { MediaRecords, type MediaSync } from "./media-records.ts";
import { SyncNames } from "./names.ts";
import { expectNewAttributes } from "./new-attributes.ts";
import { warnOfNames } from "./portable-names.ts";
import type { FileProblem } from "./problems.ts";
import { type ChangedFile, type FileChanges, readChanges } from "./read-files.ts";
import { applyMedia, NO_MEDIA, removeMedia } from "./read-media.ts";
import { StoredDocuments } from "./read-stored.ts";
import { type SyncedFile, SyncState } from "./state.ts";
import { type WrittenFiles, writeFiles } from "./write-files.ts";

/** States that are read at a time: all would need as much memory as the content. */
const BATCH = 200;
const TEXT = /"((?:[^"\\]|\\.)*)"/g;

/** `renamed`: the earlier names. Returns paths. */
function* filesThatLinkTo(state: SyncState, renamed: readonly string[]): WorkInTurns<string[]> {
  const names = new Set(renamed.map((name) => JSON.stringify(name)));
  const linking: string[] = [];
  for (let after = ""; names.size > 0; ) {
    const states = state.statesAfter(after, BATCH);
    for (const [path, text] of states)
      if (text.matchAll(TEXT).some(([quoted]) => names.has(quoted))) linking.push(path);
    const last = states.at(-1);
    if (!last) break;
    [after] = last;
    yield;
  }
  return linking;
}

export interface SyncOptions {
  /** Whether files may be written; otherwise they are only read. */
  readonly writes: boolean;
  /** Apply deletions of more than a third of a type, too. */
  readonly deletesMany?: boolean;
  /** Whether to wait no longer for another process, which may be suspended. */
  readonly isStopped?: () => boolean;
}

export interface SyncResult extends AppliedFiles, WrittenFiles {
  /** Numbers of documents of changed files, by content-type uid. */
  readonly documents: ReadonlyMap<string, number>;
  /** Number of media files that were changed. */
  readonly media: number;
  /** Why the folder was not looked at; undefined if it was. */
  readonly waitsFor: string | undefined;
  /** With `problems`: what is to be looked at again with the next change; undefined: all. */
  readonly held: ReadonlySet<string> | undefined;
}

/** Fewer deletions than this need no confirmation. */
const FEW = 3;
const MAX_DELETED_SHARE = 1 / 3;

const nothing: SyncResult = {
  applied: 0,
  deleted: 0,
  documents: new Map(),
  media: 0,
  written: 0,
  problems: [],
  warnings: [],
  conflicts: [],
  unwritten: [],
  waitsFor: undefined,
  held: undefined,
};

/** One synchronisation of a project. */
export class ContentSync {
  readonly #context: DocumentsContext;
  readonly #folder: ContentFolder;
  readonly #state: SyncState;
  readonly #options: SyncOptions;
  readonly #names: SyncNames;
  readonly #media: MediaSync;
  readonly #stored: StoredDocuments;

  constructor(project: Project, folder: ContentFolder, options: SyncOptions) {
    this.#context = project.context;
    this.#folder = folder;
    this.#state = new SyncState(project.context.storage);
    this.#options = options;
    this.#names = new SyncNames(project.context, this.#state, (name) => folder.hasName(name));
    const records = new MediaRecords(project);
    this.#media = { context: project.context, records, folder, state: this.#state };
    this.#stored = new StoredDocuments(project.context, this.#state, this.#names);
  }

  /**
   * Looks at all files, or at those of `paths`: the others are as they were. Changes of the database are written into any file; one that
   * has changed itself waits for a pass that reads it. Rejects with errors of the file system and the database; files and database are as
   * they were, or further on.
   */
  async run(paths?: ReadonlySet<string>): Promise<SyncResult> {
    const { isStopped } = this.#options;
    using _ = await lockPass(this.#context.storage, isStopped);
    if (isStopped?.()) return { ...nothing, waitsFor: "another process reads or writes them" };
    return await this.#pass(paths);
  }

  async #pass(paths?: ReadonlySet<string>): Promise<SyncResult> {
    const activity = gitActivity(this.#folder.path);
    if (activity !== undefined) return { ...nothing, waitsFor: activity };
    const { storage, model, clock } = this.#context;
    const isFirst = !this.#state.exists;
    if (isFirst) await storage.write(() => this.#state.create());
    // a project in memory writes no files
    if (this.#options.writes) {
      enableChangeLog(storage);
      tendLog(storage, clock);
    }
    await this.settlePending();
    const some = isFirst ? undefined : paths && this.#folder.listSome(model, paths);
    if (!some) await storage.write(() => expectNewAttributes(this.#state, model));
    const listing = some ?? (await inTurns(this.#folder.listing(model)));
    if (this.#options.writes) this.#folder.removeParts();
    const vanished = some ? undefined : this.#vanished(listing as Listing);
    if (vanished) return { ...nothing, problems: [vanished], warnings: listing.strays };
    const changes = await readChanges(this.#folder, this.#state, listing, this.#context.defaultLocale(), some && paths);
    // whether they are too many depends on all files
    if (some && changes.removed.length >= FEW) return this.#pass();
    // a checkout that has begun in the meantime is not applied by halves
    const begun = gitActivity(this.#folder.path);
    if (begun !== undefined) return { ...nothing, waitsFor: begun };
    const result = await this.#exchange(listing, changes);
    if (!isFirst) return result;
    const media = [...(listing.media?.keys() ?? [])].map((path) => `${MEDIA_FOLDER}/${path}`);
    return { ...result, warnings: [...warnOfNames([...listing.documents.keys(), ...media]), ...result.warnings] };
  }

  async #exchange(listing: SomeFiles, changes: FileChanges): Promise<SyncResult> {
    const { storage } = this.#context;
    const media = listing.media ? await applyMedia(this.#media, listing.media) : NO_MEDIA;
    const gone = [...changes.removed, ...media.removed];
    const problems = [...media.problems, ...changes.problems, ...this.#massDeletions(gone)];
    for (const { file } of problems) {
      const type = listing.documents.get(file)?.type;
      if (type) this.#names.giveAbsent(type, nameOf(file));
    }
    const parts = { context: this.#context, state: this.#state, names: this.#names, stored: this.#stored };
    const applied = await applyFiles(parts, (beside) => this.#partsOn(beside), changes, problems);
    const isApplied = applied.problems.length === 0;
    if (isApplied) await removeMedia(this.#media, media.removed);
    const renamed = isApplied ? changes.changed.flatMap(earlierNames) : [];
    // media are applied whatever the files of documents say
    const linking = await inTurns(filesThatLinkTo(this.#state, [...renamed, ...media.renamed]));
    if (linking.length > 0) await storage.write(() => this.#state.markBehind(linking));
    const held = isApplied ? new Set<string>() : heldPaths(changes, problems);
    const { written, warnings, unwritten }: WrittenFiles = this.#options.writes
      ? await writeFiles({ ...parts, folder: this.#folder, media: this.#media }, held)
      : { written: 0, warnings: [], unwritten: [] };
    return {
      applied: media.applied + applied.applied,
      documents: applied.applied > 0 ? countByType(changes.changed) : nothing.documents,
      media: media.applied,
      deleted: isApplied ? applied.deleted + media.removed.length : 0,
      written,
      problems: applied.problems,
      warnings: [...listing.strays, ...applied.warnings, ...this.#stored.unreadable, ...warnings],
      conflicts: applied.conflicts,
      unwritten,
      waitsFor: undefined,
      held,
    };
  }

  #partsOn(storage: Storage): ApplyParts {
    const context: DocumentsContext = { ...this.#context, storage, reports: undefined };
    const state = new SyncState(storage);
    const names = this.#names.on(context, state);
    return { context, state, names, stored: new StoredDocuments(context, state, names, this.#stored) };
  }

  /** Files that a killed process has written are no changes. */
  async settlePending(): Promise<void> {
    const pending = this.#state.pending();
    if (pending.length === 0) return;
    const written = pending.flatMap((file) => {
      const stamp = this.#folder.stamp(file.path);
      const text = stamp && this.#folder.read(file.path);
      return text !== undefined && hashContent(text) === file.digest ? [{ ...file, ...stamp! }] : [];
    });
    await this.#context.storage.write(() => {
      for (const file of written) this.#state.put(file);
      this.#state.clearPending();
    });
  }

  /** A drive that is not mounted is not a deletion of everything. */
  #vanished({ documents, media, strays }: Listing): FileProblem | undefined {
    const known = [...this.#state.counts().values()].reduce((sum, count) => sum + count, 0);
    if (this.#options.deletesMany || known < FEW || documents.size + media.size + strays.length > 0) return undefined;
    return {
      file: "",
      reason: `is empty; it had ${known} files: "galley content apply --yes" deletes their documents`,
    };
  }

  #massDeletions(removed: readonly SyncedFile[]): FileProblem[] {
    if (this.#options.deletesMany) return [];
    const counts = this.#state.counts();
    return [...Map.groupBy(removed, ({ uid }) => uid)].flatMap(([uid, files]) => {
      const all = counts.get(uid) ?? 0;
      const type = this.#context.model.types.get(uid);
      // of a type that is gone, no documents are deleted
      if (!type || files.length < FEW || files.length <= all * MAX_DELETED_SHARE) return [];
      return [
        {
          file: files[0]!.path,
          reason: `and ${files.length - 1} more of ${all} files of ${type.pluralName} are gone: "galley content apply --yes" deletes their documents`,
        },
      ];
    });
  }
}

const earlierNames = ({ path, known }: ChangedFile): string[] =>
  known && known.path !== path ? [nameOf(known.path)] : [];

const countByType = (files: readonly ChangedFile[]): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(files, ({ type }) => type.uid)].map(([uid, own]) => [uid, own.length]));

const heldPaths = ({ changed, removed }: FileChanges, problems: readonly FileProblem[]): ReadonlySet<string> =>
  new Set([
    ...changed.flatMap(({ path, known }) => (known ? [path, known.path] : [path])),
    ...removed.map(({ path }) => path),
    ...problems.map(({ file }) => file),
  ]);
