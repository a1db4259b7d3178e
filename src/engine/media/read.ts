/** Reads records of files with the parameters of a query. */

import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import type { DocumentsContext } from "../documents/context.ts";
import type { Page } from "../documents/documents.ts";
import { checkParams } from "../query/check-params.ts";
import type { Caller } from "../query/check-query.ts";
import { type PaginationSettings, readListPages, readOffsets, refuseMixedStyles } from "../query/list-params.ts";
import { type Params, readPagedQuery, readQuery } from "../query/parse.ts";
import type { ReadContext } from "../query/reading.ts";
import { countListed, findRows, prepareRows } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import type { CheckedQuery } from "../query/tree.ts";
import type { Scope } from "../query/where.ts";
import { FILE } from "../schema/builtin/index.ts";
import { type ContentType, contentType } from "../schema/model.ts";
import { rowId } from "./row-id.ts";

const ALL_LOCALES: Scope = { locales: undefined };

export class FileReader {
  readonly #context: DocumentsContext;
  readonly #caller: Caller;

  constructor(context: DocumentsContext, caller: Caller) {
    this.#context = context;
    this.#caller = caller;
  }

  get #type(): ContentType {
    return contentType(this.#context.model, FILE);
  }

  get #readContext(): ReadContext {
    return { storage: this.#context.storage, model: this.#context.model, status: "published" };
  }

  #query(params: Params): CheckedQuery {
    this.check(params);
    return readQuery(this.#context.model, this.#type, params, this.#caller);
  }

  /** Throws a ValidationError for parameters that a read refuses. */
  check(params: Params): void {
    checkParams(this.#context.model, this.#type, params, this.#caller.canRead);
  }

  #find(query: CheckedQuery, scope: Scope): Document[] {
    return findRows(this.#readContext, query, scope);
  }

  /** All matching files. Uses `start` and `limit`, and ignores `pagination`. Throws a ValidationError. A promise for long lists. */
  findMany(params: Params): MaybePromise<Document[]> {
    this.check(params);
    const { query, pages } = readPagedQuery(this.#context.model, this.#type, params, this.#caller, () =>
      readOffsets(params),
    );
    const page = { ...query, ...pages };
    return whenReady(prepareRows(this.#readContext, page, ALL_LOCALES, false), (context) =>
      findRows(context, page, ALL_LOCALES),
    );
  }

  /** Throws a ValidationError or PaginationError. A promise for long lists. */
  findPage(params: Params, settings: PaginationSettings): MaybePromise<Page> {
    this.check(params);
    refuseMixedStyles(params.pagination);
    const { query, pages: pagination } = readPagedQuery(this.#context.model, this.#type, params, this.#caller, () =>
      readListPages(params, settings),
    );
    const { start, limit, withCount } = pagination;
    const page = { ...query, start, limit };
    return whenReady(prepareRows(this.#readContext, page, ALL_LOCALES, withCount), (context) => ({
      documents: findRows(context, page, ALL_LOCALES),
      pagination,
      total: withCount ? countListed(context, query, ALL_LOCALES) : undefined,
    }));
  }

  /** All parameters are checked, but only `populate` has an effect. */
  findOne(id: unknown, params: Params): Document | undefined {
    this.check(params);
    const row = rowId(id);
    if (row === undefined) return undefined;
    return this.#find(this.#query({ populate: params.populate }), { ...ALL_LOCALES, ids: [row] })[0];
  }
}
