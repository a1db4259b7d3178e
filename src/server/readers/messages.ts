/** Messages between a server and the processes that read for it. */
import type { Statement, TableIndex } from "../../storage/long-reads.ts";
import type { Row } from "../../storage/storage.ts";

/** One at a time. */
export type ToReader = { readonly file: string } & (
  | ({ readonly kind: "read" } & Statement)
  | ({ readonly kind: "createIndex" } & TableIndex)
);

export type FromReader =
  | { readonly kind: "rows"; readonly rows: readonly Row[] }
  | { readonly kind: "index"; readonly isCreated: boolean }
  | { readonly kind: "failed"; readonly message: string };
