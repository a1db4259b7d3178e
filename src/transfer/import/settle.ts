/** Restores invariants of the database once all rows and links have been imported. */

import { completeDrafts } from "../../engine/documents/complete-drafts.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { deleteRow } from "../../engine/documents/delete-row.ts";
import { LOCALE } from "../../engine/schema/builtin/index.ts";
import {
  type ContentType,
  contentType,
  isLink,
  type LinkAttribute,
  type Model,
  ownsLinks,
} from "../../engine/schema/model.ts";
import { DEFAULT_LOCALE } from "../../engine/storage/core-store.ts";
import { linkPublished } from "../../engine/storage/migrate-table.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { redirectLinks } from "./merge.ts";
import { type ImportScope, listSchemas } from "./scope.ts";

/** Yields the attributes that store links, with the tables of their owners. */
function* linkOwners(model: Model): Generator<{ table: string; attribute: LinkAttribute }> {
  for (const { table, attributes } of listSchemas(model))
    for (const attribute of attributes.values())
      if (isLink(attribute) && ownsLinks(attribute)) yield { table, attribute };
}

/** Removes links from or to missing rows. Returns their number. */
export function removeDanglingLinks({ storage, model }: DocumentsContext): number {
  let removed = 0;
  const tables = new Map(listSchemas(model).map((schema) => [schema.uid, schema.table]));
  for (const { table, attribute } of linkOwners(model)) {
    const field = storage.number(attribute.link.field);
    removed += removeWithout(storage, field, "owner", table);
    const target = attribute.target === undefined ? undefined : tables.get(attribute.target);
    if (target !== undefined) removed += removeWithout(storage, field, "target", target);
    else removed += removePolymorphic(storage, model, field);
  }
  return removed;
}

const removeWithout = (storage: Storage, field: number, end: "owner" | "target", table: string): number =>
  storage.run(`DELETE FROM galley_links WHERE field = ? AND ${end} NOT IN (SELECT id FROM ${quote(table)})`, [field])
    .changes;

function removePolymorphic(storage: Storage, model: Model, field: number): number {
  let removed = 0;
  const kinds = storage.all("SELECT DISTINCT kind FROM galley_links WHERE field = ?", [field]);
  for (const [kind] of kinds as [number][]) {
    const table = [...model.types.values()].find((type) => type.table === storage.findName(kind))?.table;
    if (table === undefined) continue;
    const sql = `DELETE FROM galley_links WHERE field = ? AND kind = ? AND target NOT IN (SELECT id FROM ${quote(table)})`;
    removed += storage.run(sql, [field, kind]).changes;
  }
  return removed;
}

/**
 * Of several links between two rows in one relation, keeps the one with the first position. Strapi refuses the others, since
 * the tables of its relations have a unique index; lists of files and polymorphic relations may contain a row several times.
 * Returns the number of removed links.
 */
export function removeRepeatedLinks({ storage, model }: DocumentsContext): number {
  let removed = 0;
  for (const { attribute } of linkOwners(model)) {
    if (attribute.kind === "media" || attribute.link.polymorphic) continue;
    const sql = `DELETE FROM galley_links WHERE (owner, field, position, target) IN
      (SELECT owner, field, position, target FROM
        (SELECT *, row_number() OVER (PARTITION BY target, owner ORDER BY position) AS place FROM galley_links WHERE field = ?)
      WHERE place > 1)`;
    removed += storage.run(sql, [storage.number(attribute.link.field)]).changes;
  }
  return removed;
}

/**
 * Hides drafts of types that have none here where the published row was imported, too, as a change of the schema does. Others are the
 * documents.
 */
export function hideDrafts(
  { storage }: DocumentsContext,
  scope: ImportScope,
  drafts: ReadonlyMap<ContentType, readonly number[]>,
): void {
  for (const [type, ids] of drafts) {
    const table = quote(type.table);
    const listed = "(SELECT value FROM json_each(?1))";
    const { changes } = storage.run(
      `UPDATE ${table} SET status = 'draft', published_at = NULL WHERE id IN ${listed} AND EXISTS (SELECT 1 FROM ${table} p
       WHERE p.document_id = ${table}.document_id AND p.locale IS ${table}.locale AND p.id > ?2 AND p.id NOT IN ${listed})`,
      [JSON.stringify(ids), scope.findOffset(type)],
    );
    if (changes > 0) linkPublished(storage, type.table);
  }
}

/**
 * Removes the locale of rows of types that are not localized. If a document has several such rows, from a time when the type was
 * localized, the one in the default locale (or the first) is used, and the others are kept but hidden.
 */
export function dropLocales({ storage, model, defaultLocale }: DocumentsContext): void {
  for (const type of model.types.values()) {
    if (type.localized) continue;
    const table = quote(type.table);
    storage.run(
      `UPDATE ${table} SET locale = NULL WHERE locale IS NOT NULL AND id = (SELECT o.id FROM ${table} o
       WHERE o.document_id = ${table}.document_id AND o.status = ${table}.status
       ORDER BY o.locale IS NULL DESC, o.locale = ? DESC, o.id LIMIT 1)`,
      [defaultLocale()],
    );
  }
}

/** If the default locale is missing after the import, the first locale becomes the default. */
export function settleDefaultLocale({ storage, model, defaultLocale }: DocumentsContext): void {
  const table = quote(contentType(model, LOCALE).table);
  if (storage.first(`SELECT 1 FROM ${table} WHERE code = ?`, [defaultLocale()])) return;
  const first = storage.first(`SELECT code FROM ${table} WHERE code IS NOT NULL ORDER BY id LIMIT 1`)?.[0];
  if (typeof first === "string") storage.setMeta(DEFAULT_LOCALE, first);
}

/**
 * Of several rows for one version of a document, keeps the first, which Strapi returns for the document's id, and redirects links to it.
 * Returns the number of removed rows. Call it after `dropLocales`.
 */
export function removeRepeatedVersions(context: DocumentsContext, type: ContentType): number {
  const sql = `SELECT id, first FROM
    (SELECT id, min(id) OVER (PARTITION BY document_id, locale, status) AS first FROM ${quote(type.table)}) WHERE id > first`;
  const repeated = context.storage.all(sql) as [number, number][];
  for (const [id, first] of repeated) {
    redirectLinks(context, type, id, first);
    deleteRow(context, type, id);
  }
  return repeated.length;
}

/** Creates drafts for published rows without one, as in content of version 4. */
export function completeVersions(context: DocumentsContext): void {
  const types = [...context.model.types.values()].filter(({ draftAndPublish }) => draftAndPublish);
  completeDrafts(
    context,
    types.map(({ uid }) => uid),
    { relinksExisting: false },
  );
}
