/** Reads records of files, which have no versions, with the parameters of a query. */
import type { MaybePromise } from "../../lib/when-ready.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { createReadContext, DocumentReads } from "../documents/document-reads.ts";
import type { Page } from "../documents/documents.ts";
import type { Caller } from "../query/check-query.ts";
import { type PaginationSettings, readOffsets } from "../query/list-params.ts";
import { type Params, readQuery } from "../query/parse.ts";
import { findRows } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import { FILE } from "../schema/builtin/index.ts";
import { contentType } from "../schema/model.ts";
import { rowId } from "./row-id.ts";

export class FileReader extends DocumentReads {
  constructor(context: DocumentsContext, caller: Caller) {
    super(context, contentType(context.model, FILE), caller);
  }

  /** Strict parameters are those of content. */
  protected override checkAll(params: Params): void {
    this.check(params);
  }

  /** Throws what a list with these parameters throws. */
  checkList(params: Params): void {
    this.check(params);
    readOffsets(params);
    readQuery(this.context.model, this.type, params, this.caller);
  }

  override findMany(params: Params = {}): Promise<Document[]> {
    return super.findMany({ ...params, status: "published" });
  }

  override findPage(params: Params, settings: PaginationSettings): MaybePromise<Page> {
    return super.findPage({ ...params, status: "published" }, settings);
  }

  /** All parameters are checked, but only `populate` has an effect. */
  findById(id: unknown, params: Params): Document | undefined {
    this.check(params);
    const row = rowId(id);
    if (row === undefined) return undefined;
    const query = readQuery(this.context.model, this.type, { populate: params.populate }, this.caller);
    return findRows(createReadContext(this.context, { status: "published" }), query, {
      locales: undefined,
      ids: [row],
    })[0];
  }
}
