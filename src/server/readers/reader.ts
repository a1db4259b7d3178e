/** In a process that reads for a server: runs what takes long. */
import { createIndex } from "../../storage/column-indexes.ts";
import { Storage } from "../../storage/storage.ts";
import type { FromReader, ToReader } from "./messages.ts";

export function createReader(): (message: ToReader) => FromReader {
  let storage: Storage | undefined;
  return (message) => {
    try {
      storage ??= Storage.open(message.file);
      if (message.kind === "createIndex") return { kind: "index", isCreated: createIndex(storage, message) };
      return { kind: "rows", rows: storage.all(message.sql, message.params) };
    } catch (error) {
      return { kind: "failed", message: (error as Error).message };
    } finally {
      // most of it is of rows that nobody asks for again
      storage?.trim();
    }
  };
}
