/** The documents that differ from those of an earlier state of a project's database, version by version. */
import { FILE, LOCALE, ROLE, USER } from "../engine/schema/builtin/index.ts";
import type { ContentType, Model } from "../engine/schema/model.ts";
import { quote } from "../engine/storage/sql.ts";
import type { Storage } from "../engine/storage/storage.ts";
import type { DocumentChange } from "../public-types.ts";

/** Rows that are compared at once. */
const PAGE = 5_000;

/** Of the types of plugins. */
const LISTED: readonly string[] = [USER, ROLE, FILE, LOCALE];

type Row = readonly [id: number, documentId: string, locale: string | null, status: string, ...values: unknown[]];

const keyOf = ([, documentId, locale, status]: Row): string => JSON.stringify([documentId, locale, status]);

const readPage = (storage: Storage, { table }: ContentType, after: number): Row[] =>
  storage.all(`SELECT id, document_id, locale, status, * FROM ${quote(table)} WHERE id > ? ORDER BY id LIMIT ${PAGE}`, [
    after,
  ]) as unknown as Row[];

/** The rows of a type that differ, page by page: those that are gone or were otherwise, and those that are new or otherwise. */
function findRows(type: ContentType, before: Storage, now: Storage): { readonly old: Row[]; readonly current: Row[] } {
  const [old, current]: [Row[], Row[]] = [[], []];
  for (let after = 0; ; ) {
    const pages = [readPage(before, type, after), readPage(now, type, after)] as const;
    // up to there, both are known
    const until = Math.min(...pages.map((rows) => (rows.length < PAGE ? Number.POSITIVE_INFINITY : rows.at(-1)![0])));
    const [was, is] = pages.map((rows) => new Map(rows.filter(([id]) => id <= until).map((row) => [row[0], row])));
    for (const row of was!.values()) if (!Bun.deepEquals(row, is!.get(row[0]))) old.push(row);
    for (const row of is!.values()) if (!Bun.deepEquals(row, was!.get(row[0]))) current.push(row);
    if (until === Number.POSITIVE_INFINITY) return { old, current };
    after = until;
  }
}

function changesOf(type: ContentType, before: Storage, now: Storage): DocumentChange[] {
  const { old, current } = findRows(type, before, now);
  const [was, is] = [old, current].map((rows) => new Map(rows.map((row) => [keyOf(row), row])));
  const draftOf = `SELECT 1 FROM ${quote(type.table)} WHERE document_id = ? AND locale IS ? AND status = 'draft'`;
  const kindOf = (key: string, row: Row): DocumentChange["kind"] => {
    const [, documentId, locale, status] = row;
    const isPublication = type.draftAndPublish && status === "published";
    if (!is!.has(key)) return isPublication && now.first(draftOf, [documentId, locale]) ? "unpublish" : "delete";
    if (!was!.has(key)) return isPublication ? "publish" : "create";
    // each publication is another row
    return isPublication && was!.get(key)![0] !== is!.get(key)![0] ? "publish" : "update";
  };
  return [...new Map([...was!, ...is!])].map(([key, row]) => {
    const [, documentId, locale, status] = row;
    return { type: type.uid, documentId, locale, status: status as DocumentChange["status"], kind: kindOf(key, row) };
  });
}

/** In the order of the types, and of the rows in each: those that were there first. */
export const findChanges = (model: Model, before: Storage, now: Storage): DocumentChange[] =>
  [...model.types.values()]
    .filter(({ plugin, uid }) => plugin === undefined || LISTED.includes(uid))
    .flatMap((type) => changesOf(type, before, now));
