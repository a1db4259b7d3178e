/**
 * The document service of one content-type, with the reference's names and parameters, for REST, GraphQL and programs. Each
 * write is one transaction.
 */
import { validationError } from "../../lib/errors.ts";
import type { Params } from "../query/parse.ts";
import type { Status } from "../query/read-context.ts";
import type { Document } from "../query/select.ts";
import { DocumentReads } from "./document-reads.ts";
import type { ClonedEntries, DocumentWrites, Entries } from "./document-writes.ts";
import type { DocumentCode, WriteOptions } from "./own-code.ts";
import type { Data, Hashes } from "./rows.ts";
import { finish, type Work } from "./steps.ts";

export type { Page } from "./document-reads.ts";
export type { Entries };

type WritesModule = typeof import("./document-writes.ts");
let writesModule: WritesModule | undefined;

export class DocumentService extends DocumentReads {
  #loaded: DocumentWrites | undefined;

  get #writes(): DocumentWrites {
    writesModule ??= require("./document-writes.ts") as WritesModule;
    this.#loaded ??= new writesModule.DocumentWrites(this.context, this.type, this.caller.budget);
    return this.#loaded;
  }

  /** A write through the project's code, which hashes passwords itself. */
  #runWrite<T>(
    code: DocumentCode,
    action: string,
    params: Params & { readonly data: Data },
    options?: WriteOptions,
  ): Promise<T> {
    this.caller.budget.take("passwords", this.#writes.passwords(params.data).size);
    return this.runCode(code, action, params, options);
  }

  async create(
    { data, ...params }: Params & { readonly data: Data },
    { documentId: givenId, ...options }: WriteOptions = {},
  ): Promise<Document> {
    const query = options.shows ?? this.selection(params);
    const code = this.context.code?.current;
    const ofCode = givenId === undefined ? data : { ...data, documentId: givenId };
    if (code) return this.#runWrite(code, "create", { ...params, data: ofCode }, options);
    const ownId = this.context.rowHooks && typeof data.documentId === "string" ? data.documentId : undefined;
    const documentId = givenId ?? ownId;
    return this.#written(
      "create",
      params,
      this.#writes.write(data, (hashes) => {
        options.check?.();
        return this.#writes.create(params, query, data, hashes, documentId);
      }),
    );
  }

  /** For writes inside the caller's transaction; `hashes` has all passwords of the data. */
  createSync({ data, ...params }: Params & { readonly data: Data }, hashes?: Hashes): Document {
    const query = this.selection(params);
    return this.context.storage.transaction(() => finish(this.#writes.create(params, query, data, hashes)));
  }

  /** Null for an unknown document. A missing locale is created. */
  async update(
    { documentId, data, ...params }: Params & { readonly documentId: string; readonly data: Data },
    options: WriteOptions = {},
  ): Promise<Document | null> {
    const query = options.shows ?? this.selection(params);
    const code = this.context.code?.current;
    if (code) return this.#runWrite(code, "update", { ...params, documentId, data }, options);
    return this.#written(
      "update",
      params,
      this.#writes.write(data, (hashes) => {
        options.check?.();
        return this.#writes.update(documentId, params, query, data, hashes, options.sharesDrafts);
      }),
    );
  }

  /** As `createSync`. */
  updateSync(
    { documentId, data, ...params }: Params & { readonly documentId: string; readonly data: Data },
    hashes?: Hashes,
  ): Document | null {
    const query = this.selection(params);
    return this.context.storage.transaction(() => finish(this.#writes.update(documentId, params, query, data, hashes)));
  }

  /** For single types: updates the document, in any locale or version, or creates it. */
  async createOrUpdate({ data, ...params }: Params & { readonly data: Data }): Promise<Document | null> {
    const query = this.selection(params);
    if (this.context.code?.current) {
      const documentId = this.#writes.singleId();
      return documentId === undefined ? this.create({ ...params, data }) : this.update({ ...params, documentId, data });
    }
    // looked up inside the transaction, so that two processes do not both create it
    let action = "update";
    const document = await this.#writes.write(data, (hashes) => {
      const documentId = this.#writes.singleId();
      if (documentId !== undefined) return this.#writes.update(documentId, params, query, data, hashes);
      action = "create";
      return this.#writes.create(params, query, data, hashes);
    });
    this.#report(action, params, document);
    return document;
  }

  async deleteSingle(params: Params): Promise<Entries | null> {
    const documentId = this.#writes.singleId();
    if (documentId !== undefined) return this.delete({ ...params, documentId });
    this.queryOfOne(params);
    return null;
  }

  /** Deletes both versions in the requested locales; returns what was deleted. */
  async delete(
    { documentId, ...params }: Params & { readonly documentId: string },
    options: WriteOptions = {},
  ): Promise<Entries> {
    const query = this.queryOfOne(params, documentId);
    if (this.type.draftAndPublish && params.status === "draft") throw validationError("Cannot delete a draft document");
    const code = this.context.code?.current;
    if (code) return this.runCode(code, "delete", { ...params, documentId }, options);
    return this.#written(
      "delete",
      params,
      this.#transaction(options, () => this.#writes.delete(documentId, params, query)),
    );
  }

  async publish(params: Params & { readonly documentId: string }): Promise<Entries> {
    return this.#replaceVersions(params, "draft", "published");
  }

  publishSync({ documentId, ...params }: Params & { readonly documentId: string }): Entries {
    const query = this.selection(params);
    return this.context.storage.transaction(() =>
      finish(this.#writes.replace(documentId, params, query, "draft", "published")),
    );
  }

  async discardDraft(params: Params & { readonly documentId: string }, options: WriteOptions = {}): Promise<Entries> {
    return this.#replaceVersions(params, "published", "draft", options);
  }

  async unpublish(
    { documentId, ...params }: Params & { readonly documentId: string },
    options: WriteOptions = {},
  ): Promise<Entries> {
    this.#needDrafts("unpublish");
    const query = this.selection(params);
    const code = this.context.code?.current;
    if (code) return this.runCode(code, "unpublish", { ...params, documentId }, options);
    return this.#written(
      "unpublish",
      params,
      this.#transaction(options, () => this.#writes.unpublish(documentId, params, query)),
    );
  }

  /** Creates a document from the drafts of another one, or its only versions; `data` overrides values. */
  async clone({
    documentId,
    data = {},
    ...params
  }: Params & { readonly documentId: string; readonly data?: Data }): Promise<ClonedEntries> {
    const query = this.selection(params);
    const code = this.context.code?.current;
    if (code) return this.#runWrite(code, "clone", { ...params, documentId, data });
    return this.#written(
      "clone",
      params,
      this.#writes.write(data, (hashes) => this.#writes.clone(documentId, params, query, data, hashes)),
    );
  }

  /**
   * Publishes, unpublishes or deletes several documents in one transaction; returns the number of affected versions. With
   * project code, which may be slow, each document has its own transaction.
   */
  async each(
    action: "publish" | "unpublish" | "delete",
    documentIds: readonly string[],
    params: Params,
  ): Promise<number> {
    if (action !== "delete") this.#needDrafts(action);
    if (this.context.code?.current) {
      let count = 0;
      for (const documentId of documentIds) count += (await this[action]({ ...params, documentId })).entries.length;
      return count;
    }
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

  #needDrafts(action: string): void {
    if (!this.type.draftAndPublish)
      throw validationError(`${this.type.uid} has no drafts: there is nothing to ${action}`);
  }

  async #replaceVersions(
    { documentId, ...params }: Params & { readonly documentId: string },
    from: Status,
    to: Status,
    options: WriteOptions = {},
  ): Promise<Entries> {
    this.#needDrafts(to === "published" ? "publish" : "discard");
    const query = options.shows ?? this.selection(params);
    const code = this.context.code?.current;
    const action = to === "published" ? "publish" : "discardDraft";
    if (code) return this.runCode(code, action, { ...params, documentId }, options);
    return this.#written(
      action,
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
