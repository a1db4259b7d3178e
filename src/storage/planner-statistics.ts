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

const insert = (storage: Storage, table: string, index: string, stat: string): unknown =>
  storage.run("INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", [table, index, stat]);

export function setLinkStatistics(storage: Storage): void {
  storage.run("ANALYZE sqlite_schema");
  storage.run("DELETE FROM sqlite_stat1 WHERE tbl = 'galley_links'");
  for (const [index, stat] of LINKS) insert(storage, "galley_links", index, stat);
}

/** Writes the statistics of all indexes of the tables, which may have been added or have changed. */
export function setStatistics(storage: Storage, tables: readonly string[]): void {
  // makes the table of statistics where there is none yet
  storage.run("ANALYZE sqlite_schema");
  for (const table of tables) {
    storage.run("DELETE FROM sqlite_stat1 WHERE tbl = ?", [table]);
    const indexes = storage.all(
      `SELECT m.name, json_group_array(i.name ORDER BY i.seqno) FROM sqlite_schema m, pragma_index_info(m.name) i
       WHERE m.type = 'index' AND m.tbl_name = ? GROUP BY m.name`,
      [table],
    ) as [string, string][];
    for (const [index, columns] of indexes) insert(storage, table, index, statistics(JSON.parse(columns)));
  }
  storage.run("ANALYZE sqlite_schema");
}
