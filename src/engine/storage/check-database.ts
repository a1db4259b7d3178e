/** Checks at a start that the database is as Galley has left it. */
import { ProjectError } from "../../lib/errors.ts";
import { LAYOUT } from "./catalog.ts";
import { storedLayout } from "./layout.ts";
import { quote } from "./sql.ts";
import type { Storage } from "./storage.ts";

/** Missing tables and columns in an error. */
const MAX_NAMED = 5;

/** Throws a ProjectError that names damaged settings, or missing tables and columns. */
export function checkDatabase(storage: Storage): void {
  storage.checkMeta();
  const missing = missingTables(storage);
  if (missing.length === 0) return;
  const names =
    missing.length > MAX_NAMED ? [...missing.slice(0, MAX_NAMED), `${missing.length - MAX_NAMED} more`] : missing;
  const reason = `has lost ${names.join(", ")}; restore a copy of it, or move it away to start with none`;
  throw new ProjectError(storage.db.filename, undefined, reason);
}

/**
 * The tables and columns of the last start that the database no longer has, as another program or damage may have removed them:
 * `the column "title" of "posts"`.
 */
function missingTables(storage: Storage): string[] {
  // the statements of tables are read at once, while columns take a statement for each table
  const tables = storage.all("SELECT lower(name), sql FROM sqlite_schema WHERE type = 'table'") as [string, string][];
  const statements = new Map(tables);
  const wanted: Record<string, readonly string[]> = { galley_links: [], galley_names: [] };
  for (const [name, table] of Object.entries(storedLayout(storage, LAYOUT))) wanted[name] = Object.keys(table.columns);
  return Object.entries(wanted).flatMap(([name, names]) => {
    const statement = statements.get(name.toLowerCase());
    if (statement === undefined) return [`the table "${name}"`];
    const unnamed = names.filter((column) => !statement.includes(quote(column)));
    if (unnamed.length === 0) return [];
    // another program may have made the table anew, with names that are not quoted
    const has = new Set(storage.all("SELECT lower(name) FROM pragma_table_info(?)", [name]).flat());
    return unnamed
      .filter((column) => !has.has(column.toLowerCase()))
      .map((column) => `the column "${column}" of "${name}"`);
  });
}
