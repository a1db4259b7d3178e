/** Keeps rows and values of a project that the source of an import could not read. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { type ComponentOrZoneAttribute, componentUids, holdsComponents } from "../../engine/schema/entries.ts";
import { type Attribute, ownsLinks, type ScalarAttribute, type Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { countName } from "../left-out.ts";
import { listSchemas } from "./scope.ts";
import type { Kept, Unread } from "./unread.ts";

const countRows = ({ storage }: DocumentsContext, { table }: Schema): number =>
  storage.first(`SELECT count(*) FROM ${quote(table)}`)![0] as number;

/** The number of links that are moved. */
function moveLinks(storage: Storage, { link }: Exclude<Attribute, ScalarAttribute>, from: number, to: number): number {
  if (link.field === "" || link.side !== "owner") return 0;
  const field = storage.number(link.field);
  // the change log records no link whose owner alone is set
  const sql = "UPDATE OR IGNORE galley_links SET owner = ?, kind = kind WHERE owner = ? AND field = ?";
  return storage.run(sql, [to, from, field]).changes;
}

/** The number of values that are copied. */
function copyValue(storage: Storage, table: string, { column }: ScalarAttribute, from: number, to: number): number {
  const sql = `UPDATE ${quote(table)} SET ${quote(column)} = o.value
    FROM (SELECT ${quote(column)} AS value FROM ${quote(table)} WHERE id = ?) o
    WHERE id = ? AND o.value IS NOT NULL`;
  return storage.run(sql, [from, to]).changes;
}

/** Create it before the import. */
export class ContentKeeper {
  readonly #context: DocumentsContext;
  readonly #unread: Unread;
  readonly #values = new Map<string, number>();
  readonly #affected = new Map<Schema, boolean>();
  /** Numbers of rows by uid, as far as there are any. */
  readonly #keptRows: ReadonlyMap<string, number>;
  /** Whether anything here would be lost. */
  readonly isNeeded: boolean;

  constructor(context: DocumentsContext, unread: Unread) {
    this.#context = context;
    this.#unread = unread;
    this.#keptRows = new Map(
      [...unread.types.keys()].flatMap((uid) => {
        const type = context.model.types.get(uid);
        const count = type ? countRows(context, type) : 0;
        return count > 0 ? [[uid, count] as const] : [];
      }),
    );
    this.isNeeded =
      this.#keptRows.size > 0 || listSchemas(context.model).some((schema) => this.#hasUnreadValues(schema));
  }

  #isUnread(schema: Schema, { name }: Attribute): boolean {
    return this.#unread.attributes.has(`${schema.uid}.${name}`);
  }

  #hasUnreadValues(schema: Schema): boolean {
    const { storage } = this.#context;
    return [...schema.attributes.values()].some((attribute) => {
      if (!this.#isUnread(schema, attribute)) return false;
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

  keepsType(uid: string): boolean {
    return this.#unread.types.has(uid);
  }

  /** Copies values that the source could not read from a row to the one that replaces it. */
  restore(schema: Schema, from: number, to: number): void {
    if (!this.#isAffected(schema)) return;
    const { storage } = this.#context;
    for (const attribute of schema.attributes.values()) {
      if (!this.#isUnread(schema, attribute)) {
        if (holdsComponents(attribute))
          for (const [part, a, b] of this.#sameParts(attribute, from, to)) this.restore(part, a, b);
        continue;
      }
      const changes =
        attribute.kind === "scalar"
          ? copyValue(storage, schema.table, attribute, from, to)
          : moveLinks(storage, attribute, from, to);
      if (changes > 0) countName(this.#values, `${schema.uid}.${attribute.name}`, changes);
    }
  }

  /** Whether rows of a schema, or components in them, have attributes that could not be read. */
  #isAffected(schema: Schema): boolean {
    const known = this.#affected.get(schema);
    if (known !== undefined) return known;
    // components may contain themselves
    this.#affected.set(schema, false);
    const found = [...schema.attributes.values()].some(
      (attribute) =>
        this.#isUnread(schema, attribute) ||
        (holdsComponents(attribute) && this.#partSchemas(attribute).some((part) => this.#isAffected(part))),
    );
    this.#affected.set(schema, found);
    return found;
  }

  #partSchemas(attribute: ComponentOrZoneAttribute): Schema[] {
    return componentUids(attribute).flatMap((uid) => this.#context.model.components.get(uid) ?? []);
  }

  /** Components at the same position, if everything that was read of them is the same. */
  *#sameParts(
    attribute: ComponentOrZoneAttribute,
    from: number,
    to: number,
  ): Generator<readonly [Schema, number, number]> {
    const { storage } = this.#context;
    const field = storage.number(attribute.link.field);
    for (const part of this.#partSchemas(attribute)) {
      if (!this.#isAffected(part)) continue;
      const kind = attribute.kind === "zone" ? storage.number(part.table) : 0;
      const table = quote(part.table);
      const same = [...part.attributes.values()].flatMap((item) =>
        item.kind === "scalar" && !item.system && !this.#isUnread(part, item)
          ? [`o.${quote(item.column)} IS n.${quote(item.column)}`]
          : [],
      );
      const sql = `SELECT o.id, n.id FROM galley_links a JOIN galley_links b USING (field, kind, position)
        JOIN ${table} o ON o.id = a.target JOIN ${table} n ON n.id = b.target
        WHERE a.field = ? AND a.owner = ? AND b.owner = ? AND a.kind = ?${same.map((one) => ` AND ${one}`).join("")}`;
      for (const [a, b] of storage.all(sql, [field, from, to, kind])) yield [part, a as number, b as number];
    }
  }

  /** Locales of rows that are kept. */
  usedLocales(): ReadonlySet<unknown> {
    const { storage, model } = this.#context;
    const types = [...this.#keptRows.keys()].map((uid) => model.types.get(uid)!).filter(({ localized }) => localized);
    return new Set(
      types.flatMap(({ table }) => storage.all(`SELECT DISTINCT locale FROM ${quote(table)}`).map(([code]) => code)),
    );
  }

  /** What was kept, for messages. What was not to be transferred is no news. */
  kept(): Kept[] {
    const { types, attributes } = this.#unread;
    const rows = [...this.#keptRows].map(
      ([name, count]): Kept => ({ name, count, unit: "rows", reason: types.get(name)! }),
    );
    return [
      ...rows.filter(({ reason }) => reason !== "unselected"),
      ...[...this.#values].map(
        ([name, count]): Kept => ({ name, count, unit: "values", reason: attributes.get(name)! }),
      ),
    ];
  }
}
