/** Files of upload providers, which no session keeps. */
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { quote } from "../../../engine/storage/sql.ts";
import type { Project } from "../../project/project.ts";

const MAX_NAMES = 10;

/** The files that a restore of the database neither brings back nor removes, as in "cover.jpg (aws-s3)". `copy`: of the database, from before. */
export function changedRemoteFiles({ context, media }: Project, copy: string): string[] {
  if (!existsSync(copy)) return [];
  const table = quote(media().records.type.table);
  const sql = `SELECT name || ' (' || provider || ')', id, hash, ext, size, url, updated_at FROM ${table} WHERE provider <> 'local'`;
  const saved = new Database(copy, { readonly: true });
  const [before, now] = [saved, context.storage.db].map((db) => {
    const rows = db.query(sql).values();
    return new Map(rows.map((row) => [JSON.stringify(row), String(row[0])]));
  }) as [Map<string, string>, Map<string, string>];
  saved.close();
  const changed = new Set(before.keys()).symmetricDifference(now);
  const names = [...new Set([...changed].map((row) => before.get(row) ?? now.get(row)!))];
  return names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), `${names.length - MAX_NAMES} more`] : names;
}
