/**
 * Attributes that are not localized are shared by all localizations: a new localization copies their values, and changes
 * are copied to the other localizations of the same version.
 */
import type { Attribute, ContentType } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import { readData } from "./read-data.ts";
import type { Data } from "./rows.ts";
import type { VersionRow } from "./versions.ts";

const isShared = (attribute: Attribute): boolean =>
  !attribute.localized && !attribute.system && attribute.definition.visible !== false;

export const readShared = (context: DocumentsContext, type: ContentType, row: number): Data =>
  readData(context, type, row, { includes: isShared });

/** Shared values for comparison. As in Strapi, links to the draft and to the published version of a target differ. */
const readCompared = (context: DocumentsContext, type: ContentType, row: number): Data =>
  readData(context, type, row, { includes: isShared, rowLinks: true });

/** The row whose shared values a new localization gets: the last published row, or else any row. */
export function sharedSource({ storage }: DocumentsContext, type: ContentType, documentId: string): number | undefined {
  const sql = `SELECT id FROM ${quote(type.table)} WHERE document_id = +? ORDER BY published_at DESC, id LIMIT 1`;
  return storage.first(sql, [documentId])?.[0] as number | undefined;
}

/** Adds the shared values of a row where the data has undefined or null. */
export function fillShared(context: DocumentsContext, type: ContentType, row: number | undefined, data: Data): Data {
  if (row === undefined || context.separatesLocales) return data;
  const filled: Data = { ...data };
  for (const [name, value] of Object.entries(readShared(context, type, row))) {
    if (filled[name] === undefined || filled[name] === null) filled[name] = value;
  }
  return filled;
}

/** Passwords are not part of `readShared`, since only their hashes are stored; the hashes are copied. */
export function copySharedSecrets(context: DocumentsContext, type: ContentType, documentId: string, row: number): void {
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== "scalar" || !attribute.type.isSecret || !isShared(attribute)) continue;
    const column = quote(attribute.column);
    const table = quote(type.table);
    const source = `SELECT o.${column} FROM ${table} o WHERE o.document_id = ? AND o.id <> ? AND o.${column} IS NOT NULL ORDER BY o.published_at DESC LIMIT 1`;
    context.storage.run(`UPDATE ${table} SET ${column} = (${source}) WHERE id = ? AND ${column} IS NULL`, [
      documentId,
      row,
      row,
    ]);
  }
}

const placeOf = ({ locale, status }: VersionRow): string => `${locale} ${status}`;

/** Compares rows of a document by locale and version, in the order of Strapi's index. */
export const byPlace = (a: VersionRow, b: VersionRow): number => {
  const [placeA, placeB] = [placeOf(a), placeOf(b)];
  return placeA === placeB ? a.id - b.id : placeA < placeB ? -1 : 1;
};

/**
 * The shared values before a write, to find out whether it changes them: of the first locale by code, and its draft if it
 * has one, as Strapi's index returns it. Undefined without another localization. `rows`: all rows of the document;
 * `written`: the locale that is written, if it is just one.
 */
export function sharedBefore(
  context: DocumentsContext,
  type: ContentType,
  rows: readonly VersionRow[],
  written?: string | null,
): Data | undefined {
  if (!type.localized || context.separatesLocales) return undefined;
  const locales = new Set(rows.map(({ locale }) => locale));
  if (written !== undefined) locales.add(written);
  const [first] = locales.size > 1 ? rows.toSorted(byPlace) : [];
  return first && readCompared(context, type, first.id);
}

/** The localizations of the same version that do not share the values of a written row: none if these are as `before`. */
export function otherLocalizations(
  context: DocumentsContext,
  type: ContentType,
  row: VersionRow,
  before: Data | undefined,
): VersionRow[] {
  if (!before) return [];
  const { documentId, status } = row;
  const sql = `SELECT id, locale FROM ${quote(type.table)} WHERE document_id = ? AND status = ? AND locale IS NOT ?`;
  const others = context.storage.all(sql, [documentId, status, row.locale]) as [number, string][];
  if (others.length === 0 || Bun.deepEquals(readCompared(context, type, row.id), before)) return [];
  return others.map(([id, locale]) => ({ id, locale, documentId, status }));
}
