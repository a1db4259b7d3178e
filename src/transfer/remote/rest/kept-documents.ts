/**
 * Documents of an earlier pull, brought up to date: what has a later `updatedAt` or `publishedAt` is read, what is no longer listed is
 * removed, and so are read the documents whose links have changed from the other side, since their own times have not.
 */
import type { ContentType } from "../../../engine/schema/model.ts";
import { Semaphore } from "../../../lib/semaphore.ts";
import type { Json } from "../../archive/shapes.ts";
import type { DocumentReader, VersionState } from "./documents.ts";
import type { KeptRows } from "./kept-rows.ts";
import type { RestVersion } from "./rows.ts";

/** Subtracted from the latest time: writes that were in progress then have earlier times. */
const OVERLAP_MS = 60_000;
/** With more documents whose links may have changed, everything is read again. */
const MAX_RELINKED = 500;
const REQUESTS_AT_ONCE = 4;

/** The uid of the type of a list. */
export const typeOfList = (list: string): string => list.split(" ", 1)[0]!;

const listName = ({ type, status, locale }: RestVersion): string => `${type.uid} ${status} ${locale}`;

/** The rows of a type in one status, in all locales. */
interface TypeStatus {
  readonly type: ContentType;
  readonly status: RestVersion["status"];
  readonly versions: readonly RestVersion[];
}

function groupVersions(versions: readonly RestVersion[]): TypeStatus[] {
  const groups = Map.groupBy(versions, ({ type, status }) => `${type.uid} ${status}`);
  return [...groups.values()].map((group) => ({ type: group[0]!.type, status: group[0]!.status, versions: group }));
}

const earlier = (time: string | undefined): Date => new Date(Date.parse(time ?? "1970-01-01") - OVERLAP_MS);

const latestOf = (times: readonly (string | undefined)[]): string | undefined =>
  times
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);

/** Does work for all items, several at once. After a failure nothing else begins; rejects with it when all have ended. */
async function allOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const slots = new Semaphore(REQUESTS_AT_ONCE);
  const failures: unknown[] = [];
  const run = async (item: T): Promise<void> => {
    if (failures.length === 0) await work(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(items.map((item) => slots.run(1, () => run(item))));
  if (failures.length > 0) throw failures[0];
}

export function createKeptDocuments(reader: DocumentReader, kept: KeptRows) {
  /** Documents to read again, since others have changed what they are linked to. */
  const relinkedDocuments = new Set<string>();
  const readVersions = new Map<string, RestVersion>();
  /** Of types without drafts, which have the same rows in each status. */
  const states = new Map<ContentType, Promise<VersionState | undefined>>();

  /** Rejects with a ProjectError; what has been read until then is kept. */
  async function refresh(versions: readonly RestVersion[]): Promise<void> {
    for (const version of versions) readVersions.set(listName(version), version);
    await allOf(groupVersions(versions), (group) =>
      group.type.kind === "singleType" ? replaceAll(group.versions) : refreshLists(group),
    );
    if (relinkedDocuments.size > MAX_RELINKED) await replaceAll(versions);
    else await readRelinked();
  }

  async function* rows(version: RestVersion): AsyncGenerator<Json> {
    yield* kept.rows(listName(version));
  }

  const replace = (version: RestVersion): Promise<void> =>
    kept.replace(listName(version), reader.rows(version, undefined));

  async function replaceAll(versions: readonly RestVersion[]): Promise<void> {
    for (const version of versions) await replace(version);
  }

  async function refreshLists(group: TypeStatus): Promise<void> {
    const state = await stateOf(group);
    // the token may no longer find the type
    if (!state) for (const version of group.versions) kept.remove(listName(version), kept.documents(listName(version)));
    const incomplete = group.versions.filter((version) => !kept.isComplete(listName(version)));
    await replaceAll(incomplete);
    if (!state || incomplete.length === group.versions.length || isCurrent(group, state)) return;
    for (const version of group.versions) await readChanged(version);
    if (count(group) !== state.total) for (const version of group.versions) await compareLists(version);
  }

  function stateOf({ type, status }: TypeStatus): Promise<VersionState | undefined> {
    if (type.draftAndPublish) return reader.state({ type, status });
    return states.getOrInsertComputed(type, () => reader.state({ type, status: "published" }));
  }

  const count = ({ versions }: TypeStatus): number =>
    versions.reduce((sum, version) => sum + kept.count(listName(version)), 0);

  function isCurrent(group: TypeStatus, state: VersionState): boolean {
    const latest = (field: "updatedAt" | "publishedAt") =>
      latestOf(group.versions.map((version) => kept.latest(listName(version), field)));
    return (
      count(group) === state.total &&
      (latest("updatedAt") ?? null) === state.updatedAt &&
      (state.publishedAt === undefined || (latest("publishedAt") ?? null) === state.publishedAt)
    );
  }

  async function readChanged(version: RestVersion): Promise<void> {
    const list = listName(version);
    const since = {
      updatedAt: earlier(kept.latest(list, "updatedAt")),
      publishedAt: earlier(kept.latest(list, "publishedAt")),
    };
    for await (const row of reader.changed(version, since)) put(list, row);
  }

  /** Removes what the server no longer lists, and reads what is missing here. */
  async function compareLists(version: RestVersion): Promise<void> {
    const list = listName(version);
    const listed = new Set<string>();
    for await (const row of reader.identities(version)) listed.add(String(row.documentId));
    const here = kept.documents(list);
    const removed = here.difference(listed);
    for (const document of kept.remove(list, removed)) relinkedDocuments.add(document);
    for (const document of removed) addNaming(document);
    for await (const row of reader.rows(version, [...listed.difference(here)])) put(list, row);
  }

  function put(list: string, row: Json): void {
    const { relinked, isMoved } = kept.put(list, row);
    for (const document of relinked) relinkedDocuments.add(document);
    if (isMoved) addNaming(String(row.documentId));
  }

  /** Links to a version that appears or disappears show without a change of their owner. */
  function addNaming(document: string): void {
    if (relinkedDocuments.size > MAX_RELINKED) return;
    for (const other of kept.naming(document)) relinkedDocuments.add(other);
  }

  async function readRelinked(): Promise<void> {
    const byList = new Map<string, string[]>();
    for (const document of relinkedDocuments)
      for (const list of kept.listsOf(document)) byList.getOrInsertComputed(list, () => []).push(document);
    for (const [list, documents] of byList) {
      const version = readVersions.get(list);
      if (version) for await (const row of reader.rows(version, documents)) kept.put(list, row);
    }
  }

  return { refresh, rows };
}

export type KeptDocuments = ReturnType<typeof createKeptDocuments>;
