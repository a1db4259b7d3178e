/** Keeps rows and values of a project that the source of an import could not read. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { deleteRow, fieldsTo } from "../../engine/documents/delete-row.ts";
import { ownFields } from "../../engine/documents/link-rows.ts";
import { LOCALE, USER } from "../../engine/schema/builtin/index.ts";
import { type ComponentOrZoneAttribute, componentUids, holdsComponents } from "../../engine/schema/entries.ts";
import { type Attribute, type ContentType, ownsLinks, type Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { countName } from "../left-out.ts";
import type { ImportScope } from "./scope.ts";
import type { Kept, Unread } from "./unread.ts";

/** Call it before the import. */
export function createContentKeeper(context: DocumentsContext, unread: Unread) {
  const values = new Map<string, number>();
  const affected = new Map<Schema, boolean>();
  /** Numbers of rows by uid, as far as there are any. */
  const keptRows = new Map(
    [...unread.types.keys()].flatMap((uid) => {
      const type = context.model.types.get(uid);
      const count = type ? countRows(type) : 0;
      return count > 0 ? [[uid, count] as const] : [];
    }),
  );
  /** Whether anything here would be lost. */
  const isNeeded = keptRows.size > 0 || schemas().some((schema) => hasUnreadValues(schema));

  function schemas(): Schema[] {
    const { types, components } = context.model;
    return [...types.values(), ...components.values()];
  }

  function countRows({ table }: Schema): number {
    return context.storage.first(`SELECT count(*) FROM ${quote(table)}`)![0] as number;
  }

  function isUnread(schema: Schema, { name }: Attribute): boolean {
    return unread.attributes.has(`${schema.uid}.${name}`);
  }

  function hasUnreadValues(schema: Schema): boolean {
    const { storage } = context;
    return [...schema.attributes.values()].some((attribute) => {
      if (!isUnread(schema, attribute)) return false;
      if (attribute.kind === "scalar") {
        const sql = `SELECT 1 FROM ${quote(schema.table)} WHERE ${quote(attribute.column)} IS NOT NULL LIMIT 1`;
        return storage.first(sql) !== undefined;
      }
      if (!ownsLinks(attribute)) return false;
      return (
        storage.first("SELECT 1 FROM galley_links WHERE field = ? LIMIT 1", [storage.number(attribute.link.field)]) !==
        undefined
      );
    });
  }

  const keepsType = (uid: string): boolean => unread.types.has(uid);

  /** Copies values that the source could not read from a row to the one that replaces it. */
  function restore(schema: Schema, from: number, to: number): void {
    if (!isAffected(schema)) return;
    const { storage } = context;
    for (const attribute of schema.attributes.values()) {
      if (!isUnread(schema, attribute)) {
        if (holdsComponents(attribute)) for (const [part, a, b] of sameParts(attribute, from, to)) restore(part, a, b);
        continue;
      }
      const { changes } =
        attribute.kind === "scalar"
          ? storage.run(
              `UPDATE ${quote(schema.table)} SET ${quote(attribute.column)} = o.value
               FROM (SELECT ${quote(attribute.column)} AS value FROM ${quote(schema.table)} WHERE id = ?) o
               WHERE id = ? AND o.value IS NOT NULL`,
              [from, to],
            )
          : moveLinks(attribute, from, to);
      if (changes > 0) countName(values, `${schema.uid}.${attribute.name}`, changes);
    }
  }

  function moveLinks(
    { link }: Exclude<Attribute, { kind: "scalar" }>,
    from: number,
    to: number,
  ): { readonly changes: number } {
    if (link.field === "" || link.side !== "owner") return { changes: 0 };
    const { storage } = context;
    // the change log records no link whose owner alone is set
    return storage.run("UPDATE OR IGNORE galley_links SET owner = ?, kind = kind WHERE owner = ? AND field = ?", [
      to,
      from,
      storage.number(link.field),
    ]);
  }

  /** Whether rows of a schema, or components in them, have attributes that could not be read. */
  function isAffected(schema: Schema): boolean {
    const known = affected.get(schema);
    if (known !== undefined) return known;
    // components may contain themselves
    affected.set(schema, false);
    const found = [...schema.attributes.values()].some(
      (attribute) =>
        isUnread(schema, attribute) ||
        (holdsComponents(attribute) && partSchemas(attribute).some((part) => isAffected(part))),
    );
    affected.set(schema, found);
    return found;
  }

  function partSchemas(attribute: ComponentOrZoneAttribute): Schema[] {
    return componentUids(attribute).flatMap((uid) => context.model.components.get(uid) ?? []);
  }

  /** Components at the same position, if everything that was read of them is the same. */
  function* sameParts(
    attribute: ComponentOrZoneAttribute,
    from: number,
    to: number,
  ): Generator<readonly [Schema, number, number]> {
    const { storage } = context;
    const field = storage.number(attribute.link.field);
    for (const part of partSchemas(attribute)) {
      if (!isAffected(part)) continue;
      const kind = attribute.kind === "zone" ? storage.number(part.table) : 0;
      const table = quote(part.table);
      const same = [...part.attributes.values()].flatMap((item) =>
        item.kind === "scalar" && !item.system && !isUnread(part, item)
          ? [`o.${quote(item.column)} IS n.${quote(item.column)}`]
          : [],
      );
      const sql = `SELECT o.id, n.id FROM galley_links a JOIN galley_links b USING (field, kind, position)
        JOIN ${table} o ON o.id = a.target JOIN ${table} n ON n.id = b.target
        WHERE a.field = ? AND a.owner = ? AND b.owner = ? AND a.kind = ?${same.map((one) => ` AND ${one}`).join("")}`;
      for (const [a, b] of storage.all(sql, [field, from, to, kind])) yield [part, a as number, b as number];
    }
  }

  /**
   * Removes the rows that the import replaces, once the imported ones are complete, and gives these the ids that they would have in
   * an empty database. `imported`: uids of types with rows in the archive.
   */
  function removeReplaced(scope: ImportScope, imported: ReadonlySet<string>): void {
    const { storage, model } = context;
    for (const type of model.types.values()) {
      if (keepsType(type.uid) || !scope.isReplaced(type.uid, imported)) continue;
      const offset = scope.findOffset(type);
      const kept = type.uid === LOCALE ? usedLocales() : new Set<unknown>();
      const column = type.uid === LOCALE ? "code" : "NULL";
      for (const [id, code] of storage.all(`SELECT id, ${column} FROM ${quote(type.table)} WHERE id <= ?`, [offset]))
        if (!kept.has(code)) deleteRow(context, type, id as number);
      // end the sessions of removed users
      if (type.uid === USER) storage.run("DELETE FROM galley_sessions");
      if (kept.size === 0) shift(scope, type);
    }
  }

  /** Locales of rows that are kept. */
  function usedLocales(): ReadonlySet<unknown> {
    const { storage, model } = context;
    const types = [...keptRows.keys()].map((uid) => model.types.get(uid)!).filter(({ localized }) => localized);
    return new Set(
      types.flatMap(({ table }) => storage.all(`SELECT DISTINCT locale FROM ${quote(table)}`).map(([code]) => code)),
    );
  }

  function shift(scope: ImportScope, type: ContentType): void {
    const { storage } = context;
    const offset = scope.findOffset(type);
    if (offset === 0) return;
    const shift = (table: string, column: string, where: string, params: readonly number[]): void => {
      // over negative ids, since the ids before and after may overlap
      storage.run(`UPDATE ${table} SET ${column} = ? - ${column} WHERE ${column} > ? AND ${where}`, [
        offset,
        offset,
        ...params,
      ]);
      storage.run(`UPDATE ${table} SET ${column} = -${column} WHERE ${column} < 0 AND ${where}`, params);
    };
    shift(quote(type.table), "id", "TRUE", []);
    for (const field of ownFields(context, type)) shift("galley_links", "owner", "field = ?", [field]);
    for (const params of fieldsTo(context, type)) shift("galley_links", "target", "field = ? AND kind = ?", params);
    scope.clearOffset(type);
  }

  /** What was kept, for messages. What was not to be transferred is no news. */
  function kept(): Kept[] {
    const { types, attributes } = unread;
    const rows = [...keptRows].map(([name, count]): Kept => ({ name, count, unit: "rows", reason: types.get(name)! }));
    return [
      ...rows.filter(({ reason }) => reason !== "unselected"),
      ...[...values].map(([name, count]): Kept => ({ name, count, unit: "values", reason: attributes.get(name)! })),
    ];
  }

  return { isNeeded, keepsType, restore, removeReplaced, kept };
}

export type ContentKeeper = ReturnType<typeof createContentKeeper>;
