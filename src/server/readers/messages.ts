/** Messages between a server and its reader processes. */
import type { Statement, TableIndex } from "../../engine/storage/long-reads.ts";
import type { Row } from "../../engine/storage/storage.ts";

/** Sent one at a time. */
export type ReaderRequest = { readonly file: string } & (
  | ({ readonly kind: "read" } & Statement)
  | ({ readonly kind: "createIndex" } & TableIndex)
);

export type ReaderResponse =
  | { readonly kind: "rows"; readonly rows: readonly Row[] }
  | { readonly kind: "index"; readonly isCreated: boolean }
  | { readonly kind: "failed"; readonly message: string };
