/** Media files of an archive, stored as unfinished uploads until the import is complete. */
import { existsSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { UploadFolder } from "../../engine/media/upload-folder.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { assetMetadata, assetName, type Json } from "../archive/shapes.ts";

export class StagedAssets {
  readonly #folder: UploadFolder;
  /** Paths of received files, by final name. */
  readonly files = new Map<string, string>();

  constructor(folder: UploadFolder) {
    this.#folder = folder;
  }

  /** Rejects with errors of the file system. */
  async add(name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#folder.unfinishedFile(".part");
    await using file = await open(path, "wx", 0o644);
    try {
      for await (const chunk of content) await file.writeFile(chunk);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
    this.files.set(name, path);
  }

  /** Removes all files. */
  discard(): void {
    for (const path of this.files.values()) rmSync(path, { force: true });
    this.files.clear();
  }
}

/** The file names and URLs of a media record and its formats. */
export const assetNames = (record: Json): { readonly name: string; readonly url: unknown }[] =>
  assetMetadata(record).flatMap((metadata) =>
    typeof metadata.hash === "string" ? [{ name: assetName(metadata), url: metadata.url }] : [],
  );

/** A message about records whose file the uploads folder does not have, as after an export without files; none for other providers. */
export function describeMissing({ storage, model }: DocumentsContext, { path }: UploadFolder): string[] {
  const sql = `SELECT hash, ext FROM ${quote(contentType(model, FILE).table)} WHERE coalesce(provider, 'local') = 'local'`;
  const names = storage.all(sql).map(([hash, ext]) => assetName({ hash, ext }));
  const missing = names.filter((name) => path === undefined || !existsSync(join(path, name)));
  return missing.length > 0 ? [`not in the uploads folder: ${missing.length} media files, such as ${missing[0]}`] : [];
}

/** The names of the files of all records in a database. */
export function recordedNames({ storage, model }: Pick<DocumentsContext, "storage" | "model">): ReadonlySet<string> {
  const sql = `SELECT hash, ext, formats FROM ${quote(contentType(model, FILE).table)}`;
  const records = storage.all(sql).map(([hash, ext, formats]) => ({
    hash,
    ext,
    formats: typeof formats === "string" ? (JSON.parse(formats) as unknown) : undefined,
  }));
  return new Set(records.flatMap((record) => assetNames(record).map(({ name }) => name)));
}
