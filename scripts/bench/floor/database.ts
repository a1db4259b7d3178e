/** Galley's database file, and the statements that the floor runs on it. */
import { Database, type Statement } from "bun:sqlite";

export type Value = string | number | null;
export type Row = Value[];

export const ARTICLES = `id, document_id, title, slug, excerpt, body, content, kind, views, rating, featured, publishDate, metadata,
  created_at, updated_at, published_at, locale`;
export const PUBLISHED = "status = 'published' AND locale = 'en'";

/** Links of articles by the name of their field in `galley_names`; the content has none of the others. */
const FIELDS = {
  author: "articles.author>authors",
  category: "articles.category>categories",
  tags: "articles.tags>tags",
  seo: "articles.seo>components_shared_seos",
  sections: "articles.sections>*",
};

export function openDatabase(file: string) {
  const db = new Database(file, { readwrite: true });
  for (const pragma of [
    "busy_timeout = 10000",
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "wal_autocheckpoint = 4000",
    "cache_size = -64000",
    "temp_store = MEMORY",
  ])
    db.run(`PRAGMA ${pragma}`);
  const numbers = new Map(db.query<[], []>("SELECT name, id FROM galley_names").values() as [string, number][]);
  const numberOf = (name: string): number => {
    const number = numbers.get(name);
    if (number === undefined) throw new Error(`The database has no number for ${name}`);
    return number;
  };
  const prepare = (sql: string) => db.prepare<unknown, Value[]>(sql);
  /** Rows by their ids. SQLite is fastest with a parameter for each. */
  const rowsOf = (select: string): ((ids: readonly number[]) => Row[]) => {
    const statements: Statement<unknown, Value[]>[] = [];
    return (ids) => {
      statements[ids.length] ??= prepare(`${select} IN (${ids.map(() => "?").join()})`);
      return statements[ids.length]!.values(...ids) as Row[];
    };
  };
  return {
    prepare,
    rowsOf,
    fields: Object.fromEntries(Object.entries(FIELDS).map(([key, name]) => [key, numberOf(name)])) as Readonly<
      Record<keyof typeof FIELDS, number>
    >,
    quotes: numberOf("components_shared_quotes"),
  };
}

export type FloorDatabase = ReturnType<typeof openDatabase>;
