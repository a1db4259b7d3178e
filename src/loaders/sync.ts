/**
 * What has changed of a content-type since the last build. A Galley server tells which documents were written, and one more request reads
 * those and what shows them; of a Strapi server, the times of all documents are read and compared.
 */
import { isObject, type Server } from "./client.ts";
import { type Documents, idOf, type Listing, readAll, readByIds, type Source, selection } from "./documents.ts";
import { type Changes, readChanges } from "./feed.ts";
import { hasTimes, idsIn, onlyTimes, stampOf } from "./stamps.ts";
import { EVERYTHING, idInTag, isOfDocument, tagNameOf, typeInTag } from "./tags.ts";

export interface Sync {
  /** New ones and those that may have changed, by their keys. */
  readonly documents: Documents;
  /** Keys of documents that are gone. */
  readonly removed: readonly string[];
  /** To be passed with the next call. */
  readonly state: string;
}

/** What is kept between builds. */
interface State {
  /** The source. Servers may change their addresses, and tokens and ids tell them apart. */
  readonly of: string;
  /** Of the change feed. */
  readonly token?: string | undefined;
  /** The types that the documents depend on, by their names in tags; undefined if the server does not tell. */
  readonly types?: readonly string[] | undefined;
  /** The source's `populate`, with the times of documents only. */
  readonly times: unknown;
  readonly stamps: Readonly<Record<string, string>>;
}

const describe = (source: Source): string =>
  JSON.stringify([source.type, source.path, source.single, selection(source)]);

function parseState(text: string | undefined): State | undefined {
  if (text === undefined) return undefined;
  const state: unknown = JSON.parse(text);
  return isObject(state) && isObject(state.stamps) ? (state as unknown as State) : undefined;
}

function typesIn(tags: readonly string[] | undefined): readonly string[] | undefined {
  const types = new Set(tags?.map(typeInTag));
  // what every answer depends on ends the feed
  types.delete(EVERYTHING);
  return tags && [...types];
}

const stampsOf = (documents: Documents): Record<string, string> =>
  Object.fromEntries([...documents].map(([key, document]) => [key, stampOf(document)]));

/** Everything is read. */
async function begin(server: Server, source: Source, before: State | undefined): Promise<Sync> {
  // what is written while the documents are read is listed with the next build
  const now = await readChanges(server, source, undefined);
  const { documents, tags } = await readAll(server, source);
  const state: State = {
    of: describe(source),
    token: now === "gone" ? undefined : now?.token,
    types: typesIn(tags),
    times: onlyTimes(source.populate, [...documents.values()]),
    stamps: stampsOf(documents),
  };
  const removed = Object.keys(before?.stamps ?? {}).filter((key) => !documents.has(key));
  return { documents, removed, state: JSON.stringify(state) };
}

/** Reads documents again, which may be gone. */
async function update(server: Server, source: Source, before: State, ids: ReadonlySet<string>): Promise<Sync> {
  const { documents, tags }: Listing =
    ids.size === 0 ? { documents: new Map(), tags: [] } : await readByIds(server, source, [...ids]);
  const removed = Object.keys(before.stamps).filter((key) => ids.has(idOf(key)) && !documents.has(key));
  const stamps = { ...before.stamps, ...stampsOf(documents) };
  for (const key of removed) delete stamps[key];
  const types = before.types && tags && typesIn([...before.types, ...tags]);
  const state: State = { ...before, types, stamps };
  return { documents, removed, state: JSON.stringify(state) };
}

/** The times of all documents are read, and those of other ones in them. */
async function compare(server: Server, source: Source, before: State): Promise<Sync> {
  if (source.single || !hasTimes(Object.values(before.stamps))) return begin(server, source, before);
  const params = { ...selection(source), fields: ["updatedAt"], populate: before.times };
  const stamps = stampsOf((await readAll(server, source, { params })).documents);
  const keys = new Set([...Object.keys(stamps), ...Object.keys(before.stamps)]);
  const changed = [...keys].filter((key) => stamps[key] !== before.stamps[key]);
  return update(server, source, before, new Set(changed.map(idOf)));
}

/** Whether the changes tell of everything that the documents show. */
function areComplete({ types, changes, tags }: Changes, { populate, type }: Source, before: State): boolean {
  if (!types.includes(type)) return false;
  if (populate === undefined) return true;
  const listed = new Set(types.map(tagNameOf));
  if (!before.types?.every((name) => listed.has(name))) return false;
  if (tags === undefined || tags.includes(EVERYTHING)) return false;
  // documents that are not shown yet may meet a condition now
  return changes.every((change) => change.type === type) || !JSON.stringify(populate).includes('"filters"');
}

/** Whether relations of what documents show may be shown, too. */
const isNested = (populate: unknown): boolean => /"populate"|"on"|\./.test(JSON.stringify(populate ?? null));

/** The ids of documents that were written, or that show written ones. */
function findStale(
  { changes, tags = [] }: Changes,
  { type, populate }: Source,
  { stamps }: State,
): ReadonlySet<string> {
  const name = tagNameOf(type);
  const shown = isNested(populate) ? tags : tags.filter(isOfDocument);
  const written = new Set([
    ...changes.map(({ documentId }) => documentId),
    ...shown.flatMap((tag) => idInTag(tag) ?? []),
  ]);
  return new Set([
    ...changes.filter((change) => change.type === type).map(({ documentId }) => documentId),
    ...tags.filter((tag) => typeInTag(tag) === name).flatMap((tag) => idInTag(tag) ?? []),
    ...Object.keys(stamps)
      .filter((key) => idsIn(stamps[key]!).some((id) => written.has(id)))
      .map(idOf),
  ]);
}

/**
 * `state`: of the last call, if its documents are still there; without one, or if it is of another source, everything is read. Documents
 * that another source had, and this one has not, are removed.
 * Rejects with a RequestError if the server refuses, and with an Error if it cannot be reached.
 */
export async function sync(server: Server, source: Source, state: string | undefined): Promise<Sync> {
  const before = parseState(state);
  if (before?.of !== describe(source)) return begin(server, source, before);
  if (before.token === undefined) return compare(server, source, before);
  const changes = await readChanges(server, source, before.token);
  if (changes === "gone" || changes === undefined) return begin(server, source, before);
  const now = { ...before, token: changes.token };
  if (!areComplete(changes, source, before)) return compare(server, source, now);
  return update(server, source, now, findStale(changes, source, before));
}
