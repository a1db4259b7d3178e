/**
 * Attributes that are not localized are shared: a new localization takes them over, and a change of them reaches the
 * other localizations of the same version.
 */
import type { Attribute, ContentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import { readData } from "./read-data.ts";
import { RelationInput } from "./relation-input.ts";
import { type Data, RowWriter } from "./rows.ts";
import type { VersionRow } from "./versions.ts";

const isShared = (attribute: Attribute): boolean =>
  !attribute.localized && !attribute.system && attribute.definition.visible !== false;

const readShared = (context: DocumentsContext, type: ContentType, row: number): Data =>
  readData(context, type, row, { includes: isShared });

/** Shared values to be compared: a target's draft and its published version are two, as they are to the reference. */
const readCompared = (context: DocumentsContext, type: ContentType, row: number): Data =>
  readData(context, type, row, { includes: isShared, rowLinks: true });

/** Shared values that the body leaves out or gives as null come from the row that was published last, or any. */
export function fillShared(context: DocumentsContext, type: ContentType, documentId: string, data: Data): Data {
  const sql = `SELECT id FROM ${quote(type.table)} WHERE document_id = ? ORDER BY published_at DESC, id LIMIT 1`;
  const row = context.storage.first(sql, [documentId])?.[0] as number | undefined;
  if (row === undefined) return data;
  const filled: Data = { ...data };
  for (const [name, value] of Object.entries(readShared(context, type, row))) {
    if (filled[name] === undefined || filled[name] === null) filled[name] = value;
  }
  return filled;
}

/** Passwords cannot be written again, since only their hash is known; they are copied as they are stored. */
export function copySharedSecrets(context: DocumentsContext, type: ContentType, documentId: string, row: number): void {
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== "scalar" || !attribute.type.secret || !isShared(attribute)) continue;
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

/**
 * The shared values of the document's first locale by code, its draft if it has one: what a write is compared with, as the
 * reference's index finds it. Undefined when there is no localization to hand anything on to. `rows`: all of the document;
 * `written`: the locale that is written, where it is just one.
 */
export function sharedBefore(
  context: DocumentsContext,
  type: ContentType,
  rows: readonly VersionRow[],
  written?: string | null,
): Data | undefined {
  if (!type.localized) return undefined;
  const locales = new Set(rows.map(({ locale }) => locale));
  if (written !== undefined) locales.add(written);
  const [first] = rows.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return first && locales.size > 1 ? readCompared(context, type, first.id) : undefined;
}

/**
 * Hands the shared values of the row that a write answered on to the other localizations of its version, if any of them
 * differs from what `before` says.
 */
export function syncShared(
  context: DocumentsContext,
  type: ContentType,
  row: VersionRow,
  before: Data | undefined,
): void {
  if (!before) return;
  const sql = `SELECT id, locale FROM ${quote(type.table)} WHERE document_id = ? AND status = ? AND locale IS NOT ?`;
  const others = context.storage.all(sql, [row.documentId, row.status, row.locale]) as [number, string][];
  if (others.length === 0 || Bun.deepEquals(readCompared(context, type, row.id), before)) return;
  const shared = readShared(context, type, row.id);
  const writer = new RowWriter(context);
  for (const [id, locale] of others) {
    const input = new RelationInput(context, type, { locale, status: row.status }, true);
    writer.update(type, { id, status: row.status }, input.resolve(type, shared));
  }
}
