/** Merges imported rows with existing ones: finds rows that exist already, and replaces older rows of imported documents. */
import type { SqlValue } from "../../engine/attributes/index.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { deleteRow, fieldsTo } from "../../engine/documents/delete-row.ts";
import { ownFields } from "../../engine/documents/link-rows.ts";
import { FOLDER, LOCALE, PERMISSION, ROLE, USER } from "../../engine/schema/builtin/index.ts";
import { type ContentType, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Entity } from "../archive/shapes.ts";
import type { ContentKeeper } from "./keep.ts";
import type { ImportScope } from "./scope.ts";

/** Attributes besides the document id that identify a row. Columns have the same names. */
const naturalKeys: Readonly<Record<string, readonly string[]>> = {
  [FOLDER]: ["path"],
  [LOCALE]: ["code"],
  [ROLE]: ["type"],
  [USER]: ["email", "username"],
};

/** Types whose rows are replaced by imported rows with the same document id. */
const replacedById: ReadonlySet<string> = new Set([FOLDER, USER]);

/** The id of an existing row that is kept instead of the imported one: locales, roles and accounts of other users are not replaced. */
export function existingRow({ storage }: DocumentsContext, type: ContentType, { data }: Entity): number | undefined {
  const table = quote(type.table);
  for (const column of naturalKeys[type.uid] ?? []) {
    const value = data[column];
    if (typeof value !== "string" || value === "") continue;
    const params: SqlValue[] = [value];
    let sql = `SELECT id FROM ${table} WHERE ${quote(column)} = ?`;
    if (replacedById.has(type.uid)) {
      sql += " AND document_id IS NOT ?";
      params.push(typeof data.documentId === "string" ? data.documentId : null);
    }
    const found = storage.first(sql, params);
    if (found) return found[0] as number;
  }
  return undefined;
}

/** Older rows of imported documents, each with the imported row of the same locale and status, if any. */
function replacedRows(
  { storage }: DocumentsContext,
  { table }: ContentType,
  offset: number,
): [number, number | null][] {
  const name = quote(table);
  return storage.all(
    `SELECT o.id, (SELECT n.id FROM ${name} n WHERE n.document_id = o.document_id AND n.locale IS o.locale AND n.status = o.status AND n.id > ?1)
     FROM ${name} o WHERE o.id <= ?1 AND EXISTS (SELECT 1 FROM ${name} n WHERE n.document_id = o.document_id AND n.id > ?1)`,
    [offset],
  ) as [number, number | null][];
}

/** Redirects links of other documents to the row that replaces their target. */
export function redirectLinks(context: DocumentsContext, type: ContentType, from: number, to: number): void {
  for (const [field, kind] of fieldsTo(context, type))
    context.storage.run("UPDATE OR IGNORE galley_links SET target = ? WHERE field = ? AND target = ? AND kind = ?", [
      to,
      field,
      from,
      kind,
    ]);
}

/** Removes imported permissions of existing roles, which keep their own. */
export function dropForeignPermissions(context: DocumentsContext, scope: ImportScope): void {
  const { storage, model } = context;
  const permission = contentType(model, PERMISSION);
  const role = permission.attributes.get("role");
  if (role?.kind !== "relation") return;
  const sql = `SELECT p.id FROM ${quote(permission.table)} p WHERE p.id > ? AND NOT EXISTS
    (SELECT 1 FROM galley_links l WHERE l.field = ? AND l.owner = p.id AND l.target > ?)`;
  const params = [
    scope.findOffset(permission),
    storage.number(role.link.field),
    scope.findOffset(contentType(model, ROLE)),
  ];
  for (const [id] of storage.all(sql, params)) deleteRow(context, permission, id as number);
}

/** Changes the id of a row. No row may have the new id. */
function renumber(context: DocumentsContext, type: ContentType, from: number, to: number): void {
  const { storage } = context;
  storage.run(`UPDATE ${quote(type.table)} SET id = ? WHERE id = ?`, [to, from]);
  storage.run("UPDATE galley_links SET owner = ? WHERE owner = ? AND field IN (SELECT value FROM json_each(?))", [
    to,
    from,
    JSON.stringify(ownFields(context, type)),
  ]);
  redirectLinks(context, type, from, to);
}

/**
 * Call it when the rows and links have been imported. With `renumbers`, a row with the same id in the archive as the row that it
 * replaces keeps that id, since lists without a sort are in the order of ids.
 */
export function mergeDocuments(
  context: DocumentsContext,
  scope: ImportScope,
  { keeper, renumbers }: { readonly keeper: ContentKeeper; readonly renumbers: boolean },
): void {
  for (const type of context.model.types.values()) {
    const offset = scope.findOffset(type);
    for (const [old, next] of replacedRows(context, type, offset)) {
      if (next !== null) {
        keeper.restore(type, old, next);
        redirectLinks(context, type, old, next);
      }
      deleteRow(context, type, old);
      // folders keep their new ids, which files refer to
      if (renumbers && next === old + offset && type.uid !== FOLDER) renumber(context, type, next, old);
    }
  }
}

/**
 * Removes the rows that the import replaces, once the imported ones are complete, and gives these the ids that they would have in
 * an empty database. `imported`: uids of types with rows in the archive.
 */
export function removeReplaced(
  context: DocumentsContext,
  scope: ImportScope,
  keeper: ContentKeeper,
  imported: ReadonlySet<string>,
): void {
  const { storage, model } = context;
  for (const type of model.types.values()) {
    if (keeper.keepsType(type.uid) || !scope.isReplaced(type.uid, imported)) continue;
    const offset = scope.findOffset(type);
    const kept = type.uid === LOCALE ? keeper.usedLocales() : new Set<unknown>();
    const column = type.uid === LOCALE ? "code" : "NULL";
    for (const [id, code] of storage.all(`SELECT id, ${column} FROM ${quote(type.table)} WHERE id <= ?`, [offset]))
      if (!kept.has(code)) deleteRow(context, type, id as number);
    // end the sessions of removed users
    if (type.uid === USER) storage.run("DELETE FROM galley_sessions");
    if (kept.size > 0 || offset === 0) continue;
    subtractOffset(context, type, offset);
    scope.clearOffset(type);
  }
}

/** Gives imported rows the ids of the archive. */
function subtractOffset(context: DocumentsContext, type: ContentType, offset: number): void {
  const { storage } = context;
  const subtract = (table: string, column: string, where: string, params: readonly number[]): void => {
    const sql = `UPDATE ${table} SET ${column} = ? - ${column} WHERE ${column} > ? AND ${where}`;
    // over negative ids, since the ids before and after may overlap
    storage.run(sql, [offset, offset, ...params]);
    storage.run(`UPDATE ${table} SET ${column} = -${column} WHERE ${column} < 0 AND ${where}`, params);
  };
  subtract(quote(type.table), "id", "TRUE", []);
  for (const field of ownFields(context, type)) subtract("galley_links", "owner", "field = ?", [field]);
  for (const params of fieldsTo(context, type)) subtract("galley_links", "target", "field = ? AND kind = ?", params);
}
