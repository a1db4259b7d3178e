/** `.export.json` of an exported folder: its files, of which the next export removes those that are gone, and the locales. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { insertRow } from "../../engine/access/insert-row.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import { contentType } from "../../engine/schema/model.ts";
import { DEFAULT_LOCALE } from "../../engine/storage/core-store.ts";
import { quote } from "../../engine/storage/sql.ts";
import { ProjectError } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { readProjectJson } from "../../lib/project-json.ts";
import { parsePath } from "../archive/paths.ts";

export const MANIFEST = ".export.json";

export interface Manifest {
  readonly locales: readonly {
    readonly code: string;
    readonly name: string | null;
    /** Absent in files of early exports. */
    readonly documentId?: string;
  }[];
  readonly defaultLocale: string;
  /** Paths below the folder, sorted. */
  readonly files: readonly string[];
}

const isLocale = (value: unknown): value is Manifest["locales"][number] =>
  isRecord(value) &&
  typeof value.code === "string" &&
  (typeof value.name === "string" || value.name === null) &&
  (value.documentId === undefined || typeof value.documentId === "string");

/** The manifest of the last export into a folder; empty if there was none. Throws a ProjectError for an invalid file. */
export function readManifest(root: string): Manifest {
  if (!existsSync(join(root, MANIFEST))) return { locales: [], defaultLocale: "", files: [] };
  const value = readProjectJson(root, MANIFEST);
  const { locales, defaultLocale, files } = toRecord(value);
  if (!Array.isArray(locales) || !locales.every(isLocale) || typeof defaultLocale !== "string")
    throw new ProjectError(
      MANIFEST,
      "locales",
      "must list locales with code, name and documentId, beside a defaultLocale",
    );
  // a path outside the folder must never be removed
  if (!Array.isArray(files) || !files.every((path) => typeof path === "string" && parsePath(path) !== undefined))
    throw new ProjectError(MANIFEST, "files", "must list paths below the folder");
  return { locales, defaultLocale, files: files as string[] };
}

export function localesOf({ storage, model, defaultLocale }: DocumentsContext): Omit<Manifest, "files"> {
  const rows = storage.all(
    `SELECT code, name, document_id FROM ${quote(contentType(model, LOCALE).table)} ORDER BY code`,
  ) as [string, string, string][];
  return {
    locales: rows.map(([code, name, documentId]) => ({ code, name, documentId })),
    defaultLocale: defaultLocale(),
  };
}

/** Makes an empty database's locales those of a manifest that has any. Inside a transaction. */
export function storeLocales(context: DocumentsContext, { locales, defaultLocale }: Omit<Manifest, "files">): void {
  const { storage, model } = context;
  if (locales.length === 0) return;
  storage.run(`DELETE FROM ${quote(contentType(model, LOCALE).table)}`);
  for (const { code, name, documentId } of locales)
    insertRow(context, LOCALE, { code, name, ...(documentId === undefined ? {} : { document_id: documentId }) });
  if (defaultLocale !== "") storage.setMeta(DEFAULT_LOCALE, defaultLocale);
}
