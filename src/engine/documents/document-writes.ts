/** The writes of one content-type, and their transactions. Loaded with the first write. */
import { ApiError } from "../../lib/errors.ts";
import type { Caller } from "../query/check-query.ts";
import type { Params } from "../query/parse.ts";
import { type ReadContext, readPublicationFilter, type Status } from "../query/reading.ts";
import { findIds, findRows } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import { type CheckedQuery, emptyQuery } from "../query/tree.ts";
import type { ContentType } from "../schema/model.ts";
import type { DocumentsContext } from "./context.ts";
import { manyLocales, writtenLocale } from "./document-reads.ts";
import { DocumentRows, type NewVersion } from "./document-rows.ts";
import type { ClonedEntries, Entries, WriteOptions } from "./documents.ts";
import { sharedBefore } from "./localizations.ts";
import { hashPasswords, passwordsIn, withoutHashing } from "./passwords.ts";
import { cloneData, copyLinks } from "./read-data.ts";
import { resolveRelations } from "./relation-input.ts";
import { linksFromOthers } from "./relations-exist.ts";
import { copyRemoved } from "./removed-values.ts";
import { OtherVersionError, type Selection, type Written } from "./row-store.ts";
import type { Data, Hashes } from "./rows.ts";
import { finish, together, type Work } from "./steps.ts";
import type { ReplacementOptions, VersionRow } from "./versions.ts";

/** The version that a request names. */
const statusIn = ({ status }: Params): Status | undefined =>
  status === "draft" || status === "published" ? status : undefined;

/** A query's fields and populated attributes, without its conditions. */
const selectionOnly = (query: CheckedQuery): CheckedQuery => ({
  ...query,
  ...emptyQuery(query.schema),
  fields: query.fields,
  populate: query.populate,
});

/** Each write takes the parameters of the request, and the query for its response that was made of them. */
export class DocumentWrites {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly #budget: Caller["budget"];
  readonly #rows: DocumentRows;

  /** `budget`: of the request; it limits the number of passwords. */
  constructor(context: DocumentsContext, type: ContentType, budget: Caller["budget"]) {
    this.#context = context;
    this.#type = type;
    this.#budget = budget;
    this.#rows = new DocumentRows(context, type);
  }

  /** The passwords of the data that need hashing. */
  passwords(data: Data): ReadonlySet<string> {
    return passwordsIn(this.#context.model, this.#type, data);
  }

  /** The id of a single type's document. */
  singleId(): string | undefined {
    return this.#rows.singleId();
  }

  /** `ownDocumentId`: the id that the caller has chosen. */
  *create(
    params: Params,
    query: CheckedQuery,
    data: Data,
    hashes: Hashes | undefined,
    ownDocumentId?: string,
  ): Work<Document> {
    const locale = writtenLocale(this.#context, this.#type, params);
    const status = this.#rows.writtenStatus();
    if (ownDocumentId !== undefined) this.#refuseExisting({ documentId: ownDocumentId, locale, status });
    const documentId = ownDocumentId ?? this.#context.ids.documentId();
    const resolved = resolveRelations(this.#context, this.#type, { locale, status }, data);
    const written = yield* this.#rows.insert(
      { documentId, locale, status },
      resolved,
      hashes,
      this.#selectionOfWritten(query, params),
    );
    const others = ownDocumentId === undefined ? [] : this.#rows.all(documentId);
    return yield* this.#finish(written, params, query, others, undefined, {
      isUnlinked: !linksFromOthers(this.#type, data),
      links: written.links,
    });
  }

  /** Throws an ApplicationError if the version exists. */
  #refuseExisting({ documentId, locale, status }: Omit<VersionRow, "id">): void {
    const rows = this.#rows.all(documentId);
    if (!rows.some((row) => row.locale === locale && row.status === status)) return;
    const version = this.#type.draftAndPublish ? status : "";
    const inLocale = locale === null ? "" : ` and locale "${locale}"`;
    throw new ApiError(
      "ApplicationError",
      `A ${version} entry with documentId "${documentId}"${inLocale} already exists for UID "${this.#type.uid}". This combination must be unique.`,
    );
  }

  /**
   * What the response gets of a row that is written, and another store. A type without drafts links to both versions of a document; as in
   * Strapi, both are read unless the request names one.
   */
  #selectionOfWritten(query: CheckedQuery, params: Params): Selection {
    if (this.#type.draftAndPublish) return { ...query, status: "draft" };
    return { ...query, status: statusIn(params) };
  }

  *update(
    documentId: string,
    params: Params,
    query: CheckedQuery,
    data: Data,
    hashes: Hashes | undefined,
    { sharesDrafts = false, onWrite }: Pick<WriteOptions, "sharesDrafts" | "onWrite"> = {},
  ): Work<Document | null> {
    const rows = this.#rows.all(documentId);
    const { lookups } = this.#rows;
    yield* lookups.original(documentId, rows);
    const locale = writtenLocale(this.#context, this.#type, params);
    const status = this.#rows.writtenStatus();
    // as in Strapi, an update that sets it begins anew
    const given =
      this.#type.recordsFirstPublication && data.firstPublishedAt ? { ...data, firstPublishedAt: null } : data;
    const resolved = resolveRelations(this.#context, this.#type, { locale, status }, given);
    const existing = rows.find((row) => row.locale === locale && row.status === status);
    yield* lookups.updated(documentId, params, existing, rows);
    if (rows.length === 0) return null;
    onWrite?.(existing ? "update" : "create");
    const before = sharedBefore(this.#context, this.#type, rows, locale);
    const selection = this.#selectionOfWritten(query, params);
    const version = { documentId, locale, status };
    let written = existing && (yield* this.#rows.change(existing, resolved, hashes, selection));
    const isGone = written && (written.row.id !== existing!.id || written.row.status !== status);
    if (isGone && this.#rows.all(documentId).length === 0) return null;
    if (isGone) this.#refuseExisting(version);
    // as in Strapi, also if the written row is another one
    if (!written || isGone) {
      yield* lookups.original(documentId, rows);
      written = yield* this.#rows.insertLocalization(version, resolved, hashes, selection);
    }
    if (!sharesDrafts || params.status !== "published")
      return yield* this.#finish(written, params, query, rows, before);
    yield* this.#rows.share(written.row, before);
    // two writes in Strapi: publishing copies to published versions only what differs after the first one
    const all = this.#rows.all(documentId);
    return yield* this.#finish(written, params, query, all, sharedBefore(this.#context, this.#type, all, locale));
  }

  *delete(documentId: string, params: Params, query: CheckedQuery): Work<Entries> {
    const locales = manyLocales(this.#context, this.#type, params);
    const publicationFilter = readPublicationFilter(params);
    // as in Strapi, the filter applies to drafts, so that only drafts are deleted
    const readContext = {
      ...this.#contextOfRows(publicationFilter === undefined ? undefined : "draft"),
      publicationFilter,
    };
    let ids: readonly number[] = [];
    const entries = yield* this.#rows.readAll(documentId, params, () => {
      ids = findIds(readContext, query, { locales, documentId });
      return ids.length === 0
        ? []
        : inOrder(ids, findRows(readContext, selectionOnly(query), { locales: undefined, ids }));
    });
    yield* this.#rows.remove(ids, query);
    return { documentId, entries };
  }

  *unpublish(documentId: string, params: Params, query: CheckedQuery): Work<Entries> {
    const rows = this.#rows
      .inLocales(this.#rows.all(documentId), params)
      .filter(({ status }) => status === "published");
    yield* this.#rows.lookups.unpublished(documentId, params, rows);
    // as in Strapi: what the entries populate is of the version that is named, or of both
    const entries = this.#read(
      rows.map(({ id }) => id),
      statusIn(params),
      query,
    );
    yield* this.#rows.withdraw(rows);
    return { documentId, entries };
  }

  *clone(documentId: string, params: Params, query: CheckedQuery, data: Data, hashes: Hashes): Work<ClonedEntries> {
    const status = this.#rows.writtenStatus();
    const cloned = this.#context.ids.documentId();
    const selection: Selection = { ...query, status: "draft" };
    const rows = this.#rows.inLocales(this.#rows.all(documentId), params).filter((row) => row.status === status);
    yield* this.#rows.lookups.cloned(documentId, params, rows);
    const clones = yield* together(
      rows.map((row) => this.#cloneRow(row, { ...row, documentId: cloned }, data, hashes, selection)),
    );
    // one by one: rows that are read together are not localizations of each other
    const entries = clones.flatMap(({ id }) => this.#read([id], "draft", query));
    return { documentId: clones[0]?.documentId, entries };
  }

  *#cloneRow(from: VersionRow, to: VersionRow, data: Data, hashes: Hashes, selection: Selection): Work<VersionRow> {
    const { data: whole, copied } = cloneData(this.#context, this.#type, from.id, data);
    // links of the original may have no target of this version; those of the request must
    resolveRelations(this.#context, this.#type, from, data);
    const own = { createdBy: null, updatedBy: null, ...whole, documentId: to.documentId };
    const resolved = resolveRelations(this.#context, this.#type, from, own, { allowsMissing: true });
    const { row } = yield* this.#rows.insert(this.#createClone(from, to.documentId, data), resolved, hashes, selection);
    if (row.status !== from.status) throw new OtherVersionError(this.#type);
    for (const attribute of copied) copyLinks(this.#context, attribute, from.id, row.id);
    copyRemoved(this.#context, this.#type, from.id, row);
    return row;
  }

  /** The version of a clone. The data may set its locale, and remove `publishedAt`. */
  #createClone({ locale, status }: VersionRow, documentId: string, data: Data): NewVersion {
    const publishedAt = status === "published" && data.publishedAt !== undefined ? { publishedAt: null } : {};
    return { documentId, locale: typeof data.locale === "string" ? data.locale : locale, status, ...publishedAt };
  }

  *replace(documentId: string, params: Params, query: CheckedQuery, from: Status, to: Status): Work<Entries> {
    const all = this.#rows.all(documentId);
    const { lookups } = this.#rows;
    yield* lookups.original(documentId, all);
    const before = sharedBefore(this.#context, this.#type, all);
    const selected = this.#rows.inLocales(all, params);
    const sources = selected.filter(({ status }) => status === from);
    const old = (): VersionRow[] => selected.filter(({ status }) => status === to);
    yield* lookups.replaced(documentId, params, sources, old, from);
    if (to === "draft") yield* this.#rows.remove(neverPublished(selected));
    // as in Strapi, the response is read before links to the new rows are updated
    const entries = new Map<number, Document>();
    const read = (id: number): void => {
      for (const entry of this.#read([id], to, query)) entries.set(id, entry);
    };
    const rows = yield* this.#rows.replace(sources, to, selected, { ...query, status: to }, read);
    if (rows[0]) {
      yield* lookups.result(rows[0].row.id);
      yield* this.#rows.share(rows[0].row, before);
    }
    return { documentId, entries: rows.map(({ row, document }) => document ?? entries.get(row.id)!) };
  }

  /** `write`, or with all problems of its data (`WriteOptions`). Other stores cannot write again after a refusal. */
  checked<T>(data: Data, allProblems: boolean | undefined, write: (data: Data) => Work<T>): Work<T> {
    if (!allProblems || this.#context.rows) return write(data);
    const { withAllProblems } = require("./all-problems.ts") as typeof import("./all-problems.ts");
    return withAllProblems(data, write);
  }

  /** Runs a write in one transaction, which waits for another store, if there is one. */
  transaction<T>(work: () => Work<T>): Promise<T> {
    const { rows, storage } = this.#context;
    return rows ? rows.run(work) : storage.write(() => finish(work()));
  }

  /** Passwords are hashed before the transaction, after a rehearsal has shown that the write will be accepted. */
  async write<T>(data: Data, work: (hashes: Hashes) => Work<T>): Promise<T> {
    const { storage, rows } = this.#context;
    const passwords = this.passwords(data);
    if (passwords.size === 0) return this.transaction(() => work(new Map()));
    this.#budget.take("passwords", passwords.size);
    // other stores cannot rehearse
    if (!rows) await storage.rehearse(() => finish(work(withoutHashing(passwords))));
    const hashes = await hashPasswords(passwords);
    return this.transaction(() => work(hashes));
  }

  /**
   * Publishes the draft if requested, reads the response, and copies shared values to other locales. `rows`: those that the document
   * had. `created`: it is new.
   */
  *#finish(
    written: Written,
    params: Params,
    query: CheckedQuery,
    rows: readonly VersionRow[],
    before: Data | undefined,
    created?: Pick<ReplacementOptions, "isUnlinked" | "links">,
  ): Work<Document> {
    let { document } = written;
    let { row } = written;
    if (this.#type.draftAndPublish && params.status === "published") {
      if (row.status !== "draft") throw new OtherVersionError(this.#type);
      // as in Strapi, the response is read before links to the new row and other locales are updated
      const read = (id: number): void => {
        [document] = this.#read([id], "published", query);
      };
      const { documentId, locale } = row;
      const listRows = (): readonly VersionRow[] => (this.#context.rows ? this.#rows.all(documentId) : rows);
      const old = (): VersionRow[] =>
        listRows().filter((other) => other.locale === locale && other.status === "published");
      yield* this.#rows.lookups.replaced(documentId, params, [row], old, "draft");
      const selection: Selection = { ...query, status: "published" };
      // a store of rows may have written another time than that of the write, and links to the row
      const options = this.#context.rows ? {} : { ...created, isOneWrite: true };
      const [published] = yield* this.#rows.replace([row], "published", listRows(), selection, read, options);
      row = published!.row;
      document = published!.document ?? document;
    } else if (!document) [document] = this.#read([row.id], this.#selectionOfWritten(query, params).status, query);
    yield* this.#rows.lookups.result(row.id);
    if (created) yield* this.#rows.lookups.localizations(row, []);
    yield* this.#rows.share(row, before);
    return document!;
  }

  /** For reading written rows. `status` undefined: both versions. */
  #contextOfRows(status: Status | undefined): ReadContext {
    const { storage, model } = this.#context;
    return { storage, model, status };
  }

  #read(ids: readonly number[], status: Status | undefined, query: CheckedQuery): Document[] {
    if (ids.length === 0) return [];
    return inOrder(ids, findRows(this.#contextOfRows(status), selectionOnly(query), { locales: undefined, ids }));
  }
}

/** The drafts without a published version, which discarding deletes, as in Strapi. */
const neverPublished = (rows: readonly VersionRow[]): number[] => {
  const published = new Set(rows.filter(({ status }) => status === "published").map(({ locale }) => locale));
  return rows.filter(({ status, locale }) => status === "draft" && !published.has(locale)).map(({ id }) => id);
};

const inOrder = (ids: readonly number[], documents: readonly Document[]): Document[] =>
  documents.toSorted((a, b) => ids.indexOf(a.id as number) - ids.indexOf(b.id as number));
