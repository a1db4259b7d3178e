/** Imports content files into an empty database with their document ids, times and versions, as rows of an archive. */

import { statSync } from "node:fs";
import { join } from "node:path";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE, LOCALE } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/quote.ts";
import { ProjectError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { ArchiveEntry } from "../archive/entries.ts";
import { readContent } from "../archive/entries.ts";
import { isAssetName } from "../archive/paths.ts";
import type { Json } from "../archive/shapes.ts";
import { type ImportTarget, importArchive } from "../import/import-archive.ts";
import { DocumentFiles } from "./document-files.ts";
import { DocumentRows } from "./document-rows.ts";
import { MEDIA_FOLDER } from "./format.ts";
import { readManifest } from "./manifest.ts";

/** Content files contain no folders of the media library. */
const IN_ROOT_FOLDER = { folderPath: "/" };

function rowsEntry(path: string, stage: "entities" | "links" | "configuration", rows: readonly object[]): ArchiveEntry {
  async function* content(): AsyncGenerator<Uint8Array> {
    for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
  }
  return { path, parsedPath: { kind: "rows", stage }, size: 0, content: content() };
}

function* assetEntries(root: string, data: Json): Generator<ArchiveEntry> {
  const formats = isRecord(data.formats) ? Object.values(data.formats).filter(isRecord) : [];
  for (const { hash, ext } of [data, ...formats]) {
    const name = `${hash}${ext ?? ""}`;
    const path = `${MEDIA_FOLDER}/${name}`;
    const file = join(root, path);
    const found = isAssetName(name) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    if (found?.isFile())
      yield { path, parsedPath: { kind: "asset", name }, size: found.size, content: readContent(file) };
  }
}

export interface FilesImport {
  /** Documents by content-type uid. */
  readonly documents: ReadonlyMap<string, number>;
  readonly files: number;
  /** Messages about content that was not imported. */
  readonly warnings: readonly string[];
}

export interface FilesOptions {
  /** Whether config/galley.json lists the locales, so that none are imported. */
  readonly hasOwnLocales: boolean;
  /** Called at the end of the transaction; an error rolls it back. */
  readonly beforeEnd: () => void;
}

function localeRows(
  context: DocumentsContext,
  root: string,
  used: ReadonlySet<string>,
  hasOwn: boolean,
): readonly object[] {
  const { storage, model } = context;
  const sql = `SELECT code FROM ${quote(contentType(model, LOCALE).table)}`;
  const existingCodes = new Set(storage.all(sql).map(([code]) => code as string));
  const missing = [...used].filter((code) => !existingCodes.has(code));
  if (hasOwn && missing.length > 0)
    throw new ProjectError("config/galley.json", "locales", `has no locale ${missing[0]}, which content files have`);
  if (hasOwn) return [];
  const { locales } = readManifest(root);
  if (locales.length > 0) return locales;
  return [...new Set([...existingCodes, ...used])].map((code) => ({ code, name: code }));
}

/** The database must be empty. Rejects with a ProjectError that names the file; nothing is imported then. */
export async function importFiles(root: string, target: ImportTarget, options: FilesOptions): Promise<FilesImport> {
  const { context } = target;
  const files = new DocumentFiles(root, context.model);
  const rows = new DocumentRows(context, files);
  const locales = localeRows(context, root, files.locales, options.hasOwnLocales);
  const { defaultLocale } = readManifest(root);
  const settings =
    !options.hasOwnLocales && defaultLocale !== ""
      ? [{ type: "core-store", value: { key: "plugin_i18n_default_locale", value: defaultLocale, type: "string" } }]
      : [];
  async function* entries(): AsyncGenerator<ArchiveEntry> {
    const media = [...files.media.values()];
    yield rowsEntry("media", "entities", [
      ...locales.map((data, index) => ({ type: LOCALE, id: index + 1, data })),
      ...media.map(({ id, data }) => ({ type: FILE, id, data: { ...data, ...IN_ROOT_FOLDER } })),
    ]);
    for (const version of files.versions) yield rowsEntry(version.path, "entities", [rows.row(version)]);
    for (const { data } of media) yield* assetEntries(root, data);
    yield rowsEntry("links", "links", rows.links);
    yield rowsEntry("locales", "configuration", settings);
  }
  await importArchive(
    { file: root, entries },
    {
      metadata: { createdAt: "", strapi: { version: "5" } },
      schemas: new Map(),
      stages: new Set(["entities", "links"]),
      assets: files.media.size,
      isOrdered: true,
      settings: new Map(),
      bytes: 0,
    },
    target,
    { mode: "replace", beforeEnd: options.beforeEnd },
  );
  const warnings = [...rows.missingUsers].map(
    (name) => `content: there is no user for "${name}": links to it are left out`,
  );
  return { documents: files.counts, files: files.media.size, warnings };
}
