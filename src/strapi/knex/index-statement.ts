/** Rewrites `CREATE INDEX` for Strapi's tables: indexes of the code are kept when the schema changes. */
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { MappedTable } from "./tables.ts";

const NAME = '["`[]?([\\w$]+)["`\\]]?';
const CREATE_INDEX = new RegExp(
  `^\\s*(create\\s+(?:unique\\s+)?index\\s+(?:if\\s+not\\s+exists\\s+)?)${NAME}\\s+on\\s+${NAME}\\s*(\\(.*)$`,
  "is",
);
/** String literals, and names with or without quotes. */
const TOKEN = /'(?:[^']|'')*'|["`[]?([A-Za-z_][\w$]*)["`\]]?/g;

/** What an index of a mapped table is created on. */
interface Indexed {
  readonly table: string;
  readonly columns: ReadonlyMap<string, string>;
  /** The condition on the rows that belong to the mapped table. */
  readonly where?: string;
}

/** Links of all relations are in one table. */
function indexedPart({ name, columns, links }: MappedTable, storage: Storage): Indexed {
  if (links)
    return {
      table: "galley_links",
      columns: new Map(links.columns),
      where: `field = ${storage.number(links.field)}`,
    };
  if (columns.length === 0)
    throw new Error(`strapi.db.connection cannot create an index of ${name} in Galley: it is not a table there`);
  return { table: name, columns: new Map(columns.map((column) => [column.name.toLowerCase(), column.own])) };
}

/** Adds a condition to what follows the columns. */
function restricted(rest: string, where: string | undefined): string {
  if (where === undefined) return rest;
  const [, list = "", own] = /^(.*?\))\s*(?:where\s+(.*))?$/is.exec(rest.replace(/;\s*$/, "")) ?? [];
  return `${list} WHERE ${where}${own === undefined ? "" : ` AND (${own})`}`;
}

/** Undefined for other statements, and for tables that are not Strapi's. Throws for tables of components in a document. */
export function indexStatement(
  sql: string,
  tables: ReadonlyMap<string, MappedTable>,
  storage: Storage,
): string | undefined {
  const [, start = "", name = "", tableName = "", rest = ""] = CREATE_INDEX.exec(sql) ?? [];
  const mapped = tables.get(tableName.toLowerCase());
  if (!mapped) return undefined;
  const { table, columns, where } = indexedPart(mapped, storage);
  const list = rest.replace(TOKEN, (token, word: string | undefined) => {
    const own = word === undefined ? undefined : columns.get(word.toLowerCase());
    return own === undefined ? token : quote(own);
  });
  return `${start}${quote(name)} ON ${quote(table)} ${restricted(list, where)}`;
}
