/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The types of the library. They are published as they are here: without imports, so that programs need no other package's
 * types to compile.
 */

export interface GalleyOptions {
  /** The project's folder; this or an archive. */
  readonly project?: string | undefined;
  /** An archive of `strapi export` or `galley export`, instead of a project. */
  readonly archive?: string | undefined;
  /** Password of an encrypted archive. */
  readonly key?: string | undefined;
  /** Keep the database in memory; default: true. */
  readonly memory?: boolean | undefined;
  /** Allow reads of all content-types without authentication; default: false. */
  readonly publicRead?: boolean | undefined;
  /** Serve the admin's routes, for admin tokens; default: false. */
  readonly admin?: boolean | undefined;
  /**
   * Entries that replace those of the project's content files, by the names of the files: `{ articles: [{ key: "a",
   * data: { title: "A" } }] }`. Their media are read from `content/media`.
   */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
  /** Where the clock is set at the start, as by `clock.set`: the time of the first write. */
  readonly now?: Date | string | number | undefined;
  /** A seed for document ids and names of uploaded files, which are then the same in every run. */
  readonly seed?: string | number | undefined;
  /** Webhooks beside those of the project, of a database in memory: for `webhooks()`, and for receivers that a test has. */
  readonly webhooks?: readonly TestWebhook[] | undefined;
  /** The environment for configuration files; default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * The folder in which empty tables of databases in memory are cached for the next start with the same files; false: none.
   * Default: the user's cache folder, or the process's GALLEY_CACHE.
   */
  readonly cache?: string | false | undefined;
}

/** As the global `fetch`, for paths ("/api/articles") and requests, without a port. */
export type Send = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Sends requests with the credentials of a user, a token or the public. */
export interface Caller {
  /** The `Authorization` header, for requests that are sent in another way; undefined for the public. */
  readonly authorization: () => Promise<string | undefined>;
  readonly fetch: Send;
}

/** A snapshot of content and uploads, for `reset` of the same project. */
export interface Snapshot {
  readonly takenAt: Date;
}

/** A failure of requests. Without `status`, `body`, `message` and `cut`, a `delay` only delays. */
export interface RequestFailure {
  /** "/api/articles", or with `*` for any characters: "/api/*"; default: all. */
  readonly path?: string | undefined;
  /** Default: all. */
  readonly method?: string | undefined;
  /** The name of an operation of GraphQL, which is answered with `errors`. */
  readonly operation?: string | undefined;
  /** Default: 500. */
  readonly status?: number | undefined;
  /** Instead of Strapi's envelope. */
  readonly body?: unknown;
  /** Of the error. */
  readonly message?: string | undefined;
  /** Milliseconds before the answer. */
  readonly delay?: number | undefined;
  /** How many requests are answered before; default: 0. */
  readonly after?: number | undefined;
  /** How many requests fail; default: all. */
  readonly times?: number | undefined;
  /** The answer breaks off. */
  readonly cut?: boolean | undefined;
}

/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** With the query string, as it was sent. */
  readonly path: string;
  /** The name of the operation of GraphQL. */
  readonly operation: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
}

/**
 * How often each request is expected: "GET /api/articles?populate=author" is one with at least these parameters, "GraphQL Articles" an
 * operation by its name.
 */
export type ExpectedRequests = Readonly<Record<string, number>>;

export interface SentMail {
  readonly to: string;
  readonly from: string | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string | undefined;
  /** The URLs in it, such as the one for a new password. */
  readonly links: readonly string[];
}

/** A webhook of a test. It is sent to any host that it names, unlike those of the project, of which only those on this machine are. */
export interface TestWebhook {
  readonly name?: string | undefined;
  /** Default: it is not sent, only told. */
  readonly url?: string | undefined;
  /** Default: all of entries and media. */
  readonly events?: readonly string[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A request to a webhook: one that was sent, or would have been. */
export interface SentWebhook {
  readonly event: string;
  /** The name; undefined for a request that code has sent by itself. */
  readonly webhook: string | undefined;
  /** Undefined for a webhook of the test without one. */
  readonly url: string | undefined;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Of the response, or 500 if there was none; undefined if it was not sent. */
  readonly status: number | undefined;
  /** Why it was not sent, or has failed. */
  readonly problem: string | undefined;
}

/** A version of a document that differs from an earlier state. */
export interface DocumentChange {
  /** The content-type's uid. */
  readonly type: string;
  readonly documentId: string;
  /** Null for types without locales. */
  readonly locale: string | null;
  readonly status: "draft" | "published";
  readonly kind: "create" | "update" | "publish" | "unpublish" | "delete";
}

interface MakeOptions {
  /** Default: "published". */
  readonly status?: "draft" | "published" | undefined;
}

/** A time of `clock.set`: "2030-01-01T00:00:00Z" or "2030-01-01" in UTC, a Date, or milliseconds since 1970. */
export type Time = string | Date | number;

/**
 * The time of everything that a project stores, signs, expires and schedules. It is the machine's until it is set. From then on it stands,
 * apart from a millisecond for each write. What is returned is the time as it is then, in ISO 8601.
 */
export interface ProjectClock {
  /**
   * Sets it, from 1970 to 9999, also back. What is scheduled until then is published and unpublished; tasks of own code do not run.
   * Rejects with a TypeError for anything else.
   */
  readonly set: (time: Time) => Promise<string>;
  /**
   * Lets "2 days", "1.5 hours" or milliseconds go by, and awaits what becomes due, in its order and at its time: what is scheduled, and
   * the tasks of own code, of which 10,000 run at most. Rejects with a TypeError for anything else.
   */
  readonly advance: (span: string | number) => Promise<string>;
  /** As at the start of the project or the branch. */
  readonly reset: () => Promise<string>;
}

export interface TestKit {
  readonly clock: ProjectClock;
  /**
   * Makes a document of a type, by its singular name or uid: plausible values that are valid by the schema, and what required relations
   * need; `data` replaces some. The same calls make the same data in each run. Rejects with an ApiError for data that is refused.
   */
  readonly make: <T extends object = Record<string, unknown>>(
    type: string,
    data?: Readonly<Record<string, unknown>>,
    options?: MakeOptions,
  ) => Promise<Entry<T>>;
  readonly makeMany: <T extends object = Record<string, unknown>>(
    type: string,
    count: number,
    data?: Readonly<Record<string, unknown>>,
    options?: MakeOptions,
  ) => Promise<Entry<T>[]>;
  /** The data of `make`, without writing anything. */
  readonly build: <T extends object = Record<string, unknown>>(
    type: string,
    data?: Readonly<Record<string, unknown>>,
  ) => Promise<T>;
  /** Lets requests fail from now on, until `recover` or a reset. */
  readonly fail: (failure: RequestFailure) => Promise<void>;
  /** Delays each answer by some milliseconds. */
  readonly slow: (milliseconds: number) => Promise<void>;
  /** Breaks off each answer. */
  readonly offline: () => Promise<void>;
  readonly recover: () => Promise<void>;
  /** The last 10,000 requests since the start or the last reset. */
  readonly requests: () => Promise<readonly AnsweredRequest[]>;
  /** Rejects with an Error that lists what was requested if a number is another one. */
  readonly expectRequests: (expected: ExpectedRequests) => Promise<void>;
  /**
   * The documents that have changed since a snapshot, by default since the start of the project or the branch, or its last reset. Rejects
   * with an Error if the database is not in memory, or the snapshot is of another project.
   */
  readonly changes: (since?: Snapshot) => Promise<readonly DocumentChange[]>;
  /**
   * The last 1,000 requests to webhooks since the start or the last reset, once all have ended: those of the project on this machine and those of
   * the option `webhooks` are sent, others would have been.
   */
  readonly webhooks: () => Promise<readonly SentWebhook[]>;
  /** The last 1,000 mails since the start or the last reset. */
  readonly mails: () => Promise<readonly SentMail[]>;
}

export interface Galley extends TestKit {
  /**
   * The document service of a content-type, by uid; `documents<Article>("api::article.article")` has the type that `galley types`
   * writes. Throws for an unknown uid.
   */
  readonly documents: <T extends object = Record<string, unknown>>(uid: string) => DocumentService<T>;
  readonly fetch: Send;
  /**
   * Sends requests as "public", as a user of a role ("authenticated"; the first user, or a new one), with an API token of
   * `config/galley.json` by its name, with any token by its key, or as with a token of the type "full-access" or
   * "read-only". A request's own `Authorization` takes precedence. For an unknown name, the first request rejects with an
   * Error.
   */
  readonly as: (caller: string) => Caller;
  /** Handles a request without a port. */
  readonly handle: (request: Request) => Promise<Response>;
  /** Listens on a port, by default a free one; returns the URL. */
  readonly serve: (port?: number) => string;
  /** The open database. */
  readonly database: () => Database;
  /** A snapshot of content and uploads for `reset`. Only for databases in memory; rejects otherwise. */
  readonly snapshot: () => Promise<Snapshot>;
  /** Restores a database in memory, and the uploaded files, from a snapshot; by default, the state after the start. */
  readonly reset: (to?: Snapshot) => Promise<void>;
  /**
   * A copy of content, uploaded files, clock and ids, with a port and users of its own, in the same process; changes of one are not
   * seen by the other. Own code starts once more for it. Branches have branches. Only for databases in memory; rejects otherwise.
   */
  readonly branch: () => Promise<Galley>;
  readonly close: () => Promise<void>;
  /** `await using` closes it. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Parameters of the document service, as Strapi's. */
export interface Params {
  readonly fields?: string | readonly string[] | undefined;
  readonly filters?: object | undefined;
  readonly sort?: string | object | undefined;
  readonly populate?: string | boolean | object | undefined;
  readonly locale?: string | readonly string[] | null | undefined;
  readonly status?: "draft" | "published" | undefined;
  readonly start?: number | undefined;
  readonly limit?: number | undefined;
  /** `_q`, `publicationFilter` and the others. */
  readonly [name: string]: unknown;
}

type OfDocument = Params & { readonly documentId: string };
type Data = Readonly<Record<string, unknown>>;

/** A document in one version and locale. */
export type Entry<T extends object = Record<string, unknown>> = T & { readonly documentId: string };

/** The versions that a write has changed, in every locale. */
export interface Entries<E = Entry> {
  readonly documentId: string;
  readonly entries: E[];
}

/** The document service of one content-type, whose documents have the type `E`. Each write is one transaction. */
export interface DocumentMethods<E> {
  findMany(params?: Params): Promise<E[]>;
  findFirst(params?: Params): Promise<E | null>;
  findOne(params: OfDocument): Promise<E | null>;
  count(params?: Params): Promise<number>;
  create(params: Params & { readonly data: Data }): Promise<E>;
  /** Null for an unknown document. A missing locale is created. */
  update(params: OfDocument & { readonly data: Data }): Promise<E | null>;
  /** Deletes both versions in the requested locales; returns what was deleted. */
  delete(params: OfDocument): Promise<Entries<E>>;
  publish(params: OfDocument): Promise<Entries<E>>;
  unpublish(params: OfDocument): Promise<Entries<E>>;
  discardDraft(params: OfDocument): Promise<Entries<E>>;
  /** Without an id if the document to clone does not exist. */
  clone(
    params: OfDocument & { readonly data?: Data },
  ): Promise<{ readonly documentId: string | undefined; readonly entries: E[] }>;
}

export type DocumentService<T extends object = Record<string, unknown>> = DocumentMethods<Entry<T>>;

type SqlValue = string | number | bigint | boolean | Uint8Array | null;

/** A prepared statement, as those of `bun:sqlite`. */
export interface Statement<Row = unknown> {
  all(...values: SqlValue[]): Row[];
  get(...values: SqlValue[]): Row | null;
  values(...values: SqlValue[]): unknown[][];
  run(...values: SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
}

/** A SQLite database, as those of `bun:sqlite`. */
export interface Database {
  query<Row = unknown>(sql: string): Statement<Row>;
  run(sql: string, ...values: SqlValue[][]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
}
