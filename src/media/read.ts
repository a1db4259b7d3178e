/** Reads records of files with the parameters of a query. */
import type { DocumentsContext } from "../documents/context.ts";
import type { Page } from "../documents/document-service.ts";
import { validationError } from "../errors.ts";
import { isRecord } from "../query/key-check.ts";
import { checkPagination, type PaginationSettings, readPagination } from "../query/pagination.ts";
import { checkParams, type Params, readQuery } from "../query/parse.ts";
import type { Reading } from "../query/reading.ts";
import { countRows, findRows, type Scope } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import type { CanRead, Query } from "../query/tree.ts";
import { FILE } from "../schema/builtin/index.ts";
import { type ContentType, contentType } from "../schema/model.ts";
import { rowId } from "./records.ts";
import { populateRelated } from "./related.ts";

const ALL: Scope = { locales: undefined };
/** What may be said about the users of a file; anything else leaves them out, as in the reference. */
const RELATED_OPTIONS = ["on", "count"];

export class FileReader {
  readonly #context: DocumentsContext;
  readonly #canRead: CanRead;

  constructor(context: DocumentsContext, canRead: CanRead) {
    this.#context = context;
    this.#canRead = canRead;
  }

  get #type(): ContentType {
    return contentType(this.#context.model, FILE);
  }

  get #reading(): Reading {
    return { storage: this.#context.storage, model: this.#context.model, status: "published" };
  }

  #query(params: Params): Query {
    checkParams(this.#context.model, this.#type, params, this.#canRead);
    const query = readQuery(this.#context.model, this.#type, withoutOddRelated(params), this.#canRead);
    if (!countsRelated(params)) return query;
    return { ...query, populate: query.populate.map((item) => ({ ...item, count: item.key === "related" })) };
  }

  /** The links of files are kept by the entries that use them, so that their users are found in another way. */
  #find(query: Query, scope: Scope): Document[] {
    const related = query.populate.filter(({ attribute }) => attribute.name === "related");
    const populate = query.populate.filter((item) => !related.includes(item));
    const files = findRows(this.#reading, { ...query, populate }, scope);
    for (const item of related) populateRelated(this.#reading, files, item, this.#canRead);
    return files;
  }

  /** Every file that matches; `pagination` is ignored, `start` and `limit` count. Throws a ValidationError. */
  list(params: Params): Document[] {
    const query = this.#query(params);
    const limit = wholeNumber("Limit", params.limit, -1) ?? -1;
    const start = wholeNumber("Start", params.start, 0) ?? 0;
    return this.#find({ ...query, start, limit: limit < 1 ? undefined : limit }, ALL);
  }

  /** Throws a ValidationError or PaginationError. */
  page(params: Params, settings: PaginationSettings): Page {
    checkParams(this.#context.model, this.#type, params, this.#canRead);
    checkPagination(params);
    const query = this.#query(params);
    const pagination = readPagination(params.pagination, settings);
    const documents = this.#find({ ...query, start: pagination.start, limit: pagination.limit }, ALL);
    return { documents, pagination, total: pagination.withCount ? countRows(this.#reading, query, ALL) : undefined };
  }

  /** Only `populate` has an effect, though all parameters are checked. */
  one(id: unknown, params: Params): Document | undefined {
    checkParams(this.#context.model, this.#type, params, this.#canRead);
    const row = rowId(id);
    if (row === undefined) return undefined;
    return this.#find(this.#query({ populate: params.populate }), { ...ALL, ids: [row] })[0];
  }
}

function withoutOddRelated(params: Params): Params {
  if (!isRecord(params.populate)) return params;
  const { related, ...rest } = params.populate;
  const isOdd = isRecord(related) && !Object.keys(related).every((key) => RELATED_OPTIONS.includes(key));
  return isOdd ? { ...params, populate: rest } : params;
}

/** The query layer leaves targets of several kinds uncounted. */
function countsRelated({ populate }: Params): boolean {
  const related = isRecord(populate) ? populate.related : undefined;
  return isRecord(related) && ["true", "t", "1"].includes(String(related.count));
}

function wholeNumber(name: "Start" | "Limit", value: unknown, least: number): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const number = typeof value === "object" ? Number.NaN : Number(value);
  if (Number.isInteger(number) && number >= least) return number;
  throw validationError(`convert${name}QueryParams expected a positive integer got ${number}`);
}
