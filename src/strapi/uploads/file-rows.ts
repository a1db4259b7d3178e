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

export function fileRows({ runtime, works }: UploadParts) {
  const query = (): QueryEngine => runtime().query(FILE);
  /** Links a new file to an entry. */
  const attach = (id: number, related: unknown): void => {
    const [first] = Array.isArray(related) ? related : [];
    const { __type: ref, id: refId, __pivot } = toRecord(first);
    const { raw } = runtime();
    const target = findAttachTarget(raw, { ref, refId, field: toRecord(__pivot).field });
    if (target) attachFile(raw, target, id);
  };
  /** Writes the row in one transaction with the mark that keeps the files. Rejects with the errors of hooks; then they are not kept either. */
  const write = async <T extends Document | null>(change: FileChange, work: () => Promise<T>): Promise<T> => {
    const { transactions, documents } = runtime();
    const row = await transactions.run(async () => {
      const written = await work();
      works.current?.commit();
      return written;
    });
    if (row) documents.reports.reportFiles(change, [row]);
    return row;
  };
  return {
    find: (id: unknown): Promise<Document | null> =>
      id === undefined ? Promise.resolve(null) : query().findOne({ where: { id } }),
    create: (values: UploadFile, user: unknown): Promise<Document> => {
      const { related, ...data } = { ...values, ...authors(user, "createdBy", "updatedBy") };
      return write("create", async () => {
        const row = await query().create({ data });
        attach(row.id as number, related);
        return row;
      });
    },
    update: (id: unknown, values: UploadFile, user: unknown): Promise<Document | null> =>
      write("update", () => query().update({ where: { id }, data: { ...values, ...authors(user, "updatedBy") } })),
    remove: (id: unknown): Promise<Document | null> => write("delete", () => query().delete({ where: { id } })),
  };
}
