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

export class KeptDocuments {
  readonly #reader: DocumentReader;
  readonly #kept: KeptRows;
  /** Documents to read again, since others have changed what they are linked to. */
  readonly #relinkedDocuments = new Set<string>();
  readonly #readVersions = new Map<string, RestVersion>();
  /** Of types without drafts, which have the same rows in each status. */
  readonly #states = new Map<ContentType, Promise<VersionState | undefined>>();

  constructor(reader: DocumentReader, kept: KeptRows) {
    this.#reader = reader;
    this.#kept = kept;
  }

  /** Rejects with a ProjectError; what has been read until then is kept. */
  async refresh(versions: readonly RestVersion[]): Promise<void> {
    for (const version of versions) this.#readVersions.set(listName(version), version);
    await allOf(groupVersions(versions), (group) =>
      group.type.kind === "singleType" ? this.#replaceAll(group.versions) : this.#refreshLists(group),
    );
    if (this.#relinkedDocuments.size > MAX_RELINKED) await this.#replaceAll(versions);
    else await this.#readRelinked();
  }

  async *rows(version: RestVersion): AsyncGenerator<Json> {
    yield* this.#kept.rows(listName(version));
  }

  #replace(version: RestVersion): Promise<void> {
    return this.#kept.replace(listName(version), this.#reader.rows(version, undefined));
  }

  async #replaceAll(versions: readonly RestVersion[]): Promise<void> {
    for (const version of versions) await this.#replace(version);
  }

  async #refreshLists(group: TypeStatus): Promise<void> {
    const state = await this.#stateOf(group);
    // the token may no longer find the type
    if (!state)
      for (const version of group.versions)
        this.#kept.remove(listName(version), this.#kept.documents(listName(version)));
    const incomplete = group.versions.filter((version) => !this.#kept.isComplete(listName(version)));
    await this.#replaceAll(incomplete);
    if (!state || incomplete.length === group.versions.length || this.#isCurrent(group, state)) return;
    for (const version of group.versions) await this.#readChanged(version);
    if (this.#count(group) !== state.total) for (const version of group.versions) await this.#compareLists(version);
  }

  #stateOf({ type, status }: TypeStatus): Promise<VersionState | undefined> {
    if (type.draftAndPublish) return this.#reader.state({ type, status });
    return this.#states.getOrInsertComputed(type, () => this.#reader.state({ type, status: "published" }));
  }

  #count({ versions }: TypeStatus): number {
    return versions.reduce((sum, version) => sum + this.#kept.count(listName(version)), 0);
  }

  #isCurrent(group: TypeStatus, state: VersionState): boolean {
    const latest = (field: "updatedAt" | "publishedAt") =>
      latestOf(group.versions.map((version) => this.#kept.latest(listName(version), field)));
    return (
      this.#count(group) === state.total &&
      (latest("updatedAt") ?? null) === state.updatedAt &&
      (state.publishedAt === undefined || (latest("publishedAt") ?? null) === state.publishedAt)
    );
  }

  async #readChanged(version: RestVersion): Promise<void> {
    const list = listName(version);
    const since = {
      updatedAt: earlier(this.#kept.latest(list, "updatedAt")),
      publishedAt: earlier(this.#kept.latest(list, "publishedAt")),
    };
    for await (const row of this.#reader.changed(version, since)) this.#put(list, row);
  }

  /** Removes what the server no longer lists, and reads what is missing here. */
  async #compareLists(version: RestVersion): Promise<void> {
    const list = listName(version);
    const listed = new Set<string>();
    for await (const row of this.#reader.identities(version)) listed.add(String(row.documentId));
    const here = this.#kept.documents(list);
    const removed = here.difference(listed);
    for (const document of this.#kept.remove(list, removed)) this.#relinkedDocuments.add(document);
    for (const document of removed) this.#addNaming(document);
    for await (const row of this.#reader.rows(version, [...listed.difference(here)])) this.#put(list, row);
  }

  #put(list: string, row: Json): void {
    const { relinked, isMoved } = this.#kept.put(list, row);
    for (const document of relinked) this.#relinkedDocuments.add(document);
    if (isMoved) this.#addNaming(String(row.documentId));
  }

  /** Links to a version that appears or disappears show without a change of their owner. */
  #addNaming(document: string): void {
    if (this.#relinkedDocuments.size > MAX_RELINKED) return;
    for (const other of this.#kept.naming(document)) this.#relinkedDocuments.add(other);
  }

  async #readRelinked(): Promise<void> {
    const byList = new Map<string, string[]>();
    for (const document of this.#relinkedDocuments)
      for (const list of this.#kept.listsOf(document)) byList.getOrInsertComputed(list, () => []).push(document);
    for (const [list, documents] of byList) {
      const version = this.#readVersions.get(list);
      if (version) for await (const row of this.#reader.rows(version, documents)) this.#kept.put(list, row);
    }
  }
}
