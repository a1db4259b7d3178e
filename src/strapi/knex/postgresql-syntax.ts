/** SQL that PostgreSQL has and SQLite does not: names it in a statement, and finds such statements in source code. */

const TYPES =
  "text|varchar|char|int[248]?|integer|bigint|smallint|numeric|decimal|float[48]?|double precision|real|bool|boolean|date|time|timestamptz?|interval|jsonb?|uuid|bytea|regclass|tsvector|tsquery";
const FUNCTIONS =
  "date_trunc|date_part|to_tsvector|(?:plain|phrase|websearch_)?to_tsquery|ts_rank(?:_cd)?|to_char|to_timestamp|to_date|array_agg|jsonb?_agg|jsonb?_build_(?:object|array)|jsonb?_array_elements(?:_text)?|row_to_json|to_jsonb?|unnest|setval|nextval|currval|split_part|regexp_replace|regexp_matches|similarity|gen_random_uuid|uuid_generate_v4|generate_series|now|pg_\\w+";

/** By the name that messages show; `undefined`: the matched text. */
const syntaxes: readonly (readonly [pattern: RegExp, name?: string])[] = [
  // uids have the same colons
  [new RegExp(`(?<!\\b(?:api|plugin|admin|global|strapi))::(?:${TYPES})\\b(?![.-])`, "i")],
  [/\bILIKE\b/i],
  [/\bDISTINCT\s+ON\b/i, "DISTINCT ON"],
  [new RegExp(`(?<![.\\w$])(?:${FUNCTIONS})(?=\\s*\\()`, "i")],
  [/\bEXTRACT(?=\s*\(\s*\w+\s+FROM\b)/i],
  [/\bINTERVAL(?=\s*'|\s*\?)/i],
  [/\b(?:information_schema|pg_catalog)(?=\.)/i],
  [/\bTRUNCATE(?=\s+(?:TABLE\b|["\w]))/i],
  [/\bADD\s+COLUMN\s+IF\s+NOT\s+EXISTS\b/i, "ADD COLUMN IF NOT EXISTS"],
  [/\bALTER\s+COLUMN\b/i, "ALTER COLUMN"],
  [/\bADD\s+CONSTRAINT\b/i, "ADD CONSTRAINT"],
  [/\bCREATE\s+(?:EXTENSION|SEQUENCE|TYPE|(?:OR\s+REPLACE\s+)?FUNCTION)\b/i],
  [/\bUSING\s+(?:gin|gist|btree)\b/i],
  [/\b(?:FOR\s+UPDATE|SKIP\s+LOCKED)\b/i],
  [/\bLATERAL\b/i],
  [/(?:@>|<@|\s!?~\*)(?=\s)/],
];

/** What a statement has that only PostgreSQL knows; undefined if it has nothing. */
export function postgresqlSyntax(sql: string): string | undefined {
  const code = sql.replace(/'[^']*'/g, "''");
  for (const [pattern, name] of syntaxes) {
    const found = pattern.exec(code);
    if (found) return name ?? found[0].trim();
  }
  return undefined;
}

/** Texts that begin as a statement, and the first argument of `raw`, `whereRaw` and the like. */
const STATEMENT =
  /(?:\b\w*[rR]aw\(\s*(["'`])((?:(?!\1)[^\\]|\\.){1,20000})\1)|(["'`])(\s*(?:SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|WITH|ALTER\s+TABLE|CREATE|TRUNCATE)\s(?:(?!\3)[^\\]|\\.){1,20000})\3/gi;

/** Whether a file asks for the kind of database, as in `client === "postgres"`. */
export const isForOneDatabase = (text: string): boolean =>
  /\b(?:client|dialect)\b[^;\n]{0,80}["'`](?:postgres(?:ql)?|pg|sqlite3?|better-sqlite3|mysql2?)["'`]|["'`](?:postgres(?:ql)?|pg)["'`][^;\n]{0,80}\b(?:client|dialect)\b/.test(
    text,
  );

const MAX_SHOWN = 60;

export function* postgresqlStatements(text: string) {
  for (const match of text.matchAll(STATEMENT)) {
    const sql = match[2] ?? match[4] ?? "";
    const syntax = postgresqlSyntax(sql);
    const shown = sql.replace(/\s+/g, " ").trim();
    const statement = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
    if (syntax !== undefined) yield { index: match.index, statement, syntax };
  }
}
