/**
 * The document service of one content-type, in the reference's names and parameters. REST, GraphQL and programs use it
 * alike. Each write is one transaction.
 */
import { validationError } from "../errors.ts";
import { type Caller, program } from "../query/check-query.ts";
import { isRecord } from "../query/key-check.ts";
import {
  type Pagination,
  type PaginationSettings,
  readListPages,
  readOffsets,
  refuseMixedStyles,
} from "../query/pagination.ts";
import { checkParams, type Params, readPagedQuery, readSelection } from "../query/parse.ts";
import { readPublicationFilter } from "../query/publication-filter.ts";
import type { Reading, Status } from "../query/reading.ts";
import { countRows, findIds, findRows, findRowsInSteps, MOST_AT_ONCE } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import { checkValues } from "../query/strict-params.ts";
import { type CheckedQuery, emptyQuery } from "../query/tree.ts";
import type { ContentType } from "../schema/model.ts";
import type { DocumentsContext } from "./context.ts";
import { createDocumentId } from "./document-id.ts";
import { DocumentRows, type Written } from "./document-rows.ts";
import { sharedBefore, syncShared } from "./localizations.ts";
import type { DocumentCode } from "./own-code.ts";
import { hashPasswords, passwordsIn } from "./passwords.ts";
import { readData } from "./read-data.ts";
import { RelationInput } from "./relation-input.ts";
import type { Data, Hashes } from "./rows.ts";
import { manyLocales, ofDocument, oneLocale, readingOf, writtenLocale } from "./scope.ts";
import { drive, finish, type Work } from "./steps.ts";

export interface Page {
  readonly documents: Document[];
  readonly pagination: Pagination;
  /** Absent when it was not asked for. */
  readonly total: number | undefined;
}

export interface Entries {
  readonly documentId: string;
  readonly entries: Document[];
}

/** What a query answers of rows, whichever they are. */
const answerOf = (query: CheckedQuery): CheckedQuery => ({
  ...query,
  ...emptyQuery(query.schema),
  fields: query.fields,
  populate: query.populate,
});

export class DocumentService {
  readonly #context: DocumentsContext;
  readonly type: ContentType;
  readonly #caller: Caller;
  readonly #rows: DocumentRows;

  constructor(context: DocumentsContext, type: ContentType, caller: Caller = program) {
    this.#context = context;
    this.type = type;
    this.#caller = caller;
    this.#rows = new DocumentRows(context, type);
  }

  /** What a write answers. Of other parameters the keys are checked, and the values do not matter, as in the reference. */
  #selection(params: Params): CheckedQuery {
    this.#checkAll(params);
    return readSelection(this.#context.model, this.type, params, this.#caller);
  }

  /** For reading or removing one document; `documentId` undefined: the first that matches. */
  #queryOfOne(params: Params, documentId?: string): CheckedQuery {
    const { query, pages } = this.#pagedQuery(params, () => readOffsets(params), documentId);
    return { ...query, start: pages.start, limit: 1 };
  }

  #pagedQuery<T>(params: Params, readPages: () => T, documentId?: string): { query: CheckedQuery; pages: T } {
    this.#checkAll(params);
    const own = documentId === undefined ? params : ofDocument(params);
    return readPagedQuery(this.#context.model, this.type, own, this.#caller, readPages);
  }

  #checkAll(params: Params, isPage = false): void {
    this.check(params);
    if (this.#context.strictParams) checkValues(params, isPage);
  }

  /** Checks the keys of a request's parameters alone; everything else about them shows when they are used. */
  check(params: Params): void {
    readPublicationFilter({ publicationFilter: params.publicationFilter });
    checkParams(this.#context.model, this.type, params, this.#caller.canRead);
    // a name that the reference uses inside
    if (params.lookup) throw validationError("Invalid params: 'lookup'");
  }

  /** How written rows are read for an answer. `status` undefined: both versions. */
  #readingOfRows(status: Status | undefined): Reading {
    const { storage, model } = this.#context;
    return { storage, model, status };
  }

  /** A page of documents with what `meta.pagination` needs. Throws a ValidationError or PaginationError. */
  findPage(params: Params, settings: PaginationSettings): Page {
    const { reading, query, scope, withCount, pageOf } = this.#page(params, settings);
    return pageOf(findRows(reading, query, scope, withCount));
  }

  /** As `findPage`, but large pages are a promise: others are served between the steps in which they are read. */
  findPageInSteps(params: Params, settings: PaginationSettings): Page | Promise<Page> {
    if (this.isReadByCode) return this.#findPageByCode(params, settings);
    const { reading, query, scope, withCount, pageOf } = this.#page(params, settings);
    const isLarge = query.limit === undefined || query.limit > MOST_AT_ONCE;
    if (!isLarge) return pageOf(findRows(reading, query, scope, withCount));
    return findRowsInSteps(reading, query, scope, withCount).then(pageOf);
  }

  #page(params: Params, settings: PaginationSettings) {
    this.#checkAll(params, true);
    const reading = readingOf(this.#context, params);
    refuseMixedStyles(params.pagination);
    const { query, pages: pagination } = readPagedQuery(this.#context.model, this.type, params, this.#caller, () =>
      readListPages(params, settings),
    );
    const scope = { locales: manyLocales(this.#context, this.type, params) };
    const { start, limit, withCount } = pagination;
    const pageOf = (documents: Document[]): Page => {
      return { documents, pagination, total: withCount ? countRows(reading, query, scope) : undefined };
    };
    return { reading, query: { ...query, start, limit }, scope, pageOf, withCount };
  }

  /** `findPage` through a project's own code, where that looks at what is read. */
  async #findPageByCode(params: Params, settings: PaginationSettings): Promise<Page> {
    this.#checkAll(params, true);
    refuseMixedStyles(params.pagination);
    const pagination = readListPages(params, settings);
    const { start, limit, withCount } = pagination;
    const documents = await this.findMany({ ...params, start, limit });
    return { documents, pagination, total: withCount ? await this.count({ ...params, start, limit }) : undefined };
  }

  /** Whether a project's own code looks at what is read of this type. */
  get isReadByCode(): boolean {
    return this.#reader() !== undefined;
  }

  #reader(): DocumentCode | undefined {
    const code = this.#context.code?.current;
    return code?.watchesReads(this.type.uid) ? code : undefined;
  }

  /** Runs an action through a project's own code; what the caller may not ask for has been refused before. */
  #runCode<T>(code: DocumentCode, action: string, params: Params, check?: () => void): Promise<T> {
    if (isRecord(params.data)) {
      this.#caller.budget.take("passwords", passwordsIn(this.#context.model, this.type, params.data).size);
    }
    return code.run(this.type.uid, action, params, { ...this.#caller, check }) as Promise<T>;
  }

  async findMany(params: Params = {}): Promise<Document[]> {
    const code = this.#reader();
    if (code) {
      this.check(params);
      return this.#runCode(code, "findMany", params);
    }
    const { query, pages } = this.#pagedQuery(params, () => readOffsets(params));
    return findRows(
      readingOf(this.#context, params),
      { ...query, ...pages },
      { locales: manyLocales(this.#context, this.type, params) },
    );
  }

  async findFirst(params: Params = {}): Promise<Document | null> {
    const code = this.#reader();
    if (!code) return this.readOne(params);
    this.check(params);
    return this.#runCode(code, "findFirst", params);
  }

  async findOne({ documentId, ...params }: Params & { readonly documentId: string }): Promise<Document | null> {
    const code = this.#reader();
    if (!code) return this.readOne(params, documentId);
    this.check(params);
    return this.#runCode(code, "findOne", { ...params, documentId });
  }

  async count(params: Params = {}): Promise<number> {
    const code = this.#reader();
    if (code) {
      this.check(params);
      return this.#runCode(code, "count", params);
    }
    const { query } = this.#pagedQuery(params, () => readOffsets(params));
    return countRows(readingOf(this.#context, params), query, {
      locales: manyLocales(this.#context, this.type, params),
    });
  }

  /** The first row that matches, of one document or of all. */
  readOne(params: Params, documentId?: string): Document | null {
    const reading = readingOf(this.#context, params);
    const query = this.#queryOfOne(params, documentId);
    const scope = { locales: oneLocale(this.#context, this.type, params) };
    return findRows(reading, query, documentId === undefined ? scope : { ...scope, documentId })[0] ?? null;
  }

  /** `check` runs in the transaction that writes; what it throws leaves everything as it was. */
  async create({ data, ...params }: Params & { readonly data: Data }, check: () => void = () => {}): Promise<Document> {
    const query = this.#selection(params);
    const code = this.#context.code?.current;
    if (code) return this.#runCode(code, "create", { ...params, data }, check);
    const own = this.#context.rowHooks && typeof data.documentId === "string" ? data.documentId : undefined;
    return this.#write(data, (hashes) => {
      check();
      return this.#create(params, query, data, hashes, own);
    });
  }

  /** For writes inside a transaction of the caller's: `hashes` has every password of the data. */
  createSync({ data, ...params }: Params & { readonly data: Data }, hashes?: Hashes): Document {
    const query = this.#selection(params);
    return this.#context.storage.transaction(() => finish(this.#create(params, query, data, hashes)));
  }

  *#create(
    params: Params,
    query: CheckedQuery,
    data: Data,
    hashes: Hashes | undefined,
    documentId = createDocumentId(),
  ): Work<Document> {
    const locale = writtenLocale(this.#context, this.type, params);
    const status = this.#rows.writtenStatus();
    const resolved = new RelationInput(this.#context, this.type, { locale, status }).resolve(this.type, data);
    const written = yield* this.#rows.insert({ documentId, locale, status }, resolved, hashes, query);
    return yield* this.#finish(written, params, query, undefined);
  }

  /** Null for an unknown document. A locale that the document lacks is created. `check` as in `create`. */
  async update(
    { documentId, data, ...params }: Params & { readonly documentId: string; readonly data: Data },
    check: () => void = () => {},
  ): Promise<Document | null> {
    const query = this.#selection(params);
    const code = this.#context.code?.current;
    if (code) return this.#runCode(code, "update", { ...params, documentId, data }, check);
    return this.#write(data, (hashes) => {
      check();
      return this.#update(documentId, params, query, data, hashes);
    });
  }

  /** As `createSync`. */
  updateSync(
    { documentId, data, ...params }: Params & { readonly documentId: string; readonly data: Data },
    hashes?: Hashes,
  ): Document | null {
    const query = this.#selection(params);
    return this.#context.storage.transaction(() => finish(this.#update(documentId, params, query, data, hashes)));
  }

  *#update(
    documentId: string,
    params: Params,
    query: CheckedQuery,
    data: Data,
    hashes: Hashes | undefined,
  ): Work<Document | null> {
    const locale = writtenLocale(this.#context, this.type, params);
    const status = this.#rows.writtenStatus();
    const resolved = new RelationInput(this.#context, this.type, { locale, status }).resolve(this.type, data);
    const rows = this.#rows.all(documentId);
    if (rows.length === 0) return null;
    const before = sharedBefore(this.#context, this.type, rows, locale);
    const there = rows.find((row) => row.locale === locale && row.status === status);
    const written = there
      ? yield* this.#rows.change(there, resolved, hashes, query)
      : yield* this.#rows.insertLocalization({ documentId, locale, status }, resolved, hashes, query);
    return yield* this.#finish(written, params, query, before);
  }

  /** For single types: changes the one document, whichever locales and versions it has, or makes it. */
  async createOrUpdate({ data, ...params }: Params & { readonly data: Data }): Promise<Document | null> {
    const query = this.#selection(params);
    if (this.#context.code?.current) {
      const documentId = this.#rows.singleId();
      return documentId === undefined ? this.create({ ...params, data }) : this.update({ ...params, documentId, data });
    }
    // looked up in the transaction, so that two processes do not make one each
    return this.#write(data, (hashes) => {
      const documentId = this.#rows.singleId();
      return documentId === undefined
        ? this.#create(params, query, data, hashes)
        : this.#update(documentId, params, query, data, hashes);
    });
  }

  async deleteSingle(params: Params): Promise<Entries | null> {
    const documentId = this.#rows.singleId();
    if (documentId !== undefined) return this.delete({ ...params, documentId });
    this.#queryOfOne(params);
    return null;
  }

  /** Removes both versions of the locales asked for; answers what was removed. */
  async delete({ documentId, ...params }: Params & { readonly documentId: string }): Promise<Entries> {
    const query = this.#queryOfOne(params, documentId);
    if (this.type.draftAndPublish && params.status === "draft") throw validationError("Cannot delete a draft document");
    const code = this.#context.code?.current;
    if (code) return this.#runCode(code, "delete", { ...params, documentId });
    return this.#transaction(() => this.#delete(documentId, params, query));
  }

  *#delete(documentId: string, params: Params, query: CheckedQuery): Work<Entries> {
    const locales = manyLocales(this.#context, this.type, params);
    const publicationFilter = readPublicationFilter(params);
    // the filter looks at drafts, so that only those are removed, as in the reference
    const reading = {
      ...this.#readingOfRows(publicationFilter === undefined ? undefined : "draft"),
      publicationFilter,
    };
    let ids: readonly number[] = [];
    const entries = yield* this.#rows.found(documentId, () => {
      ids = findIds(reading, query, { locales, documentId });
      return ids.length === 0 ? [] : findRows(reading, answerOf(query), { locales: undefined, ids });
    });
    for (const id of ids) yield* this.#rows.remove({ id }, query);
    return { documentId, entries };
  }

  async publish(params: Params & { readonly documentId: string }): Promise<Entries> {
    return this.#replaceVersions(params, "draft", "published");
  }

  publishSync({ documentId, ...params }: Params & { readonly documentId: string }): Entries {
    const query = this.#selection(params);
    return this.#context.storage.transaction(() =>
      finish(this.#replace(documentId, params, query, "draft", "published")),
    );
  }

  async discardDraft(params: Params & { readonly documentId: string }): Promise<Entries> {
    return this.#replaceVersions(params, "published", "draft");
  }

  async unpublish({ documentId, ...params }: Params & { readonly documentId: string }): Promise<Entries> {
    this.#needDrafts("unpublish");
    const query = this.#selection(params);
    const code = this.#context.code?.current;
    if (code) return this.#runCode(code, "unpublish", { ...params, documentId });
    return this.#transaction(() => this.#unpublish(documentId, params, query));
  }

  *#unpublish(documentId: string, params: Params, query: CheckedQuery): Work<Entries> {
    const rows = this.#rows
      .inLocales(this.#rows.all(documentId), params)
      .filter(({ status }) => status === "published");
    const entries = this.#read(
      rows.map(({ id }) => id),
      "published",
      query,
    );
    for (const row of rows) yield* this.#rows.withdraw(row, query);
    return { documentId, entries };
  }

  /** A new document with the drafts of another one, or its only versions; `data` replaces what it names. */
  async clone({
    documentId,
    data = {},
    ...params
  }: Params & { readonly documentId: string; readonly data?: Data }): Promise<Entries> {
    const query = this.#selection(params);
    const code = this.#context.code?.current;
    if (code) return this.#runCode(code, "clone", { ...params, documentId, data });
    return this.#write(data, (hashes) => this.#clone(documentId, params, query, data, hashes));
  }

  *#clone(documentId: string, params: Params, query: CheckedQuery, data: Data, hashes: Hashes): Work<Entries> {
    const status = this.#rows.writtenStatus();
    const cloned = createDocumentId();
    const ids: number[] = [];
    for (const row of this.#rows.inLocales(this.#rows.all(documentId), params)) {
      if (row.status !== status) continue;
      const whole = { ...readData(this.#context, this.type, row.id, { includes: () => true }), ...data };
      const resolved = new RelationInput(this.#context, this.type, row, true).resolve(this.type, whole);
      const version = { documentId: cloned, locale: row.locale, status };
      const written = yield* this.#rows.insert(version, resolved, hashes, query);
      ids.push(written.row.id);
    }
    return { documentId: cloned, entries: this.#read(ids, status, query) };
  }

  /** One transaction, which waits for hooks where there are any. */
  #transaction<T>(work: () => Work<T>): Promise<T> {
    const { rowHooks, storage } = this.#context;
    return rowHooks ? rowHooks.transaction(() => drive(work())) : storage.write(() => finish(work()));
  }

  /** Passwords are hashed before the transaction, but only once it is known that the write would be accepted. */
  async #write<T>(data: Data, work: (hashes: Hashes) => Work<T>): Promise<T> {
    const { storage, model, rowHooks } = this.#context;
    const passwords = passwordsIn(model, this.type, data);
    if (passwords.size === 0) return this.#transaction(() => work(new Map()));
    this.#caller.budget.take("passwords", passwords.size);
    // hooks cannot be rehearsed
    if (!rowHooks)
      await storage.rehearse(() => finish(work(new Map([...passwords].map((password) => [password, ""])))));
    const hashes = await hashPasswords(passwords);
    return this.#transaction(() => work(hashes));
  }

  #needDrafts(action: string): void {
    if (!this.type.draftAndPublish)
      throw validationError(`${this.type.uid} has no drafts: there is nothing to ${action}`);
  }

  /** Publishes a written draft where requested, reads the answer, and hands shared values on. */
  *#finish(written: Written, params: Params, query: CheckedQuery, before: Data | undefined): Work<Document> {
    let { document } = written;
    // the answer is what the write itself made, as in the reference: links to it and other locales follow after it
    const read = (id: number): void => {
      [document] = this.#read([id], params.status === "published" ? "published" : "draft", query);
    };
    let { row } = written;
    if (this.type.draftAndPublish && params.status === "published") {
      const published = yield* this.#rows.publish(row, read, query);
      row = published.row;
      document = published.document ?? document;
    } else if (!document) read(row.id);
    syncShared(this.#context, this.type, row, before);
    return document!;
  }

  #read(ids: readonly number[], status: Status, query: CheckedQuery): Document[] {
    if (ids.length === 0) return [];
    return findRows(this.#readingOfRows(status), answerOf(query), { locales: undefined, ids });
  }

  async #replaceVersions(
    { documentId, ...params }: Params & { readonly documentId: string },
    from: Status,
    to: Status,
  ): Promise<Entries> {
    this.#needDrafts(to === "published" ? "publish" : "discard");
    const query = this.#selection(params);
    const code = this.#context.code?.current;
    const action = to === "published" ? "publish" : "discardDraft";
    if (code) return this.#runCode(code, action, { ...params, documentId });
    return this.#transaction(() => this.#replace(documentId, params, query, from, to));
  }

  *#replace(documentId: string, params: Params, query: CheckedQuery, from: Status, to: Status): Work<Entries> {
    const all = this.#rows.all(documentId);
    const before = sharedBefore(this.#context, this.type, all);
    const rows: Written[] = [];
    for (const source of this.#rows.inLocales(all, params)) {
      if (source.status !== from) continue;
      rows.push(
        to === "published"
          ? yield* this.#rows.publish(source, undefined, query)
          : yield* this.#rows.discard(source, query),
      );
    }
    if (rows[0]) syncShared(this.#context, this.type, rows[0].row, before);
    const entries = this.#read(
      rows.map(({ row }) => row.id),
      to,
      query,
    );
    const hooked = new Map(rows.map(({ row, document }) => [row.id, document]));
    return { documentId, entries: entries.map((entry) => hooked.get(entry.id as number) ?? entry) };
  }
}
