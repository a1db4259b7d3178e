/** `strapi.documents(uid)`: the document service with middlewares and hooks, including private attributes. */

import type { DocumentsContext } from "../../engine/documents/context.ts";
import { createReadContext, oneLocale } from "../../engine/documents/document-reads.ts";
import type { Documents, OnWrite, WriteOptions } from "../../engine/documents/documents.ts";
import { notAnObject } from "../../engine/documents/input-keys.ts";
import { sanitizeOutput } from "../../engine/documents/sanitize.ts";
import type { FileServices } from "../../engine/media/file-services.ts";
import { type Caller, unrestricted } from "../../engine/query/check-query.ts";
import { type Params, readQuery } from "../../engine/query/parse.ts";
import { type ContentType, contentType, type Model } from "../../engine/schema/model.ts";
import { type EntryEvents, listsEntries } from "../../engine/webhooks/entry-events.ts";
import type { Budget } from "../../lib/budget.ts";
import { splitBudget, withBudget } from "../../lib/budgeted-params.ts";
import { isStorable } from "../../lib/coerce.ts";
import { OperandError } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { isJson } from "../koa/json-values.ts";
import { ReadCache } from "../koa/read-cache.ts";
import type { Limit } from "../lib/deadlines.ts";
import { asApiError, withoutSource } from "../packages/errors.ts";
import { documentParams, queryParams } from "./document-params.ts";
import type { QueryAction } from "./lifecycles.ts";
import { QueryEngine, type QueryServices } from "./query-engine.ts";
import { sanitizeQuery } from "./sanitize-query.ts";

/** The argument of a middleware. */
export interface DocumentAction {
  readonly uid: string;
  readonly contentType: unknown;
  readonly action: string;
  params: Params;
}

export type DocumentMiddleware = (context: DocumentAction, next: () => Promise<unknown>) => unknown;

/** What documents pass on to a database query. That knows more, such as `orderBy`, which is nothing for documents. */
const QUERY_PARAMS: ReadonlySet<string> = new Set([
  "sort",
  "fields",
  "populate",
  "start",
  "limit",
  "page",
  "pageSize",
  "_q",
]);

const reads = ["findMany", "findOne", "findFirst", "count"] as const;
const writes = ["create", "update", "delete", "clone"] as const;
const versioned = ["publish", "unpublish", "discardDraft"] as const;
export type ActionName = (typeof reads)[number] | (typeof writes)[number] | (typeof versioned)[number];
const isRead = (action: string): boolean => reads.some((name) => name === action);

/** The lifecycle events of actions that are one database query. */
const queries: Readonly<Record<string, QueryAction>> = {
  findMany: "findMany",
  findOne: "findOne",
  findFirst: "findOne",
  count: "count",
};

export type DocumentActions = Readonly<Record<ActionName, (params?: Params) => Promise<unknown>>>;

/** The write options and the query budget of the request that calls an action. */
type ActionRequest = WriteOptions & Pick<Caller, "budget">;

export interface DocumentsServices extends QueryServices {
  /** With the model that clients see. */
  readonly context: DocumentsContext;
  readonly findSchema: (uid: string) => unknown;
  readonly events: EntryEvents;
  /** For middlewares and hooks of a client's request. */
  readonly limit: Limit;
  readonly files: () => FileServices | undefined;
}

export class StrapiDocuments {
  readonly #services: DocumentsServices;
  readonly #middlewares: DocumentMiddleware[] = [];
  readonly #repositories = new Map<string, DocumentActions>();
  /** Of reads outside transactions. */
  readonly #results = new ReadCache();

  constructor(services: DocumentsServices) {
    this.#services = services;
  }

  use(middleware: DocumentMiddleware): () => void {
    if (typeof middleware !== "function") throw new Error("strapi.documents.use() takes a function");
    this.#middlewares.push(middleware);
    return () => void this.#middlewares.splice(this.#middlewares.indexOf(middleware), 1);
  }

  /** Emits the events of changed files, too. */
  get reports(): EntryEvents {
    return this.#services.events;
  }

  get files(): FileServices | undefined {
    return this.#services.files();
  }

  /** Runs several actions in one transaction, which rolls back when `work` rejects. Events are emitted after the commit. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#services.transactions.run(work);
  }

  /** Whether code has middlewares or hooks for reads of a type. */
  watchesReads(uid: string): boolean {
    if (this.#middlewares.length > 0) return true;
    const type = this.#type(uid);
    const { lifecycles } = this.#services;
    return (["findMany", "findOne", "count"] as const).some((action) => lifecycles.listens(type, action));
  }

  /**
   * Runs an action for a client. Attributes that the caller may not see are removed from the parameters, since code reads with
   * more permissions, and from the result. `model`: as the caller sees it.
   */
  async run(
    uid: string,
    action: string,
    params: Params,
    { canRead, omitsMembers, model: visibleModel, ...request }: Caller & WriteOptions & { readonly model: Model },
  ): Promise<unknown> {
    const input = sanitizeQuery(visibleModel, contentType(visibleModel, uid), params, canRead);
    const run = () => this.#runMiddlewares(uid, action as ActionName, input, request);
    const result = await this.#services.limit(`${uid} ${action}`, run).catch((error: unknown) => {
      // REST and GraphQL handle only ApiErrors
      throw asApiError(error);
    });
    if (action === "count") return result;
    const { model } = this.#services.context;
    const type = contentType(model, uid);
    if (isRecord(result) && Array.isArray(result.entries) && listsEntries(action))
      return { ...result, entries: sanitizeOutput(model, type, result.entries, canRead, omitsMembers) };
    return sanitizeOutput(model, type, result, canRead, omitsMembers);
  }

  /** The actions of one type. Throws for an unknown one. */
  of(uid: string): DocumentActions {
    return this.#repositories.getOrInsertComputed(uid, () => {
      const type = this.#type(uid);
      const names = [...reads, ...writes, ...(type.draftAndPublish ? versioned : [])];
      return Object.fromEntries(
        names.map((name) => [name, (params: Params = {}) => this.#runMiddlewares(uid, name, params)]),
      ) as DocumentActions;
    });
  }

  #type(uid: string): ContentType {
    return contentType(this.#services.raw.model, uid);
  }

  #runMiddlewares(uid: string, action: ActionName, input: Params, request?: ActionRequest): Promise<unknown> {
    const context: DocumentAction = {
      uid,
      contentType: this.#services.findSchema(uid),
      action,
      params: input,
    };
    let at = 0;
    const next = async (): Promise<unknown> => {
      const middleware = this.#middlewares[at++];
      if (middleware) return middleware(context, next);
      return this.#query(this.#type(uid), action, context.params, request);
    };
    return next();
  }

  async #query(type: ContentType, action: ActionName, given: Params, request?: ActionRequest): Promise<unknown> {
    const { own: input, budget: givenBudget } = splitBudget(given);
    const query = queries[action];
    const params = documentParams(this.#services.raw.model, type, action, input);
    try {
      const { budget = givenBudget } = request ?? {};
      if (query && this.#services.lifecycles.listens(type, query))
        return await this.#readWithHooks(type, action, params, budget);
      const service = this.#services.raw.documents(type, { ...unrestricted, budget });
      let written: string = action;
      const onWrite: OnWrite = (done) => {
        written = done;
      };
      const perform = () => this.#perform(service, type, action, params, { ...request, onWrite });
      const result = await (isRead(action) ? this.#cached(type, action, params, perform) : perform());
      if (!isRead(action)) this.#services.events.report(type.uid, written, params, result);
      // as in Strapi, a missing id is missing in the result
      const hasNoId = isRecord(result) && result.documentId === "" && !isRead(action);
      return hasNoId ? { ...result, documentId: input.documentId } : result;
    } catch (error) {
      // a client has sent a wrong value; for code it is an error of the database
      if (!request && error instanceof OperandError) throw new Error(error.columnMessage, { cause: error });
      throw withoutSource(error);
    }
  }

  #cached(type: ContentType, action: ActionName, params: Params, read: () => unknown): unknown {
    const { storage } = this.#services.raw;
    // what a transaction reads is not final
    if (storage.isWriting || !isJson(params)) return read();
    return this.#results.read(storage, { query: JSON.stringify(params), scope: `${type.uid} ${action}` }, read);
  }

  #perform(service: Documents, type: ContentType, action: ActionName, params: Params, options: WriteOptions): unknown {
    if (action === "create") return this.#create(service, type, params, options);
    if (action === "update") return service.update(updateParams(params), options);
    if (action === "clone") return service.clone(cloneParams(params));
    const method = service[action] as (input: Params, options?: WriteOptions) => unknown;
    return method.call(service, params, options);
  }

  /** Null if a hook has made the draft a published version: as in Strapi, which reads the draft. */
  async #create(service: Documents, type: ContentType, params: Params, options: WriteOptions): Promise<unknown> {
    const created = await service.create({ ...params, data: readData(params) }, options);
    const isLost = type.draftAndPublish && params.status !== "published" && Boolean(created.publishedAt);
    return isLost ? null : created;
  }

  /** Reads as a database query, for which hooks are called. */
  #readWithHooks(type: ContentType, action: ActionName, input: Params, budget: Budget): Promise<unknown> {
    const { documentId: requestedId, locale: requestedLocale, status, filters, ...others } = input;
    const documentId = comparable(requestedId);
    const locale = comparable(requestedLocale);
    const { raw } = this.#services;
    raw.documents(type, unrestricted).check(input);
    // invalid values of a client are a client error, and no hook is called; database queries of code throw other errors for them
    readQuery(raw.model, type, input, { ...unrestricted, budget });
    const version = type.draftAndPublish
      ? { publishedAt: status === "published" ? { $notNull: true } : { $null: true } }
      : {};
    const isOne = action === "findOne" || action === "findFirst";
    if (isOne) oneLocale(raw, type, input);
    const locales = chooseLocales(type, locale, raw.defaultLocale, isOne);
    const own = { ...(documentId === undefined ? {} : { documentId }), ...version, ...locales };
    const conditions = toRecord(filters);
    const isDisjoint = Object.keys(conditions).every((name) => !(name in own));
    const where = isDisjoint ? { ...own, ...conditions } : { $and: [own, conditions] };
    const known = pickBy(others, (_value, name) => QUERY_PARAMS.has(name));
    const params = withBudget({ ...queryParams(known, { model: raw.model, schema: type }), where }, budget);
    // as in Strapi, the status counts for what is populated, too
    const { storage: _, model: __, ...readVersion } = createReadContext(raw, input);
    const engine = new QueryEngine(this.#services, type, readVersion);
    if (action === "count") return engine.count(params);
    return action === "findMany" ? engine.findMany(params) : engine.findOne(params);
  }
}

/** No row has an id or a locale that cannot be stored. */
const comparable = (value: unknown): unknown => (typeof value === "string" && !isStorable(value) ? "" : value);

/** Only lists may be of all locales. */
function chooseLocales(type: ContentType, locale: unknown, defaultLocale: () => string, isOne: boolean): Params {
  if (!type.localized || (locale === "*" && !isOne)) return {};
  return { locale: locale === undefined || locale === null || locale === "" ? defaultLocale() : locale };
}

/** Throws a ValidationError for data that are no object; none are those of an empty document. */
function readData({ data }: Params): Record<string, unknown> {
  if (isRecord(data)) return data;
  if (data === undefined || data === null || typeof data === "function") return {};
  throw notAnObject(data);
}

/** Data that are no object change nothing. */
const cloneParams = (params: Params) => ({
  ...params,
  documentId: String(params.documentId),
  data: toRecord(params.data),
});

/** Without data, an update touches the document. */
const updateParams = (params: Params) => ({ ...params, documentId: String(params.documentId), data: readData(params) });
