/**
 * What the query planner takes for granted about a table's indexes, as `sqlite_stat1` has it. SQLite alone believes that
 * status and locale, which half of all rows share, single out a row better than a document's id does. The figures are
 * fixed, so that the plan of a statement does not depend on the content, and nothing has to be counted.
 */
import type { Storage } from "./storage.ts";
import { own } from "./table-sources.ts";

const ROWS = 1_000_000;

/** How many rows share a value of the column, where it is not just a few. */
const SHARED: Readonly<Record<string, (rows: number) => number>> = {
  status: (rows) => rows / 2,
  locale: (rows) => rows / 2,
  document_id: () => 4,
};
const FEW = 10;

/** "1000000 500000 250000": all rows, and those that are left after each column of an index. */
function statistics(columns: readonly string[]): string {
  const counts = [ROWS];
  for (const column of columns) {
    const left = counts.at(-1) ?? ROWS;
    counts.push(own(SHARED, column)?.(left) ?? Math.min(left, FEW));
  }
  return counts.join(" ");
}

/** Links: of an owner, of one of its fields, and of a field's target. A table without row ids is its own index. */
const LINKS: readonly (readonly [index: string, statistics: string])[] = [
  ["galley_links", `${ROWS} 10 2 1 1 1`],
  ["galley_links_target", `${ROWS} 50000 5 2`],
];

const insert = (storage: Storage, rows: readonly (readonly [table: string, index: string, stat: string])[]): unknown =>
  storage.run("INSERT INTO sqlite_stat1 SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)", [
    JSON.stringify(rows),
  ]);

export function setLinkStatistics(storage: Storage): void {
  storage.run("ANALYZE sqlite_schema");
  storage.run("DELETE FROM sqlite_stat1 WHERE tbl = 'galley_links'");
  insert(
    storage,
    LINKS.map(([index, stat]) => ["galley_links", index, stat]),
  );
}

/** Writes the statistics of all indexes of the tables, which may have been added or have changed. */
export function setStatistics(storage: Storage, tables: readonly string[]): void {
  // makes the table of statistics where there is none yet
  storage.run("ANALYZE sqlite_schema");
  const names = JSON.stringify(tables);
  storage.run("DELETE FROM sqlite_stat1 WHERE tbl IN (SELECT value FROM json_each(?))", [names]);
  const indexes = storage.all(
    `SELECT m.tbl_name, m.name, json_group_array(i.name ORDER BY i.seqno) FROM sqlite_schema m, pragma_index_info(m.name) i
     WHERE m.type = 'index' AND m.tbl_name IN (SELECT value FROM json_each(?)) GROUP BY m.name`,
    [names],
  ) as [string, string, string][];
  insert(
    storage,
    indexes.map(([table, index, columns]) => [table, index, statistics(JSON.parse(columns))]),
  );
  storage.run("ANALYZE sqlite_schema");
}
