/** Exports the content of a database as files for version control. The same content results in the same bytes. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LOCALE } from "../../schema/builtin/index.ts";
import { apiTypes, contentType } from "../../schema/model.ts";
import { quote } from "../../storage/quote.ts";
import { isAssetName } from "../archive/paths.ts";
import { assetsOf } from "../export/assets.ts";
import type { ExportSource } from "../export/export-archive.ts";
import { DocumentReader } from "./documents.ts";
import { documentNames } from "./file-names.ts";
import { folderOf, formatJson, MANIFEST, type Manifest, MEDIA_FOLDER } from "./format.ts";
import { readManifest } from "./manifest.ts";

export interface FilesResult {
  readonly documents: number;
  readonly media: number;
  /** Number of new and changed files. */
  readonly changed: number;
  readonly removed: number;
}

class FolderWriter {
  readonly #root: string;
  readonly written = new Set<string>();
  changed = 0;

  constructor(root: string) {
    this.#root = root;
  }

  #write(path: string, isSame: (file: string) => boolean, write: (file: string) => void): void {
    this.written.add(path);
    const file = join(this.#root, path);
    if (existsSync(file) && isSame(file)) return;
    this.changed++;
    mkdirSync(dirname(file), { recursive: true });
    const partFile = `${file}.${process.pid}.part`;
    try {
      write(partFile);
      renameSync(partFile, file);
    } catch (error) {
      rmSync(partFile, { force: true });
      throw error;
    }
  }

  text(path: string, content: string): void {
    this.#write(
      path,
      (file) => readFileSync(file, "utf8") === content,
      (file) => writeFileSync(file, content),
    );
  }

  copy(path: string, from: string): void {
    this.#write(
      path,
      (file) => readFileSync(file).equals(readFileSync(from)),
      (file) => copyFileSync(from, file),
    );
  }

  /** Removes files of an earlier export that this one has not written. */
  removeOthers({ files }: Pick<Manifest, "files">): number {
    const others = files.filter((path) => !this.written.has(path));
    for (const path of others) rmSync(join(this.#root, path), { force: true });
    return others.length;
  }
}

/** Rejects with errors of the file system; each file has either its old or its new content then. */
export async function exportFiles(source: ExportSource, root: string): Promise<FilesResult> {
  const { context, uploadFolder } = source;
  const { storage, model } = context;
  return storage.snapshotReads(async () => {
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
    for (const file of reader.files) {
      const name = `${file.data.hash}${file.data.ext ?? ""}`;
      if (!isAssetName(name)) continue;
      // folders of the media library are not exported
      const { folderPath: _, ...data } = file.data;
      writer.text(`${MEDIA_FOLDER}/${name}.json`, formatJson(data));
      for (const asset of assetsOf(uploadFolder, file)) writer.copy(`${MEDIA_FOLDER}/${asset.name}`, asset.path);
      media++;
    }
    const locales = storage
      .all(`SELECT code, name FROM ${quote(contentType(model, LOCALE).table)} ORDER BY code`)
      .map(([code, name]) => ({ code: code as string, name: name as string }));
    const removed = writer.removeOthers(previous);
    const { changed } = writer;
    const manifest: Manifest = {
      locales,
      defaultLocale: context.defaultLocale(),
      files: [...writer.written].sort(),
    };
    writer.text(MANIFEST, formatJson(manifest));
    return { documents, media, changed, removed };
  });
}
