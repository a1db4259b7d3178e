import type { Storage } from "./storage.ts";

/** For tables that are created with their first row. */
export const hasTable = (storage: Storage, name: string): boolean =>
  storage.first("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [name]) !== undefined;
