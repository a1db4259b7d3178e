/** Exports the content of a database as files for version control. The same content results in the same bytes. */
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/quote.ts";
import { ProjectError } from "../../lib/errors.ts";
import { isAssetName } from "../archive/paths.ts";
import { assetsOf } from "../export/assets.ts";
import type { ExportSource } from "../export/export-archive.ts";
import { LeftOut } from "../left-out.ts";
import { DocumentReader } from "./documents.ts";
import { documentNames } from "./file-names.ts";
import { digestFile, digestText, type FolderState, storedFolderState, storeFolderState } from "./folder-state.ts";
import { folderOf, formatJson, MANIFEST, type Manifest, MEDIA_FOLDER } from "./format.ts";
import { readManifest } from "./manifest.ts";

export interface FilesResult {
  readonly documents: number;
  readonly media: number;
  /** Number of new and changed files. */
  readonly changed: number;
  readonly removed: number;
  /** Messages about content that was not written. */
  readonly leftOut: readonly string[];
}

/** Maximum number of changed files in a message. */
const MAX_LISTED = 30;

/** Plans the files of an export, so that nothing is written if files that were changed would be lost. */
class FolderWriter {
  readonly #root: string;
  readonly #writes = new Map<string, (file: string) => void>();
  readonly #digests = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  get paths(): string[] {
    return [...this.#writes.keys()].sort();
  }

  text(path: string, content: string): void {
    this.#writes.set(path, (file) => writeFileSync(file, content));
    this.#digests.set(path, digestText(content));
  }

  copy(path: string, from: string): void {
    this.#writes.set(path, (file) => copyFileSync(from, file));
    this.#digests.set(path, digestFile(from)!);
  }

  /**
   * Writes files that are new or different, and removes those of `earlier`, an earlier export, that this one does not have. Throws a
   * ProjectError if one of these differs from `known`, and writes nothing then.
   */
  apply(earlier: readonly string[], known: FolderState | undefined): { changed: number; removed: number } {
    const present = new Map([...this.paths, ...earlier].map((path) => [path, digestFile(join(this.#root, path))]));
    const changed = this.paths.filter((path) => present.get(path) !== this.#digests.get(path));
    const removed = earlier.filter((path) => !this.#writes.has(path) && present.get(path) !== undefined);
    const lost = [...changed, ...removed].filter(
      (path) => known && present.get(path) !== undefined && present.get(path) !== known[path],
    );
    if (lost.length > 0) throw lostChanges(lost);
    for (const path of changed) this.#write(path);
    for (const path of removed) rmSync(join(this.#root, path), { force: true });
    return { changed: changed.length, removed: removed.length };
  }

  #write(path: string): void {
    const file = join(this.#root, path);
    mkdirSync(dirname(file), { recursive: true });
    const partFile = `${file}.${process.pid}.part`;
    try {
      this.#writes.get(path)!(partFile);
      renameSync(partFile, file);
    } catch (error) {
      rmSync(partFile, { force: true });
      throw error;
    }
  }

  get state(): FolderState {
    return Object.fromEntries(this.#digests);
  }
}

const lostChanges = (paths: readonly string[]): ProjectError =>
  new ProjectError([
    ...paths.slice(0, MAX_LISTED).map((file) => ({
      file,
      key: undefined,
      reason: "was changed since this project last loaded or wrote it, and would be replaced or removed",
    })),
    ...(paths.length > MAX_LISTED
      ? [{ file: `${paths.length - MAX_LISTED} more files`, key: undefined, reason: "were changed as well" }]
      : []),
    { file: "nothing was written", key: undefined, reason: "--yes replaces these files" },
  ]);

/**
 * Rejects with a ProjectError, and writes nothing, if files were changed since the database last loaded or wrote them, unless
 * `replacesChanges`. Rejects with errors of the file system; each file has either its old or its new content then.
 */
export async function exportFiles(
  source: ExportSource,
  root: string,
  { replacesChanges = false }: { readonly replacesChanges?: boolean } = {},
): Promise<FilesResult> {
  const { context, uploadFolder } = source;
  const { storage, model } = context;
  mkdirSync(root, { recursive: true });
  const { state, ...result } = await storage.snapshotReads(async () => {
    const previous = readManifest(root);
    const reader = new DocumentReader(source);
    const writer = new FolderWriter(root);
    let documents = 0;
    for (const type of apiTypes(model)) {
      const found = reader.documents(type);
      const names = documentNames(type, new Map([...found].map(([id, { nameSource }]) => [id, nameSource])));
      for (const [id, { file }] of found) {
        const single = type.kind === "singleType" && found.size === 1;
        writer.text(single ? `${type.singularName}.json` : `${folderOf(type)}/${names.get(id)}.json`, formatJson(file));
        documents++;
      }
    }
    let media = 0;
    const leftOut = new LeftOut();
    for (const file of reader.files) {
      const name = `${file.data.hash}${file.data.ext ?? ""}`;
      if (!isAssetName(name)) {
        leftOut.add("names", JSON.stringify(name));
        continue;
      }
      // folders of the media library are not exported
      const { folderPath: _, ...data } = file.data;
      writer.text(`${MEDIA_FOLDER}/${name}.json`, formatJson(data));
      for (const asset of assetsOf(uploadFolder, file, leftOut))
        writer.copy(`${MEDIA_FOLDER}/${asset.name}`, asset.path);
      media++;
    }
    const locales = storage
      .all(`SELECT code, name, document_id FROM ${quote(contentType(model, LOCALE).table)} ORDER BY code`)
      .map(([code, name, documentId]) => ({
        code: code as string,
        name: name as string,
        documentId: documentId as string,
      }));
    const manifest: Manifest = {
      locales,
      defaultLocale: context.defaultLocale(),
      files: writer.paths,
    };
    writer.text(MANIFEST, formatJson(manifest));
    const known = replacesChanges ? undefined : storedFolderState(storage, root);
    return { documents, media, leftOut: leftOut.lines(), ...writer.apply(previous.files, known), state: writer.state };
  });
  storeFolderState(storage, root, state);
  return result;
}
