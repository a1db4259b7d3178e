/** Reads the documents of a type over REST, version by version. */

import { type ContentType, routeName } from "../../../engine/schema/model.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { isId, type Json } from "../../archive/shapes.ts";
import { type RestClient, type RestResponse, refusedKey } from "./client.ts";
import { pick, queryString, splitGroups } from "./populate.ts";
import type { RestVersion } from "./rows.ts";
import type { Visibility } from "./visibility.ts";

const PAGE = 100;
/** Documents per request when reading by id. */
const CHUNK = 40;
const ALL_LOCALES = "*";
const MAX_LOCALES = 1_000;
/** Maximum number of refused attributes; with more, something else must be wrong. */
const MAX_REFUSALS = 200;

/** The newest times and the number of rows of a type in one status, in all locales. */
export interface VersionState {
  readonly total: number;
  /** Null without rows. */
  readonly updatedAt: string | null;
  /** Undefined where it says nothing more: for drafts, and types without them. */
  readonly publishedAt: string | null | undefined;
}

/** Statuses for a type that the token may not find. */
const INACCESSIBLE_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 405]);

const parseList = (body: unknown): Json[] | undefined => {
  const data = isRecord(body) ? body.data : undefined;
  return Array.isArray(data) && data.every(isRecord) ? data : undefined;
};

/** A number of a list's pagination; undefined if it has none. */
export function parsePagination(body: unknown, name: "total" | "pageSize"): number | undefined {
  const pagination = isRecord(body) && isRecord(body.meta) ? body.meta.pagination : undefined;
  const value = isRecord(pagination) ? pagination[name] : undefined;
  return typeof value === "number" ? value : undefined;
}

export interface ChangeTimes {
  readonly updatedAt: Date;
  readonly publishedAt: Date;
}

const hasOwnPublications = ({ type, status }: Pick<RestVersion, "type" | "status">): boolean =>
  type.draftAndPublish && status === "published";

/** A published version has the `updatedAt` of its draft, which may be older than the publication. */
function changedFilter(version: RestVersion, { updatedAt, publishedAt }: ChangeTimes): object {
  const updated = { updatedAt: { $gt: updatedAt.toISOString() } };
  if (!hasOwnPublications(version)) return updated;
  return { $or: [updated, { publishedAt: { $gt: publishedAt.toISOString() } }] };
}

/** All methods throw a ProjectError with the server's URL. */
export class DocumentReader {
  readonly #client: RestClient;
  readonly #visibility: Visibility;
  readonly #changedSince: Date | undefined;
  readonly #onRows: (count: number) => void;

  /** `changedSince`: only documents that were changed afterwards. `onRows` is called for each page. */
  constructor(
    client: RestClient,
    visibility: Visibility,
    changedSince: Date | undefined,
    onRows: (count: number) => void,
  ) {
    this.#client = client;
    this.#visibility = visibility;
    this.#changedSince = changedSince;
    this.#onRows = onRows;
  }

  /** Ids of documents with a changed version; undefined: read all documents. */
  async changedIds(type: ContentType, versions: readonly RestVersion[]): Promise<string[] | undefined> {
    if (!this.#changedSince || type.kind === "singleType") return undefined;
    const ids = new Set<string>();
    const since = { updatedAt: this.#changedSince, publishedAt: this.#changedSince };
    for (const version of versions)
      for await (const row of this.#pages(version, changedFilter(version, since), ["documentId"]))
        ids.add(String(row.documentId));
    return [...ids];
  }

  /** Yields the rows of a collection that were updated or published after these times, sorted by id. */
  changed(version: RestVersion, since: ChangeTimes): AsyncGenerator<Json> {
    return this.#pages(version, changedFilter(version, since));
  }

  /** Yields the ids of the rows of a collection. */
  identities(version: RestVersion): AsyncGenerator<Json> {
    return this.#pages(version, {}, ["documentId"]);
  }

  /** Undefined for a type that the token may not find. */
  async state({ type, status }: Pick<RestVersion, "type" | "status">): Promise<VersionState | undefined> {
    const version: RestVersion = { type, status, locale: type.localized ? ALL_LOCALES : null };
    const newest = async (field: "updatedAt" | "publishedAt") => {
      const params = { sort: `${field}:desc`, fields: [field], pagination: { pageSize: 1, withCount: true } };
      const response = await this.#request(version, params, []);
      const [rows, total] = response ? [parseList(response.body), parsePagination(response.body, "total")] : [];
      if (!response) return undefined;
      if (!rows || total === undefined) throw this.#client.failure(`does not count ${type.pluralName}`);
      return { total, time: typeof rows[0]?.[field] === "string" ? rows[0][field] : null };
    };
    const updated = await newest("updatedAt");
    // publishing a document again leaves its `updatedAt`
    const published = hasOwnPublications({ type, status }) ? await newest("publishedAt") : undefined;
    return updated && { total: updated.total, updatedAt: updated.time, publishedAt: published?.time };
  }

  /** Yields rows sorted by id. `ids`: from `changedIds`. */
  async *rows(version: RestVersion, ids: readonly string[] | undefined): AsyncGenerator<Json> {
    if (version.type.kind === "singleType") return yield* this.#single(version);
    if (!ids) return yield* this.#pages(version, {});
    for (let start = 0; start < ids.length; start += CHUNK)
      yield* this.#pages(version, { documentId: { $in: ids.slice(start, start + CHUNK) } });
  }

  /**
   * The locales of a type's documents, for tokens that may not list locales: each request returns a document in none of the locales
   * so far.
   */
  async locales(type: ContentType, known: ReadonlySet<string>): Promise<readonly string[]> {
    const codes = new Set(known);
    const version: RestVersion = { type, status: type.draftAndPublish ? "draft" : "published", locale: ALL_LOCALES };
    for (;;) {
      const params = {
        ...(codes.size > 0 ? { filters: { locale: { $notIn: [...codes] } } } : {}),
        ...(type.kind === "singleType" ? {} : { pagination: { pageSize: 1, withCount: false } }),
        fields: ["locale"],
      };
      const code = await this.#firstLocale(version, params);
      if (code === undefined) return [...codes];
      if (codes.has(code) || codes.size >= MAX_LOCALES)
        throw this.#client.failure(`does not list locales of ${type.uid}`);
      codes.add(code);
    }
  }

  /** The locale in which the server answers without one. */
  defaultLocale(type: ContentType): Promise<string | undefined> {
    const version: RestVersion = { type, status: type.draftAndPublish ? "draft" : "published", locale: null };
    return this.#firstLocale(version, { fields: ["locale"] });
  }

  async #firstLocale(version: RestVersion, params: object): Promise<string | undefined> {
    const response = await this.#request(version, params, []);
    const data = response && isRecord(response.body) ? response.body.data : undefined;
    const first = Array.isArray(data) ? data[0] : data;
    return isRecord(first) && typeof first.locale === "string" ? first.locale : undefined;
  }

  #path({ type, status, locale }: RestVersion, params: object): string {
    return `/${routeName(type)}?${queryString({ status, ...(locale === null ? {} : { locale }), ...params })}`;
  }

  async *#single(version: RestVersion): AsyncGenerator<Json> {
    const rows: Json[] = [];
    for (const names of splitGroups(this.#visibility.tree(version.type))) {
      const response = await this.#request(version, {}, names);
      const data = response && isRecord(response.body) ? response.body.data : undefined;
      if (isRecord(data)) rows.push(data);
    }
    const row: Json | undefined = rows.length === 0 ? undefined : Object.assign({}, ...rows);
    if (row && !(this.#changedSince && Date.parse(String(row.updatedAt)) <= this.#changedSince.getTime())) yield row;
  }

  /** Keyset pagination by row id, so that concurrent changes do not shift pages. `fields`: read only these. */
  async *#pages(version: RestVersion, filters: object, fields?: readonly string[]): AsyncGenerator<Json> {
    const groups = fields ? [[]] : splitGroups(this.#visibility.tree(version.type));
    for (let last = 0; ; ) {
      const params = {
        filters: { ...filters, id: { $gt: last } },
        sort: "id",
        pagination: { pageSize: PAGE, withCount: false },
        ...(fields ? { fields } : {}),
      };
      const page = new Map<number, Json>();
      for (const [index, names] of groups.entries()) {
        const response = await this.#request(version, params, names);
        if (!response) return;
        // only rows of the first response count
        for (const row of this.#checkedRows(response, version.type, last))
          if (index === 0 || page.has(row.id)) page.set(row.id, { ...page.get(row.id), ...row });
      }
      // a short page need not be the last one: the server may limit the page size
      if (page.size === 0) return;
      this.#client.budget.take("rows", page.size);
      this.#onRows(page.size);
      yield* page.values();
      last = Math.max(...page.keys());
    }
  }

  #checkedRows({ body }: RestResponse, { pluralName }: ContentType, last: number): (Json & { readonly id: number })[] {
    const rows = parseList(body);
    if (!rows?.every((row): row is Json & { id: number } => isId(row.id) && row.id > last))
      throw this.#client.failure(`does not list ${pluralName} by id`);
    return rows;
  }

  /** Repeats a request without the attributes that the server refuses. Undefined for a type that the token may not find. */
  async #request(version: RestVersion, params: object, names: readonly string[]): Promise<RestResponse | undefined> {
    const { type } = version;
    for (let refusals = 0; refusals < MAX_REFUSALS; refusals++) {
      const populate = pick(this.#visibility.tree(type), names);
      const response = await this.#client.get(this.#path(version, { ...params, populate }));
      const { status, body } = response;
      if (status === 200) {
        this.#visibility.compare(type, body, Object.keys(populate));
        return response;
      }
      if (INACCESSIBLE_STATUSES.has(status)) {
        if (!isRecord(body) || !isRecord(body.error))
          throw this.#client.failure(`answers ${status} for ${type.uid}, and not as a Strapi does`);
        // a single type without content
        if (status === 404 && type.kind === "singleType") return undefined;
        this.#visibility.markInaccessible(type);
        return undefined;
      }
      const key = refusedKey(response);
      if (key === undefined || !this.#visibility.refuse(type, key))
        throw this.#client.failure(`answers ${status} for ${type.uid}: ${JSON.stringify(body).slice(0, 300)}`);
    }
    throw this.#client.failure(`refuses too many attributes of ${type.uid}`);
  }
}
