/** The cache tags that are stale since an earlier state of the database: those of compacted entries are kept. */
import { EVERYTHING } from "../../../lib/cache-tags.ts";
import { ANY, LINKS, ROW_IDS, tagName, versionSuffix } from "../cache-tags.ts";
import type { Storage } from "../storage.ts";
import { allStale, findStale, type StaleTag } from "./find-stale.ts";
import { splitParts } from "./joined-parts.ts";
import { type Field, type NumberedTable, type StoredLinks, storedLinks } from "./stored-links.ts";
import { type Entry, readEntries } from "./versions.ts";

const MAX_TAGS = 200_000;

const KEEP = `INSERT INTO galley_stale SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, ? FROM json_each(?)
  WHERE TRUE ON CONFLICT DO UPDATE SET sequence = excluded.sequence, seen_at = excluded.seen_at`;

const keep = (storage: Storage, tags: readonly StaleTag[], now: number): unknown =>
  storage.run(KEEP, [now, JSON.stringify(tags)]);

/** Called before entries are compacted. */
export const keepStale = (storage: Storage, entries: readonly Entry[], now: number): unknown =>
  keep(storage, findStale(storage, entries), now);

/** Tags that are forgotten may have been any. */
export function forgetStale(storage: Storage, ageMs: number, now: number): void {
  const sql = `SELECT max(sequence) FROM galley_stale WHERE source <> 0 AND (seen_at < ?1 OR sequence <=
    (SELECT sequence FROM galley_stale ORDER BY sequence DESC LIMIT 1 OFFSET ?2))`;
  const [last] = storage.first(sql, [now - ageMs, MAX_TAGS])!;
  if (last === null) return;
  storage.run("DELETE FROM galley_stale WHERE sequence <= ? AND source <> 0", [last as number]);
  const known = storage.first("SELECT max(sequence) FROM galley_stale WHERE source = 0 AND cause = 0")![0] as
    | number
    | null;
  if ((known ?? 0) < (last as number)) keep(storage, [allStale(last as number)], now);
}

/** Which of them a reader may learn of. */
export interface StaleScope {
  /** Whether the reader may list all documents of a content-type; its uid. */
  readonly mayList: (uid: string) => boolean;
  /** Whether answers can name an attribute of a content-type or component. `column`: of a scalar attribute, or the name of another one. */
  readonly isNamed: (uid: string, column: string) => boolean;
  readonly status: "draft" | "published" | undefined;
}

/** What is named at most: beyond it, everything is stale. */
export interface StaleBounds {
  /** Entries of triggers, of which each takes a fraction of a millisecond. */
  readonly entries: number;
  readonly tags: number;
}

/** The attribute that a part names, alone or after a document, and one of what it leads to. */
const ATTRIBUTES = /^(?:\.|:[^:]*:)([^=.]*)(?:\.([^=]*))?/;

function isShown(
  { mayList, isNamed, status: wanted }: StaleScope,
  { tables, fields }: StoredLinks,
  [source, part, , status, cause]: StaleTag,
): boolean {
  const [from, ...path] = String(cause).split(" ").map(Number);
  const isNamedField = (field: Field | undefined): boolean =>
    field !== undefined && isNamed(field.owner.uid, field.name);
  // neither documents nor files show what private attributes link, those of components and around them among these
  if (!path.every((number) => isNamedField(fields.get(number)))) return false;
  const [type, other] = [tables.get(source), tables.get(from!)];
  // permissions and roles of others say nothing about what a reader may read
  if (source === 0) return from === 0 || (other !== undefined && mayList(other.uid));
  if (!type || !other || !mayList(type.uid) || !mayList(other.uid)) return false;
  // a type without versions has drafts of what it links to
  if (wanted && status !== wanted && (type.draftAndPublish || status === "draft")) return false;
  const [, attribute, beyond] = ATTRIBUTES.exec(part) ?? [];
  if (beyond !== undefined && !isNamed(other.uid, beyond)) return false;
  return attribute === undefined || part === ROW_IDS || isNamed(type.uid, attribute);
}

function split({ tables }: StoredLinks, tag: StaleTag): readonly StaleTag[] {
  const [source, joined, ...rest] = tag;
  const type = tables.get(source);
  return type ? splitParts(joined, type).map((part): StaleTag => [source, part, ...rest]) : [tag];
}

const LINK = /^(:[^:]*):/;

/** Of a tag also those that name neither the locale nor which of its links or what of the type has changed. */
function namesOf(tables: ReadonlyMap<number, NumberedTable>, [source, part, locale, status]: StaleTag): string[] {
  if (source === 0) return [part === ANY ? EVERYTHING : part];
  const name = tagName(tables.get(source)!.uid);
  const [, document] = LINK.exec(part) ?? [];
  return [part, ...(document === undefined ? [] : [document + LINKS]), ANY].flatMap((what) =>
    [locale, ""].map((where) => name + what + versionSuffix(where, status)),
  );
}

/** Sorted. `since`: a sequence of the log, which must be enabled. */
export function staleSince(storage: Storage, since: number, scope: StaleScope, bounds: StaleBounds): string[] {
  const kept = storage.all(
    "SELECT source, part, locale, status, cause, sequence FROM galley_stale WHERE sequence > ?",
    [since],
  );
  const entries = readEntries(storage, since, bounds.entries + 1);
  const found = entries.length > bounds.entries ? [allStale(since)] : findStale(storage, entries);
  const links = storedLinks(storage);
  const names = new Set<string>();
  for (const joined of [...(kept as unknown as StaleTag[]), ...found]) {
    for (const tag of split(links, joined))
      if (isShown(scope, links, tag)) for (const name of namesOf(links.tables, tag)) names.add(name);
    if (names.size > bounds.tags) return [EVERYTHING];
  }
  return [...names].sort();
}
