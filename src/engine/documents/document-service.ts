/**
 * The document service of one content-type, with Strapi's names and parameters, for REST, GraphQL and programs. Each
 * write is one transaction.
 */
import { validationError } from "../../lib/errors.ts";
import type { Params } from "../query/parse.ts";
import type { Status } from "../query/reading.ts";
import type { Document } from "../query/select.ts";
import type { CheckedQuery } from "../query/tree.ts";
import type { DocumentsContext } from "./context.ts";
import { DocumentReads, withLocaleFilter } from "./document-reads.ts";
import type { DocumentWrites } from "./document-writes.ts";
import type {
  BulkAction,
  ClonedEntries,
  Data,
  Documents,
  Entries,
  GetDocuments,
  Hashes,
  OfDocument,
  OnWrite,
  WithData,
  WriteOptions,
} from "./documents.ts";
import { finish, type Work } from "./steps.ts";

type WritesModule = typeof import("./document-writes.ts");
let writesModule: WritesModule | undefined;

export class DocumentService extends DocumentReads implements Documents {
  #loaded: DocumentWrites | undefined;

  get #writes(): DocumentWrites {
    writesModule ??= require("./document-writes.ts") as WritesModule;
    this.#loaded ??= new writesModule.DocumentWrites(this.context, this.type, this.caller.budget);
    return this.#loaded;
  }

  get interceptsReads(): boolean {
    return false;
  }

  get interceptsWrites(): boolean {
    return false;
  }

  get transaction(): Documents["transaction"] {
    return undefined;
  }

  async create(
    { data, ...params }: WithData,
    { documentId: givenId, ...options }: WriteOptions = {},
  ): Promise<Document> {
    const query = options.shows ?? this.selection(params);
    const ownId = this.context.rows && typeof data.documentId === "string" ? data.documentId : undefined;
    const documentId = givenId ?? ownId;
    return this.#written(
      "create",
      params,
      this.#writes.write(data, (hashes) => {
        options.check?.();
        return this.#writes.checked(data, options.allProblems, (given) =>
          this.#writes.create(params, query, given, hashes, documentId),
        );
      }),
    );
  }

  createSync({ data, ...params }: WithData, hashes?: Hashes, documentId?: string): Document {
    const query = this.selection(params);
    return this.context.storage.transaction(() => finish(this.#writes.create(params, query, data, hashes, documentId)));
  }

  async update(
    { documentId, data, ...params }: WithData & OfDocument,
    options: WriteOptions = {},
  ): Promise<Document | null> {
    const query = options.shows ?? this.selection(params);
    let action = "update";
    const onWrite: OnWrite = (written) => {
      action = written;
      options.onWrite?.(written);
    };
    const document = await this.#writes.write(data, (hashes) => {
      options.check?.();
      return this.#writes.checked(data, options.allProblems, (given) =>
        this.#writes.update(documentId, params, query, given, hashes, { ...options, onWrite }),
      );
    });
    this.#report(action, params, document);
    return document;
  }

  updateSync({ documentId, data, ...params }: WithData & OfDocument, hashes?: Hashes): Document | null {
    const query = this.selection(params);
    return this.context.storage.transaction(() => finish(this.#writes.update(documentId, params, query, data, hashes)));
  }

  async createOrUpdate({ data, ...params }: WithData): Promise<Document | null> {
    const query = this.selection(params);
    // looked up inside the transaction, so that two processes do not both create it
    let action = "update";
    const onWrite: OnWrite = (written) => {
      action = written;
    };
    const document = await this.#writes.write(data, (hashes) => {
      const documentId = this.#writes.singleId();
      if (documentId !== undefined) return this.#writes.update(documentId, params, query, data, hashes, { onWrite });
      action = "create";
      return this.#writes.create(params, query, data, hashes);
    });
    this.#report(action, params, document);
    return document;
  }

  /** The id of a single type's document. */
  protected singleId(): string | undefined {
    return this.#writes.singleId();
  }

  /** Takes the passwords of the data from the caller's budget. */
  protected takePasswords(data: Data): void {
    this.caller.budget.take("passwords", this.#writes.passwords(data).size);
  }

  protected queryToDelete(params: Params, documentId: string): CheckedQuery {
    const query = this.queryOfOne(params, documentId);
    if (this.type.draftAndPublish && params.status === "draft") throw validationError("Cannot delete a draft document");
    return query;
  }

  async deleteSingle(params: Params): Promise<Entries | null> {
    const documentId = this.singleId();
    if (documentId !== undefined) return this.delete({ ...params, documentId });
    this.queryOfOne(params);
    return null;
  }

  async delete({ documentId, ...given }: OfDocument, options: WriteOptions = {}): Promise<Entries> {
    const params = withLocaleFilter(this.type, given);
    const query = this.queryToDelete(params, documentId);
    return this.#written(
      "delete",
      params,
      this.#transaction(options, () => this.#writes.delete(documentId, params, query)),
    );
  }

  async publish(params: OfDocument, options: WriteOptions = {}): Promise<Entries> {
    return this.#replaceVersions(params, "draft", "published", options);
  }

  publishSync({ documentId, ...params }: OfDocument): Entries {
    const query = this.selection(params);
    return this.context.storage.transaction(() =>
      finish(this.#writes.replace(documentId, params, query, "draft", "published")),
    );
  }

  unpublishSync({ documentId, ...params }: OfDocument): Entries {
    const query = this.selection(params);
    return this.context.storage.transaction(() => finish(this.#writes.unpublish(documentId, params, query)));
  }

  deleteSync({ documentId, ...given }: OfDocument): Entries {
    const params = withLocaleFilter(this.type, given);
    const query = this.queryToDelete(params, documentId);
    return this.context.storage.transaction(() => finish(this.#writes.delete(documentId, params, query)));
  }

  async discardDraft(params: OfDocument, options: WriteOptions = {}): Promise<Entries> {
    return this.#replaceVersions(params, "published", "draft", options);
  }

  async unpublish({ documentId, ...params }: OfDocument, options: WriteOptions = {}): Promise<Entries> {
    this.needDrafts("unpublish");
    const query = this.selection(params);
    return this.#written(
      "unpublish",
      params,
      this.#transaction(options, () => this.#writes.unpublish(documentId, params, query)),
    );
  }

  async clone({ documentId, data = {}, ...params }: OfDocument & { readonly data?: Data }): Promise<ClonedEntries> {
    const query = this.selection(params);
    return this.#written(
      "clone",
      params,
      this.#writes.write(data, (hashes) => this.#writes.clone(documentId, params, query, data, hashes)),
    );
  }

  async each(action: BulkAction, documentIds: readonly string[], params: Params): Promise<number> {
    if (action !== "delete") this.needDrafts(action);
    const writes = this.#writes;
    const query = this.selection(params);
    // webhooks get whole entries
    const { fields: _, ...others } = params;
    const reported = this.context.reports?.isUsed ? this.selection(others) : query;
    const works = {
      publish: (documentId: string) => writes.replace(documentId, params, reported, "draft", "published"),
      unpublish: (documentId: string) => writes.unpublish(documentId, params, reported),
      delete: (documentId: string) => writes.delete(documentId, params, reported),
    };
    const results = await writes.transaction(function* () {
      const written: Entries[] = [];
      for (const documentId of documentIds) written.push(yield* works[action](documentId));
      return written;
    });
    for (const result of results) this.#report(action, params, result);
    return results.reduce((count, { entries }) => count + entries.length, 0);
  }

  /** Reports a write to webhooks once it is committed. */
  async #written<T>(action: string, params: Params, write: Promise<T>): Promise<T> {
    const result = await write;
    this.#report(action, params, result);
    return result;
  }

  #report(action: string, params: Params, result: unknown): void {
    const { reports } = this.context;
    if (reports?.isUsed) reports.report(this.type.uid, action, params, result);
  }

  protected needDrafts(action: string): void {
    if (!this.type.draftAndPublish)
      throw validationError(`${this.type.uid} has no drafts: there is nothing to ${action}`);
  }

  async #replaceVersions(
    { documentId, ...params }: OfDocument,
    from: Status,
    to: Status,
    options: WriteOptions = {},
  ): Promise<Entries> {
    this.needDrafts(to === "published" ? "publish" : "discard");
    const query = options.shows ?? this.selection(params);
    return this.#written(
      to === "published" ? "publish" : "discardDraft",
      params,
      this.#transaction(options, () => this.#writes.replace(documentId, params, query, from, to)),
    );
  }

  #transaction<T>({ check }: WriteOptions, work: () => Work<T>): Promise<T> {
    return this.#writes.transaction(() => {
      check?.();
      return work();
    });
  }
}

/** The document service of a context for which nothing else takes part. */
export const storedDocuments =
  (context: DocumentsContext): GetDocuments =>
  (type, caller) =>
    new DocumentService(context, type, caller);
