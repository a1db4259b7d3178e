/** The database of a project whose own code runs: with a second connection for writes that wait for that code. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AsyncTransactions } from "../storage/async-transactions.ts";
import { Storage } from "../storage/storage.ts";

const HOOK_TIMEOUT_S = 30;

/** The files of databases that are to be gone with the process. */
const temporary = new Map<Storage, string>();
function removeAll(): void {
  for (const folder of temporary.values()) rmSync(folder, { recursive: true, force: true });
}

/** A database in memory has one connection only: with code, it is a temporary file. */
function openTemporary(open: (file: string) => Storage): Storage {
  if (temporary.size === 0) process.once("exit", removeAll);
  const { tmpdir } = require("node:os") as typeof import("node:os");
  const folder = mkdtempSync(join(tmpdir(), "galley-memory-"));
  const storage = open(join(folder, "content.db"));
  temporary.set(storage, folder);
  return storage;
}

/** `file` undefined: nothing is to be kept. */
export function openStorage(file: string | undefined, hasCode: boolean): Storage {
  if (file !== undefined) return Storage.open(file);
  return hasCode ? openTemporary(Storage.open) : Storage.open(":memory:");
}

export function closeStorage(storage: Storage, transactions: AsyncTransactions | undefined): void {
  transactions?.close();
  storage.close();
  const folder = temporary.get(storage);
  if (folder === undefined) return;
  temporary.delete(storage);
  rmSync(folder, { recursive: true, force: true });
}

/** A database with the content of a snapshot, as `openStorage` opens one that is not kept. */
export function storageFromSnapshot(template: Uint8Array, hasCode: boolean): Storage {
  if (!hasCode) return Storage.fromSnapshot(template);
  return openTemporary((file) => {
    writeFileSync(file, template);
    return Storage.open(file);
  });
}

/** `timeout` in seconds. */
export function withCode(storage: Storage, file: string | undefined, timeout = HOOK_TIMEOUT_S): AsyncTransactions {
  const folder = temporary.get(storage);
  const path = file ?? (folder === undefined ? undefined : join(folder, "content.db"));
  if (path === undefined) throw new Error("Code that was added needs a restart of a server that keeps nothing");
  const transactions = require("../storage/async-transactions.ts") as typeof import("../storage/async-transactions.ts");
  return new transactions.AsyncTransactions(storage, Storage.open(path), timeout * 1000);
}
