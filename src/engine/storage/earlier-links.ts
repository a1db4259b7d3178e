/** Links in databases of earlier Galleys, which did not store the links of removed attributes, and left them when a row was deleted. */
import type { StoredLink, Table } from "./layout.ts";
import { quote } from "./sql.ts";
import type { Storage } from "./storage.ts";

/** Meta key: the links of earlier Galleys are in order. */
export const LINKS_CHECKED = "links_checked";

type History = Readonly<Record<string, Table>>;
type All = (sql: string, params: (string | number)[]) => readonly unknown[][];

/** A link field that the database has, by its name `<owner's table>.<attribute>><target's table>`. */
interface Field {
  readonly id: number;
  readonly name: string;
  readonly table: string;
  readonly attribute: string;
  /** The tables of its targets, with the kinds of such links. */
  readonly targets: readonly (readonly [kind: number, table: string])[];
  readonly polymorphic: boolean;
}

/** The fields between tables that exist. `history`: all tables that ever existed. */
function fieldsIn(all: All, history: History): Field[] {
  const names = all("SELECT id, name FROM galley_names", []) as [number, string][];
  const byId = new Map(names);
  const existing = new Set(all("SELECT name FROM sqlite_schema WHERE type = 'table'", []).flat());
  const tables = Object.keys(history).filter((table) => existing.has(table));
  return names.flatMap(([id, name]) => {
    const arrow = name.lastIndexOf(">");
    const owners = arrow < 0 ? [] : tables.filter((table) => name.startsWith(`${table}.`));
    const table = owners.sort((a, b) => b.length - a.length)[0];
    if (table === undefined) return [];
    // a field whose name was needed for another one has a number after it
    const [target] = name.slice(arrow + 1).split("$") as [string];
    const kinds = target === "*" ? all("SELECT DISTINCT kind FROM galley_links WHERE field = ?", [id]).flat() : [];
    const targets =
      target === "*"
        ? kinds.map((kind) => [kind as number, byId.get(kind as number) ?? ""] as const)
        : [[0, name.slice(arrow + 1)] as const, [0, target] as const];
    const known = targets.filter(([, to]) => tables.includes(to)).slice(0, target === "*" ? undefined : 1);
    const attribute = name.slice(table.length + 1, arrow);
    return [{ id, name, table, attribute, targets: known, polymorphic: target === "*" }];
  });
}

/** Adds the links of removed attributes to the tables that owned them. */
export function recallLinks(storage: Storage, history: Record<string, Table>): void {
  const known = new Set(
    Object.values(history).flatMap(({ fields, links = [] }) => [...fields, ...links.map(({ link }) => link.field)]),
  );
  for (const { name, table, attribute, targets, polymorphic } of fieldsIn(
    (sql, params) => storage.all(sql, params),
    history,
  )) {
    const target = targets[0] && history[targets[0][1]];
    if (known.has(name) || !target) continue;
    const isComponent = target.modelType === "component";
    const kind = isComponent ? (polymorphic ? "zone" : "component") : "relation";
    const link: StoredLink = {
      name: attribute,
      kind,
      link: { field: name, side: "owner", polymorphic },
      many: true,
      target: polymorphic ? undefined : target.uid,
    };
    history[table] = { ...history[table]!, links: [...(history[table]!.links ?? []), link] };
  }
}

/** The condition that an end of a link is gone, for the links of one field to one table. */
const gone = (table: string, target: string): string =>
  `field = ? AND kind = ? AND (NOT EXISTS (SELECT 1 FROM ${quote(table)} o WHERE o.id = owner)
    OR NOT EXISTS (SELECT 1 FROM ${quote(target)} t WHERE t.id = target))`;

/** Deletes links whose owner or target is gone, and the components that only they led to. */
export function dropOrphanLinks(storage: Storage, history: History): void {
  const fields = fieldsIn((sql, params) => storage.all(sql, params), history);
  // a deleted component leaves links of its own
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const { id, table, targets } of fields) {
      for (const [kind, target] of targets) {
        const sql = `DELETE FROM galley_links WHERE ${gone(table, target)} RETURNING target`;
        const dropped = storage.all(sql, [id, kind]).flat();
        if (dropped.length === 0) continue;
        isDone = false;
        if (history[target]!.modelType !== "component") continue;
        const leading = fields.flatMap((field) =>
          field.targets.flatMap(([of, to]) => (to === target ? [[field.id, of]] : [])),
        );
        storage.run(
          `DELETE FROM ${quote(target)} WHERE id IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM galley_links l
            JOIN json_each(?) f ON l.field = f.value ->> 0 AND l.kind = f.value ->> 1 WHERE l.target = ${quote(target)}.id)`,
          [JSON.stringify(dropped), JSON.stringify(leading)],
        );
      }
    }
  }
}

/** Links of one field whose owner or target is gone. */
export interface OrphanLinks {
  readonly table: string;
  readonly attribute: string;
  readonly count: number;
}

/** Finds what `dropOrphanLinks` deletes. */
export const orphanLinks = (all: All, history: History): OrphanLinks[] =>
  fieldsIn(all, history).flatMap(({ id, table, attribute, targets }) => {
    const counts = targets.map(
      ([kind, target]) => all(`SELECT count(*) FROM galley_links WHERE ${gone(table, target)}`, [id, kind])[0]![0],
    ) as number[];
    const count = counts.reduce((a, b) => a + b, 0);
    return count === 0 ? [] : [{ table, attribute, count }];
  });
