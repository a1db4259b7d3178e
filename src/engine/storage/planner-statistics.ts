/**
 * Writes fixed statistics for the query planner into `sqlite_stat1`. By default, SQLite assumes that status and locale, which
 * half of all rows share, are more selective than the document id. With fixed figures, plans do not depend on the content,
 * and no ANALYZE has to scan it.
 */
import type { Storage } from "./storage.ts";
import { getOwn } from "./table-sources.ts";

const ROWS = 1_000_000;

/** How many rows share a value of a column with low selectivity. */
const SHARED: Readonly<Record<string, (rows: number) => number>> = {
  status: (rows) => rows / 2,
  locale: (rows) => rows / 2,
  document_id: () => 4,
};
const FEW = 10;

/** "1000000 500000 250000": the number of rows, and the rows per key for each prefix of the index. */
function statistics(columns: readonly string[]): string {
  const counts = [ROWS];
  for (const column of columns) {
    const left = counts.at(-1) ?? ROWS;
    counts.push(getOwn(SHARED, column)?.(left) ?? Math.min(left, FEW));
  }
  return counts.join(" ");
}

/** For links: rows per owner, per owner and field, and so on. A table WITHOUT ROWID is its own index. */
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

/** Writes the statistics of all indexes of the tables. */
export function setStatistics(storage: Storage, tables: readonly string[]): void {
  // creates the statistics table, if missing
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
