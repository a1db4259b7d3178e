/** The rows of files, written through the code's hooks. */

import type { FileChange } from "../../engine/documents/context.ts";
import { attachFile, findAttachTarget } from "../../engine/media/attach.ts";
import type { Document } from "../../engine/query/select.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import type { QueryEngine } from "../data/query-engine.ts";
import type { UploadFile, UploadParts } from "./upload-parts.ts";

const authors = (user: unknown, ...names: readonly string[]): Record<string, unknown> =>
  isRecord(user) && user.id !== undefined ? Object.fromEntries(names.map((name) => [name, user.id])) : {};

export class FileRows {
  readonly #parts: UploadParts;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  get #query(): QueryEngine {
    return this.#parts.runtime().query(FILE);
  }

  find(id: unknown): Promise<Document | null> {
    return id === undefined ? Promise.resolve(null) : this.#query.findOne({ where: { id } });
  }

  /** Rejects with the errors of hooks; then the files are not kept either. */
  async create(values: UploadFile, user: unknown): Promise<Document> {
    const { related, ...data } = { ...values, ...authors(user, "createdBy", "updatedBy") } as UploadFile;
    return this.#write("create", async () => {
      const row = await this.#query.create({ data });
      this.#attach(row.id as number, related);
      return row;
    });
  }

  async update(id: unknown, values: UploadFile, user: unknown): Promise<Document | null> {
    const data = { ...values, ...authors(user, "updatedBy") };
    return this.#write("update", () => this.#query.update({ where: { id }, data }));
  }

  async remove(id: unknown): Promise<Document | null> {
    return this.#write("delete", () => this.#query.delete({ where: { id } }));
  }

  /** Links a new file to an entry. */
  #attach(id: number, related: unknown): void {
    const [first] = Array.isArray(related) ? related : [];
    const { __type: ref, id: refId, __pivot } = toRecord(first);
    const { raw } = this.#parts.runtime();
    const target = findAttachTarget(raw, { ref, refId, field: toRecord(__pivot).field });
    if (target) attachFile(raw, target, id);
  }

  /** Writes the row in one transaction with the mark that keeps the files. */
  async #write<T extends Document | null>(change: FileChange, work: () => Promise<T>): Promise<T> {
    const { transactions, documents } = this.#parts.runtime();
    const row = await transactions.run(async () => {
      const written = await work();
      this.#parts.works.current?.commit();
      return written;
    });
    if (row) documents.reports.reportFiles(change, [row]);
    return row;
  }
}
