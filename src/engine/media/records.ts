/** The rows of uploaded files. */

import { isRecord } from "../../lib/is-record.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { deleteRow } from "../documents/delete-row.ts";
import { type Data, RowWriter } from "../documents/rows.ts";
import { trustedQuery } from "../query/check-query.ts";
import { findRows } from "../query/run.ts";
import type { Document } from "../query/select.ts";
import { emptyQuery } from "../query/tree.ts";
import { FILE } from "../schema/builtin/index.ts";
import { type ContentType, contentType } from "../schema/model.ts";

export class FileRecords {
  readonly #context: DocumentsContext;

  constructor(context: DocumentsContext) {
    this.#context = context;
  }

  get type(): ContentType {
    return contentType(this.#context.model, FILE);
  }

  find(id: number): Document | undefined {
    return this.list([id])[0];
  }

  /** In the order of the ids, without unknown ones. */
  list(ids: readonly number[]): Document[] {
    const { storage, model } = this.#context;
    const rows = findRows({ storage, model, status: "published" }, trustedQuery(emptyQuery(this.type)), {
      locales: undefined,
      ids,
    });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
  }

  insert(data: Data): number {
    const version = { documentId: this.#context.ids.documentId(), locale: null, status: "published" } as const;
    return new RowWriter(this.#context).insert(this.type, version, data);
  }

  update(id: number, data: Data): void {
    new RowWriter(this.#context).update(this.type, { id, status: "published" }, data);
  }

  /** Updates attributes, without `updatedAt`. */
  patch(id: number, data: Data): void {
    new RowWriter(this.#context).patch(this.type, { id, status: "published" }, data);
  }

  /** Deletes the row and all links to it. */
  remove(id: number): void {
    deleteRow(this.#context, this.type, id);
  }
}

/** The names on disk of a record's copies, by their keys. */
export function copyNames(record: Document): string[] {
  return isRecord(record.formats) ? Object.values(record.formats).flatMap(diskName) : [];
}

/** The names on disk of a record's file and copies. */
export const fileNames = (record: Document): string[] => [...diskName(record), ...copyNames(record)];

function diskName(item: unknown): string[] {
  return isRecord(item) && typeof item.hash === "string" ? [`${item.hash}${item.ext ?? ""}`] : [];
}
