/** Finds the main part of a SQL statement, behind comments and common table expressions. */

/** Literals, quoted names, comments, parentheses, words. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[()]|[a-z_][\w$]*/gi;
const WORD = /^[a-z_]/i;
const AFTER_WITH: ReadonlySet<string> = new Set(["SELECT", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE"]);

/** `expressions`: `WITH` and its list; empty without one. `keyword`: the first word of the main part, in upper case. */
export function splitStatement(sql: string) {
  let depth = 0;
  let start: number | undefined;
  for (const { 0: token, index } of sql.matchAll(TOKEN)) {
    if (token === "(") depth++;
    else if (token === ")") depth--;
    if (depth > 0 || !WORD.test(token)) continue;
    const keyword = token.toUpperCase();
    if (start === undefined && keyword === "WITH") start = index;
    else if (start === undefined || AFTER_WITH.has(keyword))
      return { expressions: sql.slice(start ?? index, index), main: sql.slice(index), keyword };
  }
  return { expressions: "", main: sql, keyword: "" };
}
