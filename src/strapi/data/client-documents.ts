/** The document service for callers from outside: checks their parameters, and runs the action through the project's code. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { DocumentService } from "../../engine/documents/document-service.ts";
import type {
  BulkAction,
  ClonedEntries,
  Documents,
  Entries,
  OfDocument,
  Page,
  ReadOptions,
  WithData,
  WriteOptions,
} from "../../engine/documents/documents.ts";
import type { Caller } from "../../engine/query/check-query.ts";
import { type PaginationSettings, readListPages, refuseMixedStyles } from "../../engine/query/list-params.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import type { MaybePromise } from "../../lib/when-ready.ts";
import type { ActionName, StrapiDocuments } from "./documents.ts";

export class ClientDocuments extends DocumentService {
  readonly #actions: StrapiDocuments;

  constructor(actions: StrapiDocuments, context: DocumentsContext, type: ContentType, caller?: Caller) {
    super(context, type, caller);
    this.#actions = actions;
  }

  override get interceptsReads(): boolean {
    return this.#actions.watchesReads(this.type.uid);
  }

  override get interceptsWrites(): boolean {
    return true;
  }

  override get transaction(): NonNullable<Documents["transaction"]> {
    return (work) => this.#actions.transaction(work);
  }

  #run<T>(action: ActionName, params: Params, options?: WriteOptions): Promise<T> {
    const { model } = this.context;
    return this.#actions.run(this.type.uid, action, params, { ...this.caller, ...options, model }) as Promise<T>;
  }

  /** As in Strapi, what a middleware does not return is not found. */
  async #runOne(action: ActionName, params: Params, options?: WriteOptions): Promise<Document | null> {
    return (await this.#run<Document | null | undefined>(action, params, options)) ?? null;
  }

  /** Checks a write as the service does that runs it without code. */
  #checkWrite(params: Params, { shows }: WriteOptions): void {
    if (!shows) this.selection(params);
  }

  override findPage(params: Params, settings: PaginationSettings, options?: ReadOptions): MaybePromise<Page> {
    return this.interceptsReads ? this.#findPage(params, settings) : super.findPage(params, settings, options);
  }

  async #findPage(params: Params, settings: PaginationSettings): Promise<Page> {
    this.checkAll(params, true);
    refuseMixedStyles(params.pagination);
    const pagination = readListPages(params, settings);
    const { start, limit, withCount } = pagination;
    const documents = await this.findMany({ ...params, start, limit });
    return { documents, pagination, total: withCount ? await this.count({ ...params, start, limit }) : undefined };
  }

  override async findMany(params: Params = {}): Promise<Document[]> {
    if (!this.interceptsReads) return super.findMany(params);
    this.check(params);
    return this.#run("findMany", params);
  }

  override async findFirst(params: Params = {}): Promise<Document | null> {
    if (!this.interceptsReads) return super.findFirst(params);
    this.check(params);
    return this.#runOne("findFirst", params);
  }

  override async findOne({ documentId, ...params }: OfDocument): Promise<Document | null> {
    if (!this.interceptsReads) return super.findOne({ ...params, documentId });
    this.check(params);
    return this.#runOne("findOne", { ...params, documentId });
  }

  override async count(params: Params = {}): Promise<number> {
    if (!this.interceptsReads) return super.count(params);
    this.check(params);
    return this.#run("count", params);
  }

  override readOneSteadily(params: Params, documentId?: string, options?: ReadOptions): MaybePromise<Document | null> {
    if (!this.interceptsReads) return super.readOneSteadily(params, documentId, options);
    return documentId === undefined ? this.findFirst(params) : this.findOne({ ...params, documentId });
  }

  override async create(
    { data, ...params }: WithData,
    { documentId, ...options }: WriteOptions = {},
  ): Promise<Document> {
    this.#checkWrite(params, options);
    this.takePasswords(data);
    const given = documentId === undefined ? data : { ...data, documentId };
    return this.#run("create", { ...params, data: given }, options);
  }

  override async update(
    { documentId, data, ...params }: WithData & OfDocument,
    options: WriteOptions = {},
  ): Promise<Document | null> {
    this.#checkWrite(params, options);
    this.takePasswords(data);
    return this.#runOne("update", { ...params, documentId, data }, options);
  }

  override async createOrUpdate(params: WithData): Promise<Document | null> {
    const documentId = this.singleId();
    return documentId === undefined ? this.create(params) : this.update({ ...params, documentId });
  }

  override async delete({ documentId, ...params }: OfDocument, options: WriteOptions = {}): Promise<Entries> {
    this.queryToDelete(params, documentId);
    return this.#run("delete", { ...params, documentId }, options);
  }

  override async publish({ documentId, ...params }: OfDocument, options: WriteOptions = {}): Promise<Entries> {
    this.needDrafts("publish");
    this.#checkWrite(params, options);
    return this.#run("publish", { ...params, documentId }, options);
  }

  override async discardDraft({ documentId, ...params }: OfDocument, options: WriteOptions = {}): Promise<Entries> {
    this.needDrafts("discard");
    this.#checkWrite(params, options);
    return this.#run("discardDraft", { ...params, documentId }, options);
  }

  override async unpublish({ documentId, ...params }: OfDocument, options: WriteOptions = {}): Promise<Entries> {
    this.needDrafts("unpublish");
    this.selection(params);
    return this.#run("unpublish", { ...params, documentId }, options);
  }

  override async clone({
    documentId,
    data = {},
    ...params
  }: OfDocument & Partial<Pick<WithData, "data">>): Promise<ClonedEntries> {
    this.selection(params);
    this.takePasswords(data);
    return this.#run("clone", { ...params, documentId, data });
  }

  /** Code may be slow, so that each document has its own transaction. */
  override async each(action: BulkAction, documentIds: readonly string[], params: Params): Promise<number> {
    if (action !== "delete") this.needDrafts(action);
    let count = 0;
    for (const documentId of documentIds) count += (await this[action]({ ...params, documentId })).entries.length;
    return count;
  }
}
