/**
 * The own changes of documents of some types and of one status, and nothing that depends on others: neither what is listed, nor where a page
 * ends, nor what it takes to find it. Expects that the log is compacted.
 */
import { quote } from "../sql.ts";
import type { Storage } from "../storage.ts";
import { changeLog } from "./change-log.ts";
import { COLUMNS, type Compacted, toVersion } from "./changes-since.ts";
import { type ChangeKind, changeKinds } from "./kinds.ts";
import { type NumberedTable, storedLinks } from "./stored-links.ts";

export type Status = "draft" | "published";

export interface ListedVersion {
  /** The content-type's uid. */
  readonly type: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
  readonly kind: ChangeKind;
}

/** What is listed. */
export interface Scope {
  /** Uids of content-types. */
  readonly types: ReadonlySet<string>;
  /** Types without drafts have published versions only. */
  readonly status: Status;
  /** Versions of a page. */
  readonly limit: number;
}

export interface ChangesPage {
  readonly versions: readonly ListedVersion[];
  /** To be passed for the next page. */
  readonly sequence: number;
  readonly hasMore: boolean;
}

/** The sequence up to which the log is compacted. */
export const compactedSequence = (storage: Storage): number => changeLog(storage)!.compacted;

const statusOf = ({ draftAndPublish }: NumberedTable, status: Status): Status =>
  draftAndPublish ? status : "published";

/** The tables of the types, in an order that stays. */
const tablesOf = (storage: Storage, types: ReadonlySet<string>): NumberedTable[] =>
  [...storedLinks(storage).tables.values()]
    .filter(({ uid, modelType }) => modelType === "contentType" && types.has(uid))
    .sort((a, b) => a.number - b.number);

const FROM = `FROM json_each(?1) t CROSS JOIN galley_changed c ON c.source = t.value ->> 0 AND c.status = t.value ->> 1
  AND c.own > ?2 AND c.document <> ''`;
// versions that changed with one entry have its sequence in common
const PAGE = `SELECT ${COLUMNS} ${FROM} AND c.own <= (SELECT max(own) FROM (SELECT own ${FROM} ORDER BY own LIMIT ?3)) ORDER BY own`;
const FORGOTTEN = `SELECT 1 FROM json_each(?1) t CROSS JOIN galley_changed c ON c.source = t.value ->> 0
  AND c.status IN ('', t.value ->> 1) AND c.document = '' AND c.locale = '' AND c.own > ?2 LIMIT 1`;

/** In the order of the last changes. Undefined if the log no longer knows all since `since`. */
export function ownChanges(storage: Storage, { types, status, limit }: Scope, since: number): ChangesPage | undefined {
  const tables = tablesOf(storage, types);
  const pairs = JSON.stringify(tables.map((table) => [table.number, statusOf(table, status)]));
  if (storage.first(FORGOTTEN, [pairs, since])) return undefined;
  const byNumber = new Map(tables.map((table) => [table.number, table]));
  const rows = storage.all(PAGE, [pairs, since, limit]) as unknown as Compacted[];
  const versions = rows.map((row) => toVersion(byNumber.get(row[0])!, row));
  const kinds = changeKinds(storage, versions, since);
  const hasMore = rows.length >= limit;
  return {
    versions: versions.map((version) => ({
      ...{ type: version.type.uid, documentId: version.documentId, locale: version.locale },
      ...{ status: version.status as Status, kind: kinds.get(version)! },
    })),
    sequence: hasMore ? versions.at(-1)!.own : compactedSequence(storage),
    hasMore,
  };
}

/** Where a listing of all versions continues: behind a row of a table. */
export interface Cursor {
  readonly table: number;
  readonly row: number;
}

/** All versions that there are. `next` undefined: there are no more. */
export function everyVersion(storage: Storage, { types, status, limit }: Scope, from: Cursor) {
  const versions: ListedVersion[] = [];
  for (const table of tablesOf(storage, types)) {
    if (table.number < from.table) continue;
    const own = statusOf(table, status);
    const kind = table.draftAndPublish && own === "published" ? "publish" : "create";
    const sql = `SELECT id, document_id, locale FROM ${quote(table.name)} WHERE id > ? AND status = ? ORDER BY id LIMIT ?`;
    const after = table.number === from.table ? from.row : 0;
    const rows = storage.all(sql, [after, own, limit - versions.length]) as [number, string, string | null][];
    for (const [, documentId, locale] of rows)
      versions.push({ type: table.uid, documentId, locale, status: own, kind });
    if (versions.length === limit) return { versions, next: { table: table.number, row: rows.at(-1)![0] } };
  }
  return { versions, next: undefined };
}
