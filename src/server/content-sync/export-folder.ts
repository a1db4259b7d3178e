/** Exports the content of a database as content files. The same content results in the same bytes. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, type ContentType, contentType } from "../../engine/schema/model.ts";
import { ProjectError } from "../../lib/errors.ts";
import type { Progress } from "../../lib/progress.ts";
import { isAssetName } from "../../transfer/archive/paths.ts";
import { earlierFormat } from "../../transfer/content/earlier/read.ts";
import { CONTENT_FOLDER, extensionFor, formOf, MEDIA_FOLDER } from "../../transfer/content/file-paths.ts";
import { printFile } from "../../transfer/content/file-text.ts";
import { FolderWriter } from "../../transfer/content/folder-writer.ts";
import { localesOf, MANIFEST, readManifest } from "../../transfer/content/manifest.ts";
import { mediaPath, TEXTS_EXTENSION, TEXTS_FORM, textsOfUpload } from "../../transfer/content/media-texts.ts";
import { readDocuments } from "../../transfer/content/read-documents.ts";
import { EntityReader } from "../../transfer/export/entities.ts";
import { LeftOut } from "../../transfer/left-out.ts";
import { EVERYTHING, type Selection } from "../../transfer/selection.ts";
import type { Project } from "../project/project.ts";
import { ContentFolder } from "./folder.ts";
import { SyncNames } from "./names.ts";
import { toProjectError } from "./problems.ts";
import { SyncState } from "./state.ts";
import { ContentSync } from "./sync.ts";

export interface FolderSource {
  readonly context: DocumentsContext;
  /** Undefined if nothing was uploaded. */
  readonly uploadFolder: string | undefined;
}

export interface FolderExport {
  readonly documents: number;
  readonly media: number;
  /** Number of new and changed files. */
  readonly changed: number;
  readonly removed: number;
  /** Messages about content that was not written. */
  readonly leftOut: readonly string[];
}

export interface FolderOptions {
  /** Replace files that were changed since they were written, too. */
  readonly replacesChanges?: boolean;
  /** Names of documents that have no file yet. */
  readonly documentNames?: readonly {
    readonly type: ContentType;
    readonly documentId: string;
    readonly name: string;
  }[];
  /** Paths of media, below their folder, by document id. */
  readonly mediaPaths?: ReadonlyMap<string, string>;
  /** Links to what is left out are left out, too, and so are media without their bytes. */
  readonly selection?: Selection;
  readonly progress?: Progress;
}

/** Paths of media by row id. Adds the files to `writer`. */
function addMedia(
  { context, uploadFolder }: FolderSource,
  { writer, state, given }: { writer: FolderWriter; state: SyncState; given: ReadonlyMap<string, string> },
  leftOut: LeftOut,
): ReadonlyMap<number, string> {
  const synchronised = [...state.filesBelow(`${MEDIA_FOLDER}/`).keys()].map((path) =>
    path.slice(MEDIA_FOLDER.length + 1),
  );
  const taken = new Set([...given.values(), ...synchronised].map((path) => path.toLowerCase()));
  const paths = new Map<number, string>();
  for (const { id, data } of new EntityReader(context).rows(contentType(context.model, FILE))) {
    const diskName = `${data.hash}${data.ext ?? ""}`;
    if (!isAssetName(diskName)) {
      leftOut.add("names", JSON.stringify(diskName));
      continue;
    }
    const source = uploadFolder === undefined ? undefined : join(uploadFolder, diskName);
    if (source === undefined || !statSync(source, { throwIfNoEntry: false })?.isFile()) {
      leftOut.add("files", JSON.stringify(diskName));
      continue;
    }
    const documentId = data.documentId as string;
    const known = given.get(documentId) ?? state.findPath(FILE, documentId)?.slice(MEDIA_FOLDER.length + 1);
    const path = known ?? mediaPath(String(data.name), documentId, (free) => !taken.has(free.toLowerCase()));
    taken.add(path.toLowerCase());
    paths.set(id, path);
    writer.copy(`${MEDIA_FOLDER}/${path}`, source);
    writer.text(`${MEDIA_FOLDER}/${path}${TEXTS_EXTENSION}`, printFile(textsOfUpload(data), TEXTS_FORM));
  }
  return paths;
}

/**
 * Rejects with a ProjectError, and writes nothing, if files were changed since the database has written them. Rejects with errors of
 * the file system; each file has either its old or its new content then.
 */
export async function exportFolder(
  source: FolderSource,
  root: string,
  {
    replacesChanges = false,
    documentNames = [],
    mediaPaths = new Map(),
    selection = EVERYTHING,
    progress,
  }: FolderOptions = {},
): Promise<FolderExport> {
  const { context } = source;
  const { storage, model } = context;
  const state = new SyncState(storage);
  await storage.write(() => state.create());
  const writer = new FolderWriter(root);
  const result = await storage.snapshotReads(async () => {
    const leftOut = new LeftOut();
    const media = selection.has("assets")
      ? addMedia(source, { writer, state, given: mediaPaths }, leftOut)
      : new Map<number, string>();
    const names = new SyncNames(context, state, () => false);
    for (const { type, documentId, name } of documentNames) names.give(type, documentId, name);
    const linkNames = {
      document: (uid: string, documentId: string) =>
        selection.hasType(uid) ? names.nameOfDocument(uid, documentId) : undefined,
      media: (id: number) => media.get(id),
    };
    let documents = 0;
    for (const type of apiTypes(model).filter(({ uid }) => selection.hasType(uid)))
      for (const [id, file] of readDocuments(context, type, undefined, linkNames)) {
        const path = `${names.nameOfDocument(type.uid, id)}${extensionFor(type)}`;
        writer.text(path, printFile(file, formOf(type, path)));
        progress?.("documents", ++documents);
      }
    const { files } = readManifest(root);
    writer.text(MANIFEST, `${JSON.stringify({ ...localesOf(context), files: writer.paths }, null, 2)}\n`);
    return {
      documents,
      media: media.size,
      leftOut: leftOut.lines(),
      ...writer.apply(storage, files, replacesChanges),
    };
  });
  writer.remember(storage);
  return result;
}

/** Whether it is the project's own `content/`, which is kept equal to its database by synchronisation. */
export function isOwnFolder({ root }: Pick<Project, "root">, folder: string): boolean {
  const own = join(root, CONTENT_FOLDER);
  return existsSync(own) && existsSync(folder) && realpathSync(own) === realpathSync(folder);
}

/** Resolves with the number of written files. Rejects with a ProjectError if the folder has an earlier format, or files that are not valid. */
export async function writeOwnFolder(project: Project): Promise<number> {
  const own = join(project.root, CONTENT_FOLDER);
  if (earlierFormat(own, project.context.model) !== undefined)
    throw new ProjectError(CONTENT_FOLDER, undefined, "has the format of an earlier version: galley content migrate");
  const { problems, written } = await new ContentSync(project, new ContentFolder(own), { writes: true }).run();
  if (problems.length > 0) throw toProjectError(problems);
  return written;
}
