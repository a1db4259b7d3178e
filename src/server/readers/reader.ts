/** Runs long statements in a reader process. */
import { createIndex } from "../../engine/storage/column-indexes.ts";
import type { Statement, TableIndex } from "../../engine/storage/long-reads.ts";
import { type Row, Storage } from "../../engine/storage/storage.ts";

/** Sent one at a time. */
export type ReaderRequest = { readonly file: string } & (
  | ({ readonly kind: "read" } & Statement)
  | ({ readonly kind: "createIndex" } & TableIndex)
);

export type ReaderResponse =
  | { readonly kind: "rows"; readonly rows: readonly Row[] }
  | { readonly kind: "index"; readonly isCreated: boolean }
  | { readonly kind: "failed"; readonly message: string };

/** How long cached pages are kept for the next statement. */
const KEPT_MS = 1_000;

export function createReader(): (message: ReaderRequest) => ReaderResponse {
  let storage: Storage | undefined;
  let timer: Timer | undefined;
  return (message) => {
    try {
      storage ??= Storage.open(message.file);
      if (message.kind === "createIndex") return { kind: "index", isCreated: createIndex(storage, message, true) };
      return { kind: "rows", rows: storage.all(message.sql, message.params) };
    } catch (error) {
      return { kind: "failed", message: (error as Error).message };
    } finally {
      clearTimeout(timer);
      timer = setTimeout(() => storage?.trim(), KEPT_MS);
    }
  };
}
