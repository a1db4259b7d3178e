/**
 * What applies to a whole read, and how it runs. Reads are generators that yield where they may pause, and statements that another process
 * should read. A short read runs through. During a long one other requests are served, and it goes on only if content is still the same, so
 * that all of it is from one snapshot. Otherwise it begins again once.
 */
import type { Budget } from "../../lib/budget.ts";
import { ApiError, validationError } from "../../lib/errors.ts";
import { logError } from "../../lib/printable.ts";
import type { MaybePromise } from "../../lib/when-ready.ts";
import type { Model } from "../schema/model.ts";
import type { Statement } from "../storage/long-reads.ts";
import { quote } from "../storage/sql.ts";
import type { Row, Storage } from "../storage/storage.ts";

/** The part of a list that a request needs, read in advance. */
export interface PreparedList {
  readonly ids: readonly number[];
  /** Undefined if it was not requested. */
  readonly count: number | undefined;
}

export type Status = "draft" | "published";

export interface ReadContext {
  readonly storage: Storage;
  readonly model: Model;
  /** The version to read of types with drafts; undefined: both. */
  readonly status: Status | undefined;
  /** Localizations are all other rows of a document instead of those of the same version. */
  readonly listsVersions?: boolean | undefined;
  readonly publicationFilter?: PublicationFilter | undefined;
  /** The result is only read, so that places in it, and other requests, may have the same documents of what relations lead to. */
  readonly sharesRows?: boolean | undefined;
  /** What another process has read of the list that is read next. */
  readonly prepared?: PreparedList;
}

/** A read with the budget of its query. */
export interface BudgetedReadContext extends ReadContext {
  readonly budget: Budget;
}

type Rows = readonly Row[] | undefined;
export type Reading<T> = Generator<Statement | undefined, T, Rows>;

/** A paused read cannot go on: content has changed. */
export class ContentChanged extends Error {}

/** The rows of a statement. `isLong`: another process reads them, if there is one that can. */
export function* readAll(storage: Storage, statement: Statement, isLong: boolean): Reading<readonly Row[]> {
  const rows = isLong ? yield statement : undefined;
  return rows ?? storage.all(statement.sql, statement.params);
}

/** Runs a read without pauses, in this process. */
export function finish<T>(reading: Reading<T>): T {
  for (;;) {
    const next = reading.next();
    if (next.done) return next.value;
  }
}

/**
 * Runs a read, with pauses: a promise only if it takes long. `version`: of the content that the request has read before.
 * Rejects with ContentChanged.
 */
export function runReading<T>(
  storage: Storage,
  budget: Budget,
  reading: Reading<T>,
  version = storage.version(),
): MaybePromise<T> {
  // others would join the transaction
  if (storage.isWriting) return finish(reading);
  const next = reading.next();
  return next.done ? next.value : resume({ storage, budget, reading, version }, next.value);
}

interface PausedReading<T> {
  readonly storage: Storage;
  readonly budget: Budget;
  readonly reading: Reading<T>;
  /** Of the content that it reads. */
  readonly version: string;
}

/** Undefined if another process cannot read the statement. Rejects with a ServiceUnavailableError after a timeout. */
async function readApart({ storage, budget }: PausedReading<unknown>, statement: Statement): Promise<Rows> {
  const { longReads } = storage;
  if (!longReads) return undefined;
  try {
    return await budget.waitFor(longReads.read(statement));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // it is read in this process instead, which reports the error
    logError(error);
    return undefined;
  }
}

/** The next step, in a turn of its own, once the last one was done: a pause, or a statement that another process reads. */
async function nextStep<T>(paused: PausedReading<T>, last: Statement | undefined) {
  const { storage, budget, reading, version } = paused;
  let rows: Rows;
  if (last) rows = await readApart(paused, last);
  else await budget.pause();
  try {
    storage.hold();
    if (storage.version() !== version) throw new ContentChanged();
    return reading.next(rows);
  } finally {
    budget.stop();
  }
}

async function resume<T>(paused: PausedReading<T>, first: Statement | undefined): Promise<T> {
  let last = first;
  // what is read in another process at the start holds little memory
  while (last) {
    const next = await nextStep(paused, last);
    if (next.done) return next.value;
    last = next.value;
  }
  return paused.budget.whenAdmitted(async () => {
    for (;;) {
      const next = await nextStep(paused, last);
      if (next.done) return next.value;
      last = next.value;
    }
  });
}

/**
 * The second and last attempt of a read that has paused while content changed: on a connection of its own, whose snapshot stays the
 * same during pauses. A database in memory has one connection only: `reader` is undefined, and the attempt must not pause.
 */
export function readAgain<T>(
  storage: Storage,
  budget: Budget,
  read: (reader: Storage | undefined) => MaybePromise<T>,
): MaybePromise<T> {
  if (storage.snapshots) return storage.snapshots.run(async (reader) => read(reader));
  budget.allowLongTurn();
  return read(undefined);
}

/** As `runReading`, but begins again when content has changed. */
export function runSteadily<T>(
  storage: Storage,
  budget: Budget,
  read: (storage: Storage) => Reading<T>,
): MaybePromise<T> {
  if (storage.isWriting) return finish(read(storage));
  const before = budget.mark();
  const version = storage.version();
  const reading = read(storage);
  const first = reading.next();
  if (first.done) return first.value;
  return resume({ storage, budget, reading, version }, first.value).catch((error: unknown) => {
    if (!(error instanceof ContentChanged)) throw error;
    budget.reset(before);
    return readAgain(storage, budget, (reader) =>
      reader ? runReading(reader, budget, read(reader)) : finish(read(storage)),
    );
  });
}

/**
 * SQL conditions on a draft and on a published row `t`. `other(status, condition, anyLocale)` is true when the document has
 * such another version `o`.
 */
type FilterConditions = (other: (status: string, more?: string, anyLocale?: boolean) => string) => {
  readonly draft: string;
  readonly published: string;
};

const NONE = "0";

const publicationConditions = {
  "never-published": (other) => ({ draft: `NOT ${other("published")}`, published: NONE }),
  "has-published-version": (other) => ({ draft: other("published"), published: other("draft") }),
  modified: (other) => ({
    draft: other("published", "t.updated_at > o.updated_at"),
    published: other("draft", "o.updated_at > t.updated_at"),
  }),
  unmodified: (other) => ({
    draft: other("published", "t.updated_at <= o.updated_at"),
    published: other("draft", "o.updated_at <= t.updated_at"),
  }),
  "never-published-document": (other) => ({ draft: `NOT ${other("published", "1", true)}`, published: NONE }),
  "has-published-version-document": (other) => ({
    draft: other("published", "1", true),
    published: other("draft", "1", true),
  }),
  "published-without-draft": (other) => ({ draft: NONE, published: `NOT ${other("draft")}` }),
  "published-with-draft": (other) => ({ draft: NONE, published: other("draft") }),
} as const satisfies Record<string, FilterConditions>;

export type PublicationFilter = keyof typeof publicationConditions;

export const publicationFilters = Object.keys(publicationConditions) as PublicationFilter[];

const isFilter = (value: unknown): value is PublicationFilter =>
  typeof value === "string" && Object.hasOwn(publicationConditions, value);

/** `hasPublishedVersion` is ignored beside `publicationFilter`. Throws a ValidationError for an unknown value. */
export function readPublicationFilter(params: Readonly<Record<string, unknown>>): PublicationFilter | undefined {
  const { publicationFilter, hasPublishedVersion } = params;
  if (publicationFilter !== undefined && publicationFilter !== null) {
    if (isFilter(publicationFilter)) return publicationFilter;
    const message = `Invalid value for 'publicationFilter'. Expected one of: ${publicationFilters.join(", ")}.`;
    throw validationError(message, { source: "query", param: "publicationFilter" });
  }
  if (hasPublishedVersion === undefined || hasPublishedVersion === null) return undefined;
  if (hasPublishedVersion === true || hasPublishedVersion === "true") return "has-published-version-document";
  if (hasPublishedVersion === false || hasPublishedVersion === "false") return "never-published-document";
  throw validationError("Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.");
}

/** The filter as a condition on the row `t` of `table`. */
export function publicationSql(table: string, filter: PublicationFilter, status: "draft" | "published"): string {
  const conditionsFor: FilterConditions = publicationConditions[filter];
  return conditionsFor((otherStatus, more = "1", anyLocale = false) => {
    const locale = anyLocale ? "" : " AND o.locale IS t.locale";
    return `EXISTS (SELECT 1 FROM ${quote(table)} o WHERE o.document_id = t.document_id${locale} AND o.status = '${otherStatus}' AND ${more})`;
  })[status];
}
