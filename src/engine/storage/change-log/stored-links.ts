/** Which rows of which tables are linked, by the numbers of fields and tables. */
import { LAYOUT } from "../catalog.ts";
import { storedLayout, type Table } from "../layout.ts";
import { quote } from "../sql.ts";
import type { Storage } from "../storage.ts";
import { isLogged } from "./triggers.ts";
import { literals, type StoredValue } from "./values.ts";

export interface NumberedTable extends Table {
  readonly name: string;
  readonly number: number;
}

export interface Field {
  /** Of the attribute. */
  readonly name: string;
  readonly number: number;
  readonly owner: NumberedTable;
  /** Undefined: the kind of the link is the number of its table. */
  readonly target: NumberedTable | undefined;
  readonly holdsComponents: boolean;
  /** Whether rows of a table show the links that lead to them: as the other side of a relation, or as the uses of a file. */
  readonly isShownBy: (target: NumberedTable) => boolean;
  /** The names of the attributes by which they do. */
  readonly inverses: (target: NumberedTable) => readonly string[];
}

export interface StoredLinks {
  readonly tables: ReadonlyMap<number, NumberedTable>;
  readonly fields: ReadonlyMap<number, Field>;
  /** The fields whose links can lead to rows of a table, with the kind of such links. */
  readonly fieldsTo: (table: NumberedTable) => readonly (readonly [field: number, kind: number])[];
  /** The content-types whose documents can have rows of a table. */
  readonly typesWith: (table: NumberedTable) => readonly NumberedTable[];
}

function readLinks(storage: Storage): StoredLinks {
  const layout = Object.entries(storedLayout(storage, LAYOUT)).filter(([, table]) => isLogged(table));
  const tables = new Map(
    layout.map(([name, table]) => {
      const number = storage.number(name);
      return [number, { ...table, name, number }];
    }),
  );
  const byUid = new Map([...tables.values()].map((table) => [table.uid, table]));
  const fields = new Map<number, Field>();
  for (const owner of tables.values()) {
    for (const { name, link, target, kind } of owner.links ?? []) {
      if (link.side !== "owner") continue;
      const holdsComponents = kind === "component" || kind === "zone";
      const to = target === undefined ? undefined : byUid.get(target);
      const inverses = ({ links = [] }: NumberedTable): string[] =>
        links.flatMap((other) =>
          other.link.side === "inverse" && other.link.field === link.field ? [other.name] : [],
        );
      const isShownBy = (table: NumberedTable): boolean => kind === "media" || inverses(table).length > 0;
      const number = storage.number(link.field);
      fields.set(number, { name, number, owner, target: to, holdsComponents, isShownBy, inverses });
    }
  }
  const known = new Map<NumberedTable, readonly (readonly [number, number])[]>();
  const fieldsTo = (table: NumberedTable) =>
    known.getOrInsertComputed(table, () =>
      [...fields].flatMap(([field, { target, holdsComponents }]) => {
        if (target) return target === table ? [[field, 0] as const] : [];
        return holdsComponents === (table.modelType === "component") ? [[field, table.number] as const] : [];
      }),
    );
  const typesWith = (table: NumberedTable, seen = new Set<NumberedTable>()): NumberedTable[] => {
    if (table.modelType === "contentType") return [table];
    if (seen.has(table)) return [];
    seen.add(table);
    const owners = new Set(fieldsTo(table).map(([field]) => fields.get(field)!.owner));
    return [...owners].flatMap((owner) => typesWith(owner, seen));
  };
  return { tables, fields, fieldsTo, typesWith: (table) => [...new Set(typesWith(table))] };
}

/** The links that lead to rows of a table now. */
export function linksTo(
  storage: Storage,
  links: StoredLinks,
  table: NumberedTable,
  rows: readonly number[],
): readonly (readonly [field: number, owner: number, row: number])[] {
  const sql = `SELECT l.field, l.owner, l.target FROM json_each(?) f CROSS JOIN json_each(?) r CROSS JOIN galley_links l
    ON l.field = f.value ->> 0 AND l.target = r.value AND l.kind = f.value ->> 1`;
  const fields = JSON.stringify(links.fieldsTo(table));
  return storage.all(sql, [fields, JSON.stringify(rows)]) as unknown as [number, number, number][];
}

/** The links that rows of a table have now. */
export function linksFrom(
  storage: Storage,
  { fields }: StoredLinks,
  table: NumberedTable,
  rows: readonly number[],
): readonly (readonly [field: number, owner: number, target: number, kind: number])[] {
  const sql = `SELECT l.field, l.owner, l.target, l.kind FROM json_each(?) r CROSS JOIN json_each(?) f CROSS JOIN galley_links l
    ON l.owner = r.value AND l.field = f.value`;
  const own = [...fields].flatMap(([number, { owner }]) => (owner === table ? [number] : []));
  return storage.all(sql, [JSON.stringify(rows), JSON.stringify(own)]) as unknown as [number, number, number, number][];
}

type StoredVersion = readonly [
  id: number,
  documentId: string,
  locale: string | null,
  status: string,
  ...values: readonly StoredValue[],
];

/** Of rows of a content-type that exist, with the values of some columns. */
export function versionsOf(
  storage: Storage,
  { name }: NumberedTable,
  rows: readonly number[],
  columns: readonly string[] = [],
): readonly StoredVersion[] {
  const read = ["id, document_id, locale, status", ...(columns.length > 0 ? [literals(columns)] : [])];
  const sql = `SELECT ${read} FROM ${quote(name)} WHERE id IN (SELECT value FROM json_each(?))`;
  return storage.all(sql, [JSON.stringify(rows)]) as unknown as StoredVersion[];
}

const cache = new WeakMap<Storage, { readonly layout: string | undefined; readonly links: StoredLinks }>();

/** Of the current layout. */
export function storedLinks(storage: Storage): StoredLinks {
  const layout = storage.meta(LAYOUT);
  const cached = cache.get(storage);
  if (cached && cached.layout === layout) return cached.links;
  const links = readLinks(storage);
  cache.set(storage, { layout, links });
  return links;
}
