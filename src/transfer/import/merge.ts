/** Merging: which rows of the archive exist already, and which rows the others replace. */
import type { SqlValue } from "../../attributes/index.ts";
import type { DocumentsContext } from "../../documents/context.ts";
import { deleteRow, fieldsTo } from "../../documents/delete-row.ts";
import { ownFields } from "../../documents/edges.ts";
import { FOLDER, LOCALE, PERMISSION, ROLE, USER } from "../../schema/builtin/index.ts";
import { type ContentType, contentType } from "../../schema/model.ts";
import { quote } from "../../storage/quote.ts";
import type { Entity } from "../archive/shapes.ts";
import type { ImportScope } from "./scope.ts";

/** Attributes besides the document id that identify a row; columns have the same names. */
const naturalKeys: Readonly<Record<string, readonly string[]>> = {
  [FOLDER]: ["path"],
  [LOCALE]: ["code"],
  [ROLE]: ["type"],
  [USER]: ["email", "username"],
};

/** Types whose rows are replaced by those with the same document id, as documents are. */
const replacedById: ReadonlySet<string> = new Set([FOLDER, USER]);

/** The id of an existing row that is kept instead of the archive's: locales, roles and accounts of other users are not replaced. */
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

/** Older rows of imported documents, each with the imported row of the same locale and version, if there is one. */
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

/** Links of documents that stay lead to the row that takes the place of their target. */
function redirectLinks(context: DocumentsContext, type: ContentType, from: number, to: number): void {
  for (const [field, kind] of fieldsTo(context, type))
    context.storage.run("UPDATE OR IGNORE galley_links SET target = ? WHERE field = ? AND target = ? AND kind = ?", [
      to,
      field,
      from,
      kind,
    ]);
}

/** Roles that were there keep the permissions that they had: those of the archive are for its own roles. */
function dropForeignPermissions(context: DocumentsContext, scope: ImportScope): void {
  const { storage, model } = context;
  const permission = contentType(model, PERMISSION);
  const role = permission.attributes.get("role");
  if (role?.kind !== "relation") return;
  const sql = `SELECT p.id FROM ${quote(permission.table)} p WHERE p.id > ? AND NOT EXISTS
    (SELECT 1 FROM galley_links l WHERE l.field = ? AND l.owner = p.id AND l.target > ?)`;
  const params = [
    scope.offsetOf(permission),
    storage.number(role.link.field),
    scope.offsetOf(contentType(model, ROLE)),
  ];
  for (const [id] of storage.all(sql, params)) deleteRow(context, permission, id as number);
}

/** Gives a row another id, under which there is none. */
function renumber(context: DocumentsContext, type: ContentType, from: number, to: number): void {
  const { storage } = context;
  storage.run(`UPDATE ${quote(type.table)} SET id = ? WHERE id = ?`, [to, from]);
  storage.run("UPDATE galley_links SET owner = ? WHERE owner = ? AND field IN (SELECT value FROM json_each(?))", [
    to,
    from,
    JSON.stringify(ownFields(storage, type)),
  ]);
  redirectLinks(context, type, from, to);
}

/**
 * Expects the archive's rows and links in the database. A row that has the same id in the archive as the one it replaces keeps
 * it: lists without a sort are in the order of ids.
 */
export function mergeDocuments(context: DocumentsContext, scope: ImportScope): void {
  dropForeignPermissions(context, scope);
  for (const type of context.model.types.values()) {
    const offset = scope.offsetOf(type);
    for (const [old, next] of replacedRows(context, type, offset)) {
      if (next !== null) redirectLinks(context, type, old, next);
      deleteRow(context, type, old);
      // folders are found by the ids that they were given
      if (next === old + offset && type.uid !== FOLDER) renumber(context, type, next, old);
    }
  }
}
