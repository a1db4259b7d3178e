/** Finds calls of unsupported APIs, with their lines. Searches the source without running it. */

import { isForOneDatabase, postgresqlStatements } from "../knex/postgresql-syntax.ts";
import { absentMembers, serviceUid } from "../plugins/absent-members.ts";

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly what: string;
  /** Continues `what` to a sentence. */
  readonly effect: string;
  readonly advice: string;
}

interface Rule extends Omit<Finding, "file" | "line"> {
  readonly pattern: RegExp;
}

/** Calling one of these throws an error that names it, or has no effect. */
const rules: readonly Rule[] = [
  {
    pattern: /strapi\.reload\s*\(/g,
    what: "strapi.reload()",
    effect: "has no effect",
    advice: "changed files are loaded by themselves",
  },
  {
    pattern: /strapi\.stop\s*\(/g,
    what: "strapi.stop()",
    effect: "throws an error",
    advice: "the process also serves requests without the code",
  },
  {
    // actions that code registers are among the permissions of administrators
    pattern: /strapi\.admin\b(?!\.services\.permission\.actionProvider\b)/g,
    what: "strapi.admin",
    effect: "has only administrators and roles",
    advice: "administrators and roles are kept until the server stops; other services do nothing",
  },
  {
    // a relation to administrators is no use of them
    pattern:
      /(?<!\btarget["']?\s*:\s*)["']admin::(?:user|role|permission|transfer-token)["'](?!\s*\)\s*\.actionProvider\b)/g,
    what: "administrators and their roles",
    effect: "are kept until the server stops",
    advice: "what code writes is kept until the server stops, and nobody can sign in with it",
  },
  {
    pattern: /\bqueryBuilder\s*\([^;]{0,400}?\.join\s*\([^;)]{0,400}?\btargetField\b/g,
    what: "joins of strapi.db.queryBuilder by targetField",
    effect: "are not supported",
    advice: "calling one throws an error; name the tables and columns instead",
  },
];

export const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;
const isComment = (text: string, index: number): boolean =>
  /^\s*(?:\/\/|\*)/.test(text.slice(text.lastIndexOf("\n", index) + 1, index + 1));

/** Members of services, by `plugin("upload").service("file")` or `service("plugin::upload.file")`. */
const SERVICE_MEMBER =
  /(?:\bplugin\(\s*["']([\w-]+)["']\s*\)\s*\.service\(\s*["']([\w-]+)["']|\bservice\(\s*["'](?:plugin::([\w-]+)\.|admin::)([\w-]+)["'])\s*\)\s*\??\.\s*(\w+)/g;

function* absentCalls(file: string, text: string): Generator<Finding> {
  for (const { index, 1: plugin, 2: name, 3: uidPlugin, 4: uidName, 5: member = "" } of text.matchAll(SERVICE_MEMBER)) {
    const [of, service = ""] = [plugin ?? uidPlugin, name ?? uidName];
    const owner = of === undefined ? "admin" : `plugin::${of}`;
    if (isComment(text, index) || !absentMembers[owner]?.[service]?.split(" ").includes(member)) continue;
    const advice = "calling it throws an error; use the documents, or own code, instead";
    const what = `${serviceUid(owner, service)}: ${member}`;
    yield { file, line: lineAt(text, index), what, effect: "does not exist", advice };
  }
}

function* postgresqlCalls(file: string, text: string): Generator<Finding> {
  if (isForOneDatabase(text)) return;
  for (const { index, statement, syntax } of postgresqlStatements(text)) {
    if (isComment(text, index)) continue;
    yield {
      file,
      line: lineAt(text, index),
      what: `${syntax} in ${statement}`,
      effect: "is an error: it is PostgreSQL's, and the database is SQLite",
      advice: "write it for SQLite, or check strapi.db.dialect.client first",
    };
  }
}

export function findCalls(file: string, text: string): Finding[] {
  const found = rules.flatMap(({ pattern, what, effect, advice }) =>
    [...text.matchAll(pattern)]
      .filter(({ index }) => !isComment(text, index))
      .map(({ index }) => ({ file, line: lineAt(text, index), what, effect, advice })),
  );
  return [...found, ...absentCalls(file, text), ...postgresqlCalls(file, text)];
}
