/**
 * The document service of one content-type, in the reference's names and parameters. REST, GraphQL and programs use it
 * alike. Each write is one transaction.
 */
import { validationError } from "../errors.ts";
import {
  type Pagination,
  type PaginationSettings,
  readListPages,
  readOffsets,
  refuseMixedStyles,
} from "../query/pagination.ts";
import { checkParams, emptyQuery, type Params, readPagedQuery, readSelection } from "../query/parse.ts";
import { readPublicationFilter } from "../query/publication-filter.ts";
import type { Reading, Status } from "../query/reading.ts";
import { countRows, findIds, findRows } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import { checkValues } from "../query/strict-params.ts";
import type { CanRead, Query } from "../query/tree.ts";
import type { ContentType } from "../schema/model.ts";
import type { DocumentsContext } from "./context.ts";
import { createDocumentId } from "./document-id.ts";
import { DocumentRows } from "./document-rows.ts";
import { sharedBefore, syncShared } from "./localizations.ts";
import { hashPasswords, passwordsIn } from "./passwords.ts";
import { readData } from "./read-data.ts";
import { RelationInput } from "./relation-input.ts";
import { type Data, deleteRow, type Hashes } from "./rows.ts";
import { manyLocales, ofDocument, oneLocale, readingOf, writtenLocale } from "./scope.ts";
import type { VersionRow } from "./versions.ts";

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

export class DocumentService {
  readonly #context: DocumentsContext;
  readonly type: ContentType;
  /** Which types may be looked at through relations; programs may look at all of them. */
  readonly #canRead: CanRead;
  readonly #rows: DocumentRows;

  constructor(context: DocumentsContext, type: ContentType, canRead: CanRead = () => true) {
    this.#context = context;
    this.type = type;
    this.#canRead = canRead;
    this.#rows = new DocumentRows(context, type);
  }

  /** What a write answers. Of other parameters the keys are checked, and the values do not matter, as in the reference. */
  #selection(params: Params): Query {
    this.#checkAll(params);
    return readSelection(this.#context.model, this.type, params, this.#canRead);
  }

  /** For reading or removing one document; `documentId` undefined: the first that matches. */
  #queryOfOne(params: Params, documentId?: string): Query {
    const { query, pages } = this.#pagedQuery(params, () => readOffsets(params), documentId);
    return { ...query, start: pages.start, limit: 1 };
  }

  #pagedQuery<T>(params: Params, readPages: () => T, documentId?: string): { query: Query; pages: T } {
    this.#checkAll(params);
    const own = documentId === undefined ? params : ofDocument(params);
    return readPagedQuery(this.#context.model, this.type, own, this.#canRead, readPages);
  }

  #checkAll(params: Params, isPage = false): void {
    this.check(params);
    if (this.#context.strictParams) checkValues(params, isPage);
  }

  /** Checks the keys of a request's parameters alone; everything else about them shows when they are used. */
  check(params: Params): void {
    readPublicationFilter({ publicationFilter: params.publicationFilter });
    checkParams(this.#context.model, this.type, params, this.#canRead);
    // a name that the reference uses inside
    if (params.lookup) throw validationError("Invalid params: 'lookup'");
  }

  /** A page of documents with what `meta.pagination` needs. Throws a ValidationError or PaginationError. */
  findPage(params: Params, settings: PaginationSettings): Page {
    this.#checkAll(params, true);
    const reading = readingOf(this.#context, params);
    refuseMixedStyles(params.pagination);
    const { query, pages: pagination } = readPagedQuery(this.#context.model, this.type, params, this.#canRead, () =>
      readListPages(params, settings),
    );
    const scope = { locales: manyLocales(this.#context, this.type, params) };
    const { start, limit, withCount } = pagination;
    const documents = findRows(reading, { ...query, start, limit }, scope, withCount);
    return { documents, pagination, total: withCount ? countRows(reading, query, scope) : undefined };
  }

  async findMany(params: Params = {}): Promise<Document[]> {
    const { query, pages } = this.#pagedQuery(params, () => readOffsets(params));
    return findRows(
      readingOf(this.#context, params),
      { ...query, ...pages },
      { locales: manyLocales(this.#context, this.type, params) },
    );
  }

  async findFirst(params: Params = {}): Promise<Document | null> {
    return this.readOne(params);
  }

  async findOne({ documentId, ...params }: Params & { readonly documentId: string }): Promise<Document | null> {
    return this.readOne(params, documentId);
  }

  async count(params: Params = {}): Promise<number> {
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

  /** `check` is asked in the transaction that writes; what it throws leaves everything as it was. */
  async create({ data, ...params }: Params & { readonly data: Data }, check: () => void = () => {}): Promise<Document> {
    const query = this.#selection(params);
    return this.#write(data, (hashes) => {
      check();
      return this.#create(params, query, data, hashes);
    });
  }

  /** For writes inside a transaction of the caller's: `hashes` has every password of the data. */
  createSync({ data, ...params }: Params & { readonly data: Data }, hashes?: Hashes): Document {
    return this.#create(params, this.#selection(params), data, hashes);
  }

  #create(params: Params, query: Query, data: Data, hashes: Hashes | undefined): Document {
    return this.#context.storage.transaction(() => {
      const locale = writtenLocale(this.#context, this.type, params);
      const status = this.#rows.writtenStatus();
      const resolved = new RelationInput(this.#context, this.type, { locale, status }).resolve(this.type, data);
      const row = this.#rows.insert({ documentId: createDocumentId(), locale, status }, resolved, hashes);
      return this.#finish(row, params, query, undefined);
    });
  }

  /** Null for an unknown document. A locale that the document lacks is created. */
  async update({
    documentId,
    data,
    ...params
  }: Params & { readonly documentId: string; readonly data: Data }): Promise<Document | null> {
    const query = this.#selection(params);
    return this.#write(data, (hashes) => this.#update(documentId, params, query, data, hashes));
  }

  /** As `createSync`. */
  updateSync(
    { documentId, data, ...params }: Params & { readonly documentId: string; readonly data: Data },
    hashes?: Hashes,
  ): Document | null {
    return this.#update(documentId, params, this.#selection(params), data, hashes);
  }

  #update(documentId: string, params: Params, query: Query, data: Data, hashes: Hashes | undefined): Document | null {
    return this.#context.storage.transaction(() => {
      const locale = writtenLocale(this.#context, this.type, params);
      const status = this.#rows.writtenStatus();
      const resolved = new RelationInput(this.#context, this.type, { locale, status }).resolve(this.type, data);
      const rows = this.#rows.all(documentId);
      if (rows.length === 0) return null;
      const before = sharedBefore(this.#context, this.type, rows, locale);
      const there = rows.find((row) => row.locale === locale && row.status === status);
      if (there) this.#rows.change(there, resolved, hashes);
      const row = there ?? this.#rows.insertLocalization({ documentId, locale, status }, resolved, hashes);
      return this.#finish(row, params, query, before);
    });
  }

  /** For single types: changes the one document, whichever locales and versions it has, or makes it. */
  async createOrUpdate({ data, ...params }: Params & { readonly data: Data }): Promise<Document | null> {
    const query = this.#selection(params);
    // asked in the transaction, so that two processes do not make one each
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
    return this.#context.storage.transaction(() => {
      const locales = manyLocales(this.#context, this.type, params);
      const publicationFilter = readPublicationFilter(params);
      // the filter looks at drafts, so that only those are removed, as in the reference
      const reading: Reading = {
        storage: this.#context.storage,
        model: this.#context.model,
        status: publicationFilter === undefined ? undefined : "draft",
        publicationFilter,
      };
      const ids = findIds(reading, query, { locales, documentId });
      const entries =
        ids.length === 0
          ? []
          : findRows(
              reading,
              { ...emptyQuery(this.type), fields: query.fields, populate: query.populate },
              { locales: undefined, ids },
            );
      for (const id of ids) deleteRow(this.#context, this.type, id);
      return { documentId, entries };
    });
  }

  async publish(params: Params & { readonly documentId: string }): Promise<Entries> {
    return this.publishSync(params);
  }

  publishSync({ documentId, ...params }: Params & { readonly documentId: string }): Entries {
    return this.#replaceVersions(documentId, params, "draft", "published");
  }

  async discardDraft({ documentId, ...params }: Params & { readonly documentId: string }): Promise<Entries> {
    return this.#replaceVersions(documentId, params, "published", "draft");
  }

  async unpublish({ documentId, ...params }: Params & { readonly documentId: string }): Promise<Entries> {
    this.#needDrafts("unpublish");
    const query = this.#selection(params);
    return this.#context.storage.transaction(() => {
      const rows = this.#rows
        .inLocales(this.#rows.all(documentId), params)
        .filter(({ status }) => status === "published");
      const entries = this.#read(
        rows.map(({ id }) => id),
        "published",
        query,
      );
      for (const row of rows) this.#rows.withdraw(row);
      return { documentId, entries };
    });
  }

  /** A new document with the drafts of another one, or its only versions; `data` replaces what it names. */
  async clone({
    documentId,
    data = {},
    ...params
  }: Params & { readonly documentId: string; readonly data?: Data }): Promise<Entries> {
    const query = this.#selection(params);
    return this.#write(data, (hashes) => {
      const status = this.#rows.writtenStatus();
      const cloned = createDocumentId();
      const ids = this.#rows
        .inLocales(this.#rows.all(documentId), params)
        .filter((row) => row.status === status)
        .map((row) => {
          const whole = { ...readData(this.#context, this.type, row.id, { includes: () => true }), ...data };
          const resolved = new RelationInput(this.#context, this.type, row, true).resolve(this.type, whole);
          return this.#rows.insert({ documentId: cloned, locale: row.locale, status }, resolved, hashes).id;
        });
      return { documentId: cloned, entries: this.#read(ids, status, query) };
    });
  }

  /** One transaction. Passwords are hashed before it, but only once it is known that the write would be accepted. */
  async #write<T>(data: Data, work: (hashes: Hashes) => T): Promise<T> {
    const { storage, model } = this.#context;
    const passwords = passwordsIn(model, this.type, data);
    if (passwords.size === 0) return storage.transaction(() => work(new Map()));
    storage.rehearse(() => work(new Map([...passwords].map((password) => [password, ""]))));
    const hashes = await hashPasswords(passwords);
    return storage.transaction(() => work(hashes));
  }

  #needDrafts(action: string): void {
    if (!this.type.draftAndPublish)
      throw validationError(`${this.type.uid} has no drafts: there is nothing to ${action}`);
  }

  /** Publishes a written draft where that is asked for, reads the answer, and hands shared values on. */
  #finish(written: VersionRow, params: Params, query: Query, before: Data | undefined): Document {
    let document: Document | undefined;
    // the answer is what the write itself made, as in the reference: links to it and other locales follow after it
    const read = (id: number): void => {
      [document] = this.#read([id], params.status === "published" ? "published" : "draft", query);
    };
    const publishes = this.type.draftAndPublish && params.status === "published";
    const row = publishes ? this.#rows.publish(written, read) : written;
    if (!publishes) read(row.id);
    syncShared(this.#context, this.type, row, before);
    return document!;
  }

  #read(ids: readonly number[], status: Status, query: Query): Document[] {
    if (ids.length === 0) return [];
    const reading: Reading = { storage: this.#context.storage, model: this.#context.model, status };
    return findRows(
      reading,
      { ...emptyQuery(this.type), fields: query.fields, populate: query.populate },
      { locales: undefined, ids },
    );
  }

  #replaceVersions(documentId: string, params: Params, from: Status, to: Status): Entries {
    this.#needDrafts(to === "published" ? "publish" : "discard");
    const query = this.#selection(params);
    return this.#context.storage.transaction(() => {
      const all = this.#rows.all(documentId);
      const before = sharedBefore(this.#context, this.type, all);
      const sources = this.#rows.inLocales(all, params).filter(({ status }) => status === from);
      const rows = sources.map((row) => (to === "published" ? this.#rows.publish(row) : this.#rows.discard(row)));
      if (rows[0]) syncShared(this.#context, this.type, rows[0], before);
      return {
        documentId,
        entries: this.#read(
          rows.map(({ id }) => id),
          to,
          query,
        ),
      };
    });
  }
}
