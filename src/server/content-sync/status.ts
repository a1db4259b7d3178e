/**
 * What differs between the files of `content/` and the database, and what a synchronisation would refuse. Expects a project that is a
 * copy in memory: the synchronisation is tried there.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, type ContentType, contentType } from "../../engine/schema/model.ts";
import { type Difference, diffFiles } from "../../transfer/content/diff.ts";
import { hashContent } from "../../transfer/content/digest.ts";
import { extensionFor, MEDIA_FOLDER, nameOf } from "../../transfer/content/file-paths.ts";
import { TEXTS_EXTENSION, textsOf } from "../../transfer/content/media-texts.ts";
import type { Project } from "../project/project.ts";
import { changedDocuments, changedIds } from "./changed-documents.ts";
import type { ContentFolder, Listing } from "./folder.ts";
import { MediaRecords } from "./media-records.ts";
import { SyncNames } from "./names.ts";
import { expectNewAttributes } from "./new-attributes.ts";
import type { FileProblem } from "./problems.ts";
import { type FileChanges, readChanges } from "./read-files.ts";
import { StoredDocuments } from "./read-stored.ts";
import { isSameStamp, SyncState } from "./state.ts";
import { ContentSync } from "./sync.ts";
import { listDocumentIds } from "./write-files.ts";

export type ChangeKind = "added" | "changed" | "removed";

export interface ChangedFile {
  /** Below the folder. Of a document without a file: the one that it will have. */
  readonly file: string;
  readonly change: ChangeKind;
  /** Of documents that have changed. */
  readonly differences: readonly Difference[];
}

export interface ContentStatus {
  /** Changes of files that are not in the database. */
  readonly files: readonly ChangedFile[];
  /** Changes of documents that are not in their files. */
  readonly database: readonly ChangedFile[];
  /** Attributes that both changed: the file's values are taken, the database's are in the history. */
  readonly conflicts: readonly { readonly file: string; readonly attributes: readonly string[] }[];
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  /** Why the files were not validated; undefined if they were. */
  readonly waitsFor: string | undefined;
}

/** Changes the project and its database in memory. */
export async function readStatus(project: Project, folder: ContentFolder): Promise<ContentStatus> {
  const { context } = project;
  const state = new SyncState(context.storage);
  if (!state.exists) await context.storage.write(() => state.create());
  const sync = new ContentSync(project, folder, { writes: false });
  await sync.settlePending();
  await context.storage.write(() => expectNewAttributes(state, context.model));
  const listing = folder.list(context.model);
  const changes = await readChanges(folder, state, listing, context.defaultLocale());
  const names = new SyncNames(context, state, (name) => folder.hasName(name));
  for (const { type, documentId, path } of changes.changed)
    if (documentId !== undefined) names.give(type, documentId, nameOf(path));
  const reader = createDatabaseReader(project, state, names);
  const files = [...changesOfDocuments(changes, reader), ...changesOfMedia(folder, state, listing)];
  const isNew = new Set(changes.changed.filter(({ known }) => !known).map(({ path }) => path));
  const database = reader.changes().filter(({ file }) => !isNew.has(file));
  const { problems, warnings, waitsFor } = await sync.run();
  const conflicts = [...state.withConflicts()].map(([file, { conflicts: attributes }]) => ({ file, attributes }));
  return {
    files: files.toSorted(byFile),
    database: database.toSorted(byFile),
    conflicts,
    problems,
    warnings,
    waitsFor,
  };
}

const byFile = (a: ChangedFile, b: ChangedFile): number => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0);

const whole = (file: string, change: ChangeKind): ChangedFile => ({ file, change, differences: [] });

const changesOfDocuments = ({ changed, removed }: FileChanges, reader: DatabaseReader): ChangedFile[] => [
  ...changed.flatMap(({ path, type, documentId, file, known }): ChangedFile[] => {
    const before = known
      ? (known.written ?? known.stored)
      : documentId && reader.stored.read(type, [documentId]).get(documentId);
    if (!before) return [whole(path, "added")];
    const differences = diffFiles(before, file);
    const isRenamed = known !== undefined && known.path !== path;
    return differences.length > 0 || isRenamed ? [{ file: path, change: "changed", differences }] : [];
  }),
  ...removed.map(({ path }) => whole(path, "removed")),
];

/** Of media and of the files beside them. */
function changesOfMedia(folder: ContentFolder, state: SyncState, { media }: Listing): ChangedFile[] {
  const known = state.filesBelow(`${MEDIA_FOLDER}/`);
  const listed = new Map([...media].map(([path, stamp]) => [`${MEDIA_FOLDER}/${path}`, stamp]));
  const kindOf = (path: string): ChangeKind | undefined => {
    const [file, stamp] = [known.get(path), listed.get(path)];
    if (!file) return "added";
    if (!stamp) return "removed";
    const isSame = isSameStamp(file, stamp) || hashContent(readFileSync(join(folder.path, path))) === file.digest;
    return isSame ? undefined : "changed";
  };
  return [...new Set([...known.keys(), ...listed.keys()])].flatMap((path) => {
    const change = kindOf(path);
    return change === undefined ? [] : [whole(path, change)];
  });
}

/** Reads what the database has changed since its changes were in the files. */
function createDatabaseReader(project: Project, state: SyncState, names: SyncNames) {
  const stored = new StoredDocuments(project.context, state, names);
  const listIds = changedIds(changedDocuments(project.context, state.sequence), state);

  function changes(): ChangedFile[] {
    const { model } = project.context;
    return [...apiTypes(model).flatMap((type) => documents(type)), ...media(contentType(model, FILE))];
  }

  const idsOf = (type: ContentType): string[] => listIds(type.uid, () => listDocumentIds(project.context, type));

  function documents(type: ContentType): ChangedFile[] {
    const ids = idsOf(type);
    const current = stored.read(type, ids);
    const known = state.filesOfDocuments(type.uid, ids);
    return ids.flatMap((id): ChangedFile[] => {
      const [file, now] = [known.get(id), current.get(id)];
      if (!now) return file ? [whole(file.path, "removed")] : [];
      if (!file) return [whole(`${names.nameOfDocument(type.uid, id)}${extensionFor(type)}`, "added")];
      const differences = diffFiles(file.stored, now);
      return differences.length > 0 ? [{ file: file.path, change: "changed", differences }] : [];
    });
  }

  function media(type: ContentType): ChangedFile[] {
    const records = new MediaRecords(project);
    return idsOf(type).flatMap((id): ChangedFile[] => {
      const path = state.findPath(FILE, id);
      const record = records.find(id);
      if (!record) return path === undefined ? [] : [whole(path, "removed")];
      if (path === undefined) return [whole(`${MEDIA_FOLDER}/${record.name}`, "added")];
      const textsPath = `${path}${TEXTS_EXTENSION}`;
      const texts = state.files([textsPath]).get(textsPath);
      if (!texts) return [whole(textsPath, "added")];
      const { stored: _, ...before } = texts.stored;
      const now = textsOf(record);
      const differences = diffFiles(before, now);
      // the bytes of the file
      if (differences.length === 0) return now.$updatedAt === before.$updatedAt ? [] : [whole(path, "changed")];
      return [{ file: textsPath, change: "changed", differences }];
    });
  }

  return { changes, stored };
}

type DatabaseReader = ReturnType<typeof createDatabaseReader>;
