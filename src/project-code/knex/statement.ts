/** Rewrites SQL with the reference's table names to run on Galley's tables. */
import { quote } from "../../storage/quote.ts";
import type { Storage } from "../../storage/storage.ts";
import { indexStatement } from "./index-statement.ts";
import { splitStatement } from "./split-statement.ts";
import type { MappedColumn, MappedTable, TableWrites } from "./tables.ts";

export interface Prepared {
  readonly sql: string;
  /** Whether rows are written through a view. SQLite does not include these in `changes`. */
  readonly isMapped: boolean;
}

type Tables = ReadonlyMap<string, MappedTable>;

const WRITE =
  /^(\s*(?:update(?:\s+or\s+\w+)?|insert\s+(?:or\s+\w+\s+)?into|replace\s+into|delete\s+from)\s+)(["`[]?)([\w$]+)(["`\]]?)/i;
const SCHEMA = /^\s*(create|drop|alter)\b/i;
const WITH = /^\s*with\s+(recursive\s+)?/i;

function namedTables(sql: string, tables: Tables): MappedTable[] {
  const words = new Set(sql.toLowerCase().match(/[a-z_][\w$]*/g));
  return [...words].flatMap((word) => tables.get(word) ?? []);
}

/** Puts a common table expression before the statement for each table that it names. Throws for changes of such tables. */
function withTables(sql: string, tables: Tables, storage: Storage): string {
  const change = SCHEMA.exec(sql)?.[1]?.toLowerCase();
  const [reserved] = (change && /\bgalley_\w+/i.exec(sql)) || [];
  if (reserved) throw new Error(`${reserved} is Galley's own table`);
  const index = change === "create" ? indexStatement(sql, tables, storage) : undefined;
  if (index !== undefined) return index;
  const named = namedTables(sql, tables);
  if (named.length === 0) return sql;
  if (change) {
    const { name } = named[0]!;
    throw new Error(
      `strapi.db.connection cannot ${change} anything of ${name} in Galley: tables follow the schema files`,
    );
  }
  const list = named.map(({ name, select }) => `${quote(name)} AS NOT MATERIALIZED (${select(storage)})`).join(", ");
  const own = WITH.exec(sql);
  return own ? `WITH ${own[1] ?? ""}${list}, ${sql.slice(own[0].length)}` : `WITH ${list} ${sql}`;
}

/** Converts milliseconds or a string to a time as Galley stores it. */
const asStoredTime = (column: string): string =>
  `CASE WHEN typeof(${column}) IN ('integer', 'real') THEN strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch') ELSE ${column} END`;

function updateTrigger(writes: Extract<TableWrites, { kind: "rows" }>, view: string): string {
  const set = writes.columns
    .filter(({ own }: MappedColumn) => own !== "id")
    .map(
      ({ name, own, isTime }) =>
        `${quote(own)} = ${isTime ? asStoredTime(`NEW.${quote(name)}`) : `NEW.${quote(name)}`}`,
    );
  if (writes.draftAndPublish) set.push("status = CASE WHEN NEW.published_at IS NULL THEN 'draft' ELSE 'published' END");
  return `CREATE TEMP TRIGGER IF NOT EXISTS ${quote(`${view}_update`)} INSTEAD OF UPDATE ON ${quote(view)} BEGIN
    UPDATE ${quote(writes.table)} SET ${set.join(", ")} WHERE id = OLD.id; END`;
}

function linkTriggers(
  { field, owner, target }: Extract<TableWrites, { kind: "links" }>,
  view: string,
  storage: Storage,
) {
  const number = storage.number(field);
  const rowCondition = (row: "OLD" | "NEW") => `field = ${number} AND owner = ${row}.${quote(owner)}`;
  const insert = `INSERT OR IGNORE INTO galley_links (field, owner, position, target, kind, inverse) VALUES (${number}, NEW.${quote(owner)},
    (SELECT coalesce(max(position), 0) + 1 FROM galley_links WHERE ${rowCondition("NEW")}), NEW.${quote(target)}, 0,
    (SELECT coalesce(max(inverse), 0) + 1 FROM galley_links WHERE field = ${number} AND target = NEW.${quote(target)}));`;
  const remove = `DELETE FROM galley_links WHERE ${rowCondition("OLD")} AND target = OLD.${quote(target)};`;
  const trigger = (event: string, body: string) =>
    `CREATE TEMP TRIGGER IF NOT EXISTS ${quote(`${view}_${event.toLowerCase()}`)} INSTEAD OF ${event} ON ${quote(view)} BEGIN ${body} END`;
  return [trigger("INSERT", insert), trigger("DELETE", remove), trigger("UPDATE", remove + insert)];
}

/** Creates the view through which a table is written. Throws for rows that only the document service can write. */
function writableView(table: MappedTable, action: string, storage: Storage): string {
  const { writes, name } = table;
  const isPossible = writes?.kind === "links" || (writes?.kind === "rows" && action.startsWith("update"));
  if (!writes || !isPossible)
    throw new Error(`strapi.db.connection cannot ${action} ${name} in Galley: use strapi.db.query or strapi.documents`);
  const select = table.select(storage).replaceAll("main.", "");
  const triggersOf = (view: string): string[] =>
    writes.kind === "rows" ? [updateTrigger(writes, view)] : linkTriggers(writes, view, storage);
  // the connection outlives the schema: a view with other columns has another name
  const view = `galley_knex_${name}_${Bun.hash(select + triggersOf(name).join()).toString(36)}`;
  storage.db.run(`CREATE TEMP VIEW IF NOT EXISTS ${quote(view)} AS ${select}`);
  for (const trigger of triggersOf(view)) storage.db.run(trigger);
  return view;
}

/** `storage`: the connection that the statement runs on. */
export function prepareStatement(sql: string, tables: Tables, storage: Storage): Prepared {
  const { expressions, main } = splitStatement(sql);
  const write = WRITE.exec(main);
  if (!write) return { sql: withTables(sql, tables, storage), isMapped: false };
  const [start = "", action = "", , name = ""] = write;
  if (/^(galley_|sqlite_)/i.test(name)) throw new Error(`${name} is Galley's own table`);
  const table = tables.get(name.toLowerCase());
  if (!table) return { sql: withTables(sql, tables, storage), isMapped: false };
  const view = writableView(table, action.trim().toLowerCase().replace(/\s+/g, " "), storage);
  const rest = main.slice(start.length);
  return { sql: withTables(`${expressions}${action}${quote(view)}${rest}`, tables, storage), isMapped: true };
}
