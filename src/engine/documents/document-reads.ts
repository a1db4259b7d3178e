/** Reads of one content-type, with the names and parameters of Strapi's document service; the status and locale of parameters. */

import { isStorable, toText } from "../../lib/coerce.ts";
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import { checkParams } from "../query/check-params.ts";
import { type Caller, program } from "../query/check-query.ts";
import { type PaginationSettings, readListPages, readOffsets, refuseMixedStyles } from "../query/list-params.ts";
import { type Params, readPagedQuery, readSelection } from "../query/parse.ts";
import { finish, type ReadContext, type Reading, readPublicationFilter, runSteadily } from "../query/reading.ts";
import { countListed, countRows, findRows, prepareCount, prepareRows, readingRows } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import { checkValues } from "../query/strict-params.ts";
import type { CheckedQuery } from "../query/tree.ts";
import type { Scope } from "../query/where.ts";
import type { ContentType } from "../schema/model.ts";
import type { Storage } from "../storage/storage.ts";
import type { DocumentsContext } from "./context.ts";
import type { OfDocument, Page, ReadOptions } from "./documents.ts";

/** As a `status`: all versions of what is populated. No client can send it. */
export const EVERY_VERSION = Symbol("every version");

const readStatus = ({ status }: Params): ReadContext["status"] => {
  if (status === EVERY_VERSION) return undefined;
  // anything but the one word reads drafts, as in Strapi
  return status === "published" ? "published" : "draft";
};

export const createReadContext = (
  { storage, model }: DocumentsContext,
  params: Params,
  { sharesRows }: ReadOptions = {},
): ReadContext => ({
  storage,
  model,
  status: readStatus(params),
  publicationFilter: readPublicationFilter(params),
  sharesRows,
});

const isGiven = (locale: unknown): boolean => locale !== undefined && locale !== null && locale !== "";

/** A top-level filter on `locale` overrides the request's locale. */
const isFiltered = (type: ContentType, { filters }: Params): boolean =>
  type.localized && isRecord(filters) && Object.hasOwn(filters, "locale");

/** For a list and for deleting: operators as a locale, such as `locale[$ne]=fr`, are a filter on it. */
export function withLocaleFilter(type: ContentType, params: Params): Params {
  const { locale, filters, ...others } = params;
  if (!type.localized || !isRecord(locale)) return params;
  if (isFiltered(type, params)) return { ...others, filters };
  return { ...others, filters: isRecord(filters) ? { ...filters, locale } : { locale } };
}

/** For a request for one document: without a top-level filter on `documentId`, which the requested id overrides. */
export function ofDocument(params: Params): Params {
  const { filters } = params;
  if (!isRecord(filters) || !Object.hasOwn(filters, "documentId")) return params;
  const { documentId: _, ...others } = filters;
  return { ...params, filters: others };
}

/** The locales of a list: `*` means all, a list several. */
export function manyLocales(context: DocumentsContext, type: ContentType, params: Params): Scope["locales"] {
  const { locale } = params;
  if (!type.localized) return [null];
  if (locale === "*" || isFiltered(type, params)) return undefined;
  if (!isGiven(locale)) return [context.defaultLocale()];
  const list = [locale].flat();
  if (!list.every((item) => typeof item === "string")) throw invalidLocale(locale);
  return list;
}

/** The locale of a single document. */
export function oneLocale(context: DocumentsContext, type: ContentType, params: Params): Scope["locales"] {
  const { locale } = params;
  if (!type.localized) return [null];
  if (isGiven(locale) && typeof locale !== "string") throw invalidLocale(locale);
  if (isFiltered(type, params)) return undefined;
  return [isGiven(locale) ? (locale as string) : context.defaultLocale()];
}

/** The locale of a write; null for types that are not localized. */
export function writtenLocale(context: DocumentsContext, type: ContentType, { locale }: Params): string | null {
  if (!type.localized) return null;
  if (!isGiven(locale)) return context.defaultLocale();
  if (typeof locale !== "string" || locale === "*") throw invalidLocale(locale);
  if (locale.length > 255 || !isStorable(locale)) throw invalidLocale("");
  return locale;
}

const invalidLocale = (locale: unknown) =>
  validationError(`Invalid locale param ${toText(locale)} provided. Document locales must be strings.`);

export class DocumentReads {
  protected readonly context: DocumentsContext;
  readonly type: ContentType;
  protected readonly caller: Caller;

  constructor(context: DocumentsContext, type: ContentType, caller: Caller = program) {
    this.context = context;
    this.type = type;
    this.caller = caller;
  }

  /** The fields of a write's response. Of other parameters only the keys are checked, as in Strapi. */
  protected selection(params: Params): CheckedQuery {
    this.checkAll(params);
    return readSelection(this.context.model, this.type, params, this.caller);
  }

  /** For reading or deleting one document; `documentId` undefined: the first match. */
  protected queryOfOne(params: Params, documentId?: string): CheckedQuery {
    const { query, pages } = this.#pagedQuery(params, () => readOffsets(params), documentId);
    return { ...query, start: pages.start, limit: 1 };
  }

  #pagedQuery<T>(params: Params, readPages: () => T, documentId?: string): { query: CheckedQuery; pages: T } {
    this.checkAll(params);
    const scopedParams = documentId === undefined ? params : ofDocument(params);
    return readPagedQuery(this.context.model, this.type, scopedParams, this.caller, readPages);
  }

  protected checkAll(params: Params, isPage = false): void {
    this.check(params);
    if (!this.context.strictParams) return;
    checkValues(params.status === EVERY_VERSION ? { ...params, status: undefined } : params, isPage);
  }

  check(params: Params): void {
    readPublicationFilter({ publicationFilter: params.publicationFilter });
    checkParams(this.context.model, this.type, params, this.caller.canRead, this.caller.readsAll);
    // an internal name of Strapi
    if (params.lookup) throw validationError("Invalid params: 'lookup'");
  }

  findPage(params: Params, settings: PaginationSettings, options?: ReadOptions): MaybePromise<Page> {
    this.checkAll(params, true);
    const readContext = createReadContext(this.context, params, options);
    refuseMixedStyles(params.pagination);
    const listParams = withLocaleFilter(this.type, params);
    const { query: listed, pages: pagination } = readPagedQuery(
      this.context.model,
      this.type,
      listParams,
      this.caller,
      () => readListPages(params, settings),
    );
    const scope = { locales: manyLocales(this.context, this.type, listParams) };
    const { start, limit, withCount } = pagination;
    const query = { ...listed, start, limit };
    return whenReady(prepareRows(readContext, query, scope, withCount), (context) =>
      runSteadily(context.storage, query.budget, function* (storage) {
        const from = { ...context, storage };
        const documents = yield* readingRows(from, query, scope, { counted: withCount });
        return { documents, pagination, total: withCount ? countListed(from, query, scope) : undefined };
      }),
    );
  }

  async findMany(params: Params = {}): Promise<Document[]> {
    const listParams = withLocaleFilter(this.type, params);
    const { query, pages } = this.#pagedQuery(listParams, () => readOffsets(params));
    const page = { ...query, ...pages };
    const scope = { locales: manyLocales(this.context, this.type, listParams) };
    return whenReady(prepareRows(createReadContext(this.context, params), page, scope, false), (context) =>
      findRows(context, page, scope),
    );
  }

  async findFirst(params: Params = {}): Promise<Document | null> {
    return this.readOne(params);
  }

  async findOne({ documentId, ...params }: OfDocument): Promise<Document | null> {
    return this.readOne(params, documentId);
  }

  async count(params: Params = {}): Promise<number> {
    const listParams = withLocaleFilter(this.type, params);
    const { query } = this.#pagedQuery(listParams, () => readOffsets(params));
    const scope = { locales: manyLocales(this.context, this.type, listParams) };
    return whenReady(prepareCount(createReadContext(this.context, params), query, scope), (context) =>
      countRows(context, query, scope),
    );
  }

  readOne(params: Params, documentId?: string): Document | null {
    return finish(this.#readingOne(params, documentId)(this.context.storage))[0] ?? null;
  }

  readOneSteadily(params: Params, documentId?: string, options?: ReadOptions): MaybePromise<Document | null> {
    const reading = this.#readingOne(params, documentId, options);
    return whenReady(runSteadily(this.context.storage, this.caller.budget, reading), (rows) => rows[0] ?? null);
  }

  #readingOne(params: Params, documentId?: string, options?: ReadOptions): (storage: Storage) => Reading<Document[]> {
    const readContext = createReadContext(this.context, params, options);
    const query = this.queryOfOne(params, documentId);
    const scope = { locales: oneLocale(this.context, this.type, params) };
    const rows = documentId === undefined ? scope : { ...scope, documentId };
    return (storage) => readingRows({ ...readContext, storage }, query, rows);
  }
}
