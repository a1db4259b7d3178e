/** Saves, publishes and removes documents; shared by collection types and single types. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { manyLocales } from "../../engine/documents/document-reads.ts";
import type { Documents } from "../../engine/documents/documents.ts";
import type { Data } from "../../engine/documents/rows.ts";
import { trustedQuery } from "../../engine/query/check-query.ts";
import type { Status } from "../../engine/query/reading.ts";
import type { Document } from "../../engine/query/select.ts";
import type { CheckedQuery } from "../../engine/query/tree.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { notFound, validationError } from "../../lib/errors.ts";
import { withAuthor } from "../administrator.ts";
import type { Body } from "../call.ts";
import { editedStatus, readRows } from "../read-rows.ts";
import { type Enveloped, envelope, readDocument } from "./envelope.ts";
import { checkLocale, connectedAsSet, readData, readDimensions, readDocumentId } from "./input.ts";
import { keepDocuments } from "./kept-documents.ts";
import type { UnchangedCheck } from "./preconditions.ts";
import { insertForeignVersion, recordVersions } from "./snapshot.ts";
import { byLocaleAndStatus } from "./versions.ts";
import { type View, validatedQuery, wholeQuery } from "./whole-query.ts";

/** Written documents are read again with all attributes. */
const FIELDS = { fields: ["documentId"] };

export class Writes {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly #service: Documents;

  readonly #checkUnchanged: UnchangedCheck;
  readonly #allProblems: boolean;
  /** Who intercepts writes gets whole rows. */
  readonly #fields: { readonly fields?: string[] };

  /** `checkUnchanged` is called in the transaction of each change of a version. `allProblems`: as in `WriteOptions`. */
  constructor(
    context: DocumentsContext,
    type: ContentType,
    checkUnchanged: UnchangedCheck = () => {},
    allProblems = false,
  ) {
    this.#context = context;
    this.#checkUnchanged = checkUnchanged;
    this.#allProblems = allProblems;
    this.#type = type;
    this.#service = context.documents(type);
    this.#fields = this.#service.interceptsWrites ? {} : FIELDS;
  }

  exists(documentId: string): boolean {
    const sql = `SELECT 1 FROM ${quote(this.#type.table)} WHERE document_id = ? LIMIT 1`;
    return this.#context.storage.first(sql, [documentId]) !== undefined;
  }

  /** Of types without drafts, `status` determines the versions of related documents. */
  find(
    documentId: string,
    locale: string | undefined,
    status = editedStatus(this.#type),
    view: View = "document",
    populate?: unknown,
  ): Document | undefined {
    const scope = { locales: this.#locales(locale), documentId };
    return readDocument(this.#context, this.#type, status, scope, view, populate);
  }

  existsIn(documentId: string, locale: string | undefined): boolean {
    const sql = `SELECT 1 FROM ${quote(this.#type.table)} WHERE document_id = ? AND locale IS ? LIMIT 1`;
    return this.#context.storage.first(sql, [documentId, this.#locales(locale)[0]!]) !== undefined;
  }

  #locales(locale: string | undefined): readonly (string | null)[] {
    return this.#type.localized ? [locale ?? this.#context.defaultLocale()] : [null];
  }

  /** Reads what was written, with all attributes. */
  #written({ id }: Document, status: Status = "draft"): Document {
    const scope = { locales: undefined, ids: [id as number] };
    const found = readDocument(this.#context, this.#type, status, scope, "written");
    if (!found) throw notFound();
    return found;
  }

  /**
   * What the result shows of updating, publishing and discarding: it is read before attributes are copied to other locales, and
   * before links to a new version are updated.
   */
  #shows(): { readonly shows?: CheckedQuery } {
    const { model } = this.#context;
    return this.#service.interceptsWrites ? {} : { shows: trustedQuery(wholeQuery(model, this.#type, "written")) };
  }

  /** An updated, published or discarded version. Results of intercepted writes are read again. */
  #replaced(version: Document, status: Status): Document {
    return this.#service.interceptsWrites ? this.#written(version, status) : version;
  }

  /** Called in the transaction of a change of a version. */
  #beforeChange(documentId: string, locale: string | undefined): void {
    this.#checkUnchanged(documentId, locale);
    insertForeignVersion(this.#context, this.#type, documentId, this.#locales(locale)[0]!);
  }

  #record(documentId: string, locale: string | undefined): Promise<void> {
    return recordVersions(this.#context, this.#type, [documentId], this.#locales(locale));
  }

  /** `isNew`: the row does not exist yet. */
  #data(body: Body, isNew: boolean): Promise<Data> {
    const data = readData(this.#context.model, this.#type, body);
    return withAuthor(this.#context, isNew ? connectedAsSet(this.#type, data) : data, isNew);
  }

  /** `status`: "published" also publishes, in the same transaction. */
  async create(body: Body, status?: Status): Promise<Document> {
    const created = await this.#create(body, status);
    await this.#record(created.documentId as string, readDimensions(body).locale);
    return status === "published" ? this.#replaced(created, status) : this.#written(created);
  }

  async #create(body: Body, status: Status | undefined): Promise<Document> {
    checkLocale(this.#context, this.#type, body);
    const { locale } = readDimensions(body);
    const data = await this.#data(body, true);
    const documentId = readDocumentId(body);
    const check = () => this.#checkUnchanged(documentId, locale);
    const params = { ...this.#fields, locale, status, data };
    const shows = status === "published" ? this.#shows() : {};
    return this.#service.create(params, { check, documentId, allProblems: this.#allProblems, ...shows });
  }

  /** Throws a NotFoundError for an unknown document. A locale that it lacks is created. `status` as in `create`. */
  async update(documentId: string, body: Body, status?: Status): Promise<Document> {
    const updated = await this.#update(documentId, body, status);
    await this.#record(documentId, readDimensions(body).locale);
    return this.#type.draftAndPublish ? this.#replaced(updated, status ?? "draft") : this.#written(updated);
  }

  async #update(documentId: string, body: Body, status: Status | undefined): Promise<Document> {
    checkLocale(this.#context, this.#type, body);
    const { locale } = readDimensions(body);
    if (!this.exists(documentId)) throw notFound("Entity not found");
    const data = await this.#data(body, !this.existsIn(documentId, locale));
    const check = () => this.#beforeChange(documentId, locale);
    // without drafts, links to drafts count
    const { draftAndPublish } = this.#type;
    const shows = draftAndPublish ? this.#shows() : {};
    const options = { check, sharesDrafts: true, allProblems: this.#allProblems, ...shows };
    const updated = await this.#service.update({ ...this.#fields, documentId, locale, status, data }, options);
    if (!updated) throw notFound();
    return updated;
  }

  /** Saves the body to the draft and publishes it, as in Strapi, in one transaction. */
  async publish(documentId: string | undefined, body: Body): Promise<Document> {
    readDimensions(body);
    if (documentId !== undefined && !this.exists(documentId)) throw notFound("Document not found");
    this.#requireDrafts("publish");
    if (documentId !== undefined && typeof body.documentId === "string" && body.documentId !== documentId)
      throw notFound("Document not found or already published.");
    const { transaction } = this.#service;
    if (transaction) return this.#publishSaved(transaction, documentId, body);
    return documentId === undefined ? this.create(body, "published") : this.update(documentId, body, "published");
  }

  /** As in Strapi, two actions that can be intercepted: saving the draft, and publishing it. */
  async #publishSaved(
    transaction: NonNullable<Documents["transaction"]>,
    documentId: string | undefined,
    body: Body,
  ): Promise<Document> {
    const { locale } = readDimensions(body);
    const version = await transaction(async () => {
      const draft = await (documentId === undefined
        ? this.#create(body, "draft")
        : this.#update(documentId, body, "draft"));
      const params = { ...this.#fields, documentId: draft.documentId as string, locale };
      const { entries } = await this.#service.publish(params);
      if (!entries[0]) throw notFound("Document not found or already published.");
      // read here, since the next request may replace it
      return this.#written(entries[0], "published");
    });
    await this.#record(version.documentId as string, locale);
    return version;
  }

  #requireDrafts(action: string): void {
    if (this.#type.draftAndPublish) return;
    throw validationError(`${this.#type.uid} has no drafts: there is nothing to ${action}`);
  }

  /** Returns the version that was published. Throws a NotFoundError if there is none. */
  async unpublish(documentId: string, { discardDraft, ...body }: Body): Promise<Enveloped> {
    const { locale } = readDimensions(body);
    const published = this.find(documentId, locale, "published");
    if (!published) throw notFound("Entity not found");
    this.#requireDrafts("unpublish");
    const check = () => this.#beforeChange(documentId, locale);
    if (discardDraft) await this.#service.discardDraft({ ...this.#fields, documentId, locale }, { check });
    const shown = this.#withVersions(this.#written(published, "published"));
    const keep = () => {
      // the discard has checked the version, and has changed it
      if (!discardDraft) check();
      keepDocuments(this.#context, this.#type, [documentId], { locales: this.#locales(locale), reason: "unpublished" });
    };
    await this.#service.unpublish({ ...this.#fields, documentId, locale }, { check: keep });
    await this.#record(documentId, locale);
    return this.envelope(shown);
  }

  /** As in Strapi, every other version counts as a localization. */
  #withVersions(document: Document): Document {
    const query = validatedQuery(this.#context.model, this.#type);
    const scope = { locales: undefined, documentId: document.documentId as string };
    const rows = readRows(this.#context, undefined, query, scope);
    const others = rows.filter(({ id }) => id !== document.id).sort(byLocaleAndStatus);
    return { ...document, localizations: others };
  }

  async discard(documentId: string, body: Body): Promise<Enveloped> {
    const { locale } = readDimensions(body);
    if (!this.find(documentId, locale, "published")) throw notFound();
    this.#requireDrafts("discard");
    const check = () => this.#beforeChange(documentId, locale);
    const options = { check, ...this.#shows() };
    const { entries } = await this.#service.discardDraft({ ...this.#fields, documentId, locale }, options);
    const [draft] = entries;
    if (!draft) throw notFound();
    await this.#record(documentId, locale);
    return this.envelope(this.#replaced(draft, "draft"));
  }

  async clone(documentId: string, body: Body): Promise<Enveloped> {
    const { locale } = readDimensions(body);
    if (!this.find(documentId, locale)) throw notFound();
    const data = await this.#data(body, true);
    const { entries } = await this.#service.clone({ ...this.#fields, documentId, locale, data });
    const [copy] = entries;
    if (!copy) throw notFound();
    await this.#record(copy.documentId as string, locale);
    return this.envelope(this.#written(copy), true);
  }

  /** Removes both versions, in one locale or in all. Throws a NotFoundError if there is nothing to remove. */
  async delete(documentId: string, locale: string | readonly string[] | undefined): Promise<void> {
    // types that are not localized have no rows in the locale
    if (locale && locale !== "*" && !this.#type.localized) throw notFound();
    const check = () => {
      this.#checkUnchanged(documentId, stringOrNone(locale));
      const locales = manyLocales(this.#context, this.#type, { locale });
      keepDocuments(this.#context, this.#type, [documentId], { locales, reason: "deleted" });
    };
    const { entries } = await this.#service.delete({ ...this.#fields, documentId, locale }, { check });
    if (entries.length === 0) throw notFound();
  }

  envelope(document: Document, isNew = false): Enveloped {
    return envelope(this.#context, this.#type, document, isNew);
  }
}
