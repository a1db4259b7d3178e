/** Rewrites `CREATE INDEX` for the reference's tables: indexes of the code are kept when the schema changes. */
import { quote } from "../../storage/quote.ts";
import type { MappedTable } from "./tables.ts";

const NAME = '["`[]?([\\w$]+)["`\\]]?';
const CREATE_INDEX = new RegExp(
  `^\\s*(create\\s+(?:unique\\s+)?index\\s+(?:if\\s+not\\s+exists\\s+)?)${NAME}\\s+on\\s+${NAME}\\s*(\\(.*)$`,
  "is",
);
/** String literals, and names with or without quotes. */
const TOKEN = /'(?:[^']|'')*'|["`[]?([A-Za-z_][\w$]*)["`\]]?/g;

/** Undefined for other statements, and for tables that are not the reference's. Throws for tables of links and components. */
export function indexStatement(sql: string, tables: ReadonlyMap<string, MappedTable>): string | undefined {
  const [, start = "", name = "", tableName = "", rest = ""] = CREATE_INDEX.exec(sql) ?? [];
  const table = tables.get(tableName.toLowerCase());
  if (!table) return undefined;
  const { writes } = table;
  if (writes?.kind !== "rows")
    throw new Error(
      `strapi.db.connection cannot create an index of ${table.name} in Galley: only of tables of content-types`,
    );
  const columns = new Map(writes.columns.map((column) => [column.name.toLowerCase(), column.own]));
  const mapped = rest.replace(TOKEN, (token, word: string | undefined) => {
    const own = word === undefined ? undefined : columns.get(word.toLowerCase());
    return own === undefined ? token : quote(own);
  });
  return `${start}${quote(name)} ON ${quote(writes.table)} ${mapped}`;
}
