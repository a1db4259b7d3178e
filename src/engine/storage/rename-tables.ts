/**
 * Renames several tables at once, so that they may swap names. A table of an earlier layout whose name is needed now is kept
 * under another name.
 */
import type { Layout, Table } from "./layout.ts";
import type { Storage } from "./storage.ts";
import { freeName, indexNames, renameTable } from "./tables.ts";

/** The tables of earlier layouts, by name. */
interface Tables {
  /** Of the last layout. */
  readonly current: Record<string, Table>;
  /** Of all layouts. */
  readonly history: Record<string, Table>;
}

interface Renamed extends Tables {
  /** Unused tables that were renamed because their name is needed: their old and new names. */
  readonly kept: ReadonlyMap<string, string>;
}

type Names = ReadonlyMap<string, string>;

/** Names in SQLite are case-insensitive. */
const fold = (name: string): string => name.toLowerCase();

/** A free name, which is added to `taken`. */
function takeName(name: string, taken: Set<string>): string {
  const free = freeName(name, (other) => taken.has(fold(other)));
  taken.add(fold(free));
  return free;
}

function allNames(storage: Storage): Set<string> {
  return new Set(storage.all("SELECT name FROM sqlite_schema").map(([name]) => fold(name as string)));
}

/** Renames all tables via temporary names. */
function moveTables(storage: Storage, names: Names): void {
  const temporary = [...names].map(([from, to], index) => ({ from, to, between: `galley_rename_${index}` }));
  for (const { from, between } of temporary) renameTable(storage, from, between);
  for (const { to, between } of temporary) renameTable(storage, between, to);
}

/** The name of a link field or a table after the renames. Fields are named `<table>.<attribute>><table>`. */
function renamed(name: string, names: Names, tables: readonly string[]): string {
  const exact = names.get(name);
  if (exact !== undefined) return exact;
  const arrow = name.lastIndexOf(">");
  if (arrow < 0) return name;
  const target = name.slice(arrow + 1);
  const owner = tables.filter((table) => name.startsWith(`${table}.`)).sort((a, b) => b.length - a.length)[0];
  const start = owner === undefined ? 0 : owner.length;
  return `${names.get(owner ?? "") ?? name.slice(0, start)}${name.slice(start, arrow)}>${names.get(target) ?? target}`;
}

/** Renames the link fields of renamed tables. An existing field with the new name gets another one. */
function moveFields(storage: Storage, names: Names, tables: readonly string[]): void {
  const all = storage.all("SELECT id, name FROM galley_names") as [number, string][];
  const moves = all.flatMap(([id, name]) => {
    const to = renamed(name, names, tables);
    return to === name ? [] : [{ id, to }];
  });
  const update = "UPDATE galley_names SET name = ? WHERE id = ?";
  const taken = new Set(all.map(([, name]) => fold(name)));
  for (const { id } of moves) storage.run(update, [`galley_rename:${id}`, id]);
  for (const { id, to } of moves) {
    const other = storage.first("SELECT id FROM galley_names WHERE name = ?", [to])?.[0];
    if (other !== undefined) storage.run(update, [takeName(to, taken), other]);
    storage.run(update, [to, id]);
  }
}

/** The tables of a layout under their new names. */
function renameKeys(layout: Layout, names: Names, tables: readonly string[]): Record<string, Table> {
  return Object.fromEntries(
    Object.entries(layout).map(([name, table]) => {
      const fields = table.fields.map((field) => renamed(field, names, tables));
      const links = table.links?.map((item) => {
        const field = renamed(item.link.field, names, tables);
        return field === item.link.field ? item : { ...item, link: { ...item.link, field } };
      });
      return [names.get(name) ?? name, { ...table, fields, ...(links ? { links } : {}) }];
    }),
  );
}

/** `sources`: the result of `tableSources`. */
export function renameTables(storage: Storage, { current, history }: Tables, sources: Names, next: Layout): Renamed {
  const tables = Object.keys(history);
  const names = new Map<string, string>();
  for (const [to, from] of sources) if (from !== to) names.set(from, to);
  const continued = new Set(sources.values());
  const needed = new Set(
    Object.entries(next)
      .flatMap(([name, table]) => [name, ...indexNames(name, table)])
      .map(fold),
  );
  const kept = new Map<string, string>();
  const taken = allNames(storage);
  for (const name of needed) taken.add(name);
  for (const name of tables) {
    if (continued.has(name) || !needed.has(fold(name))) continue;
    const free = takeName(name, taken);
    names.set(name, free);
    kept.set(name, free);
  }
  if (names.size === 0) return { current, history, kept };
  moveTables(storage, names);
  moveFields(storage, names, tables);
  return {
    current: renameKeys(current, names, tables),
    history: renameKeys(history, names, tables),
    kept,
  };
}
