/**
 * Renames attributes with their values. Schema files cannot express a rename, so pending renames are stored before the files
 * change, and the next migration applies them in its transaction.
 */
import type { Link } from "../schema/model.ts";
import type { Layout, Table } from "./layout.ts";
import type { Storage } from "./storage.ts";
import { getOwn } from "./table-sources.ts";
import { columnNames, dropColumnIndexes, freeName, renameColumn } from "./tables.ts";

const RENAMES = "attribute_renames";

/** The column or link field of an attribute, by its old and its new name. */
export interface StoredRename {
  readonly table: string;
  /** Of values. */
  readonly column?: readonly [from: string, to: string];
  /** Of links. */
  readonly field?: readonly [from: string, to: string];
  /** Of a morphOne or morphMany, whose name its links have. */
  readonly targetAttribute?: readonly [from: string, to: string];
}

/** To be called before the files of the schema change. */
export const rememberRenames = (storage: Storage, renames: readonly StoredRename[]): void =>
  storage.setMeta(RENAMES, JSON.stringify(renames));

/** To be called when the changed schema files were refused. */
export const forgetRenames = (storage: Storage): void => storage.setMeta(RENAMES, "[]");

/** Renames a column, with those of its earlier types. Existing columns with the new name get other names. */
function moveColumn(storage: Storage, table: string, from: string, to: string): void {
  const belongsTo = (name: string, column: string): boolean => name === column || name.startsWith(`${column}$`);
  const names = columnNames(storage, table);
  for (const name of names) {
    if (!belongsTo(name, to)) continue;
    dropColumnIndexes(storage, table, name);
    const taken = columnNames(storage, table);
    renameColumn(
      storage,
      table,
      name,
      freeName(`${name}$`, (free) => taken.has(free)),
    );
  }
  for (const name of names) {
    if (!belongsTo(name, from)) continue;
    dropColumnIndexes(storage, table, name);
    renameColumn(storage, table, name, to + name.slice(from.length));
  }
}

/** Renames a link field. An existing field with the new name gets another one. */
function moveField(storage: Storage, from: string, to: string): void {
  const update = "UPDATE galley_names SET name = ? WHERE name = ?";
  const isTaken = (name: string): boolean =>
    storage.first("SELECT 1 FROM galley_names WHERE name = ?", [name]) !== undefined;
  if (isTaken(to)) storage.run(update, [freeName(`${to}$`, isTaken), to]);
  storage.run(update, [to, from]);
}

const withColumn = (table: Table, from: string, to: string): Table => {
  const { [from]: moved, [to]: _, ...rest } = table.columns;
  return moved ? { ...table, columns: { ...rest, [to]: moved } } : table;
};

/** A link as the attribute of a new name stores it. */
const withLink = (table: Table, isRenamed: (link: Link) => boolean, changes: Partial<Link>): Table => ({
  ...table,
  ...(table.links && {
    links: table.links.map((item) => (isRenamed(item.link) ? { ...item, link: { ...item.link, ...changes } } : item)),
  }),
});

const withField = (table: Table, from: string, to: string): Table => ({
  ...table,
  fields: table.fields.map((field) => (field === from ? to : field)),
});

interface Tables {
  readonly current: Record<string, Table>;
  readonly history: Record<string, Table>;
}

/**
 * Applies pending renames that match the schema, and drops others. Returns the layouts with the new names, and a message for
 * each rename.
 */
export function applyRenames(
  storage: Storage,
  before: Tables,
  next: Layout,
): Tables & { readonly texts: [table: string, text: string][] } {
  const current = { ...before.current };
  const history = { ...before.history };
  const texts: [string, string][] = [];
  const edit = (table: string, change: (table: Table) => Table): void => {
    for (const layout of [current, history]) if (getOwn(layout, table)) layout[table] = change(layout[table]!);
  };
  for (const { table, column, field, targetAttribute } of (storage.metaJson(RENAMES) ?? []) as StoredRename[]) {
    const had = getOwn(current, table);
    const has = getOwn(next, table);
    if (!had || !has) continue;
    if (column) {
      const [from, to] = column;
      if (
        !getOwn(had.columns, from) ||
        getOwn(had.columns, to) ||
        getOwn(has.columns, from) ||
        !getOwn(has.columns, to)
      )
        continue;
      moveColumn(storage, table, from, to);
      edit(table, (item) => withColumn(item, from, to));
      texts.push([table, `${from} is called ${to} now, with its values`]);
    }
    if (targetAttribute) {
      const [from, to] = targetAttribute;
      const own = "kind = (SELECT id FROM galley_names WHERE name = ?) AND target_attribute = ?";
      edit(table, (item) => withLink(item, (link) => link.targetAttribute === from, { targetAttribute: to }));
      storage.run(`UPDATE galley_links SET target_attribute = ? WHERE ${own}`, [to, table, from]);
      texts.push([table, `${from} is called ${to} now, with its links`]);
    }
    if (field) {
      const [from, to] = field;
      const isRemembered = had.fields.includes(from) && !had.fields.includes(to) && !has.fields.includes(from);
      if (!isRemembered || !has.fields.includes(to)) continue;
      moveField(storage, from, to);
      edit(table, (item) => withField(item, from, to));
      // the other side has it, too
      for (const name of Object.keys(history))
        edit(name, (item) => withLink(item, (link) => link.field === from, { field: to }));
      texts.push([table, `${from.slice(table.length + 1, from.lastIndexOf(">"))} has another name, with its links`]);
    }
  }
  forgetRenames(storage);
  return { current, history, texts };
}
