/** Opens the database. A project with code gets a second connection, for transactions that wait for its hooks. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";
import { Storage } from "../../engine/storage/storage.ts";
import { createTemporaryFolder, removeTemporaryFolder } from "../../engine/storage/temporary-folder.ts";

const HOOK_TIMEOUT_S = 30;

const temporaryFolders = new Map<Storage, string>();

/** A database in memory has one connection only, so that a project with code gets a temporary file instead. */
function openTemporary(open: (file: string) => Storage): Storage {
  const folder = createTemporaryFolder("memory");
  const storage = open(join(folder, "content.db"));
  temporaryFolders.set(storage, folder);
  return storage;
}

/** `file` undefined: nothing is persisted. */
export function openStorage(file: string | undefined, hasCode: boolean): Storage {
  if (file !== undefined) return Storage.open(file);
  return hasCode ? openTemporary(Storage.open) : Storage.open(":memory:");
}

export function closeStorage(storage: Storage, transactions: AsyncTransactions | undefined): void {
  transactions?.close();
  storage.close();
  const folder = temporaryFolders.get(storage);
  if (folder === undefined) return;
  temporaryFolders.delete(storage);
  removeTemporaryFolder(folder);
}

/** Like `openStorage` without a file, with the content of a snapshot. */
export function storageFromSnapshot(snapshot: Uint8Array, hasCode: boolean): Storage {
  if (!hasCode) return Storage.fromSnapshot(snapshot);
  return openTemporary((file) => {
    writeFileSync(file, snapshot);
    return Storage.open(file);
  });
}

/** Opens the second connection. `timeout`: seconds that a hook may take. */
export function openAsyncTransactions(
  storage: Storage,
  file: string | undefined,
  timeout = HOOK_TIMEOUT_S,
): AsyncTransactions {
  const folder = temporaryFolders.get(storage);
  const path = file ?? (folder === undefined ? undefined : join(folder, "content.db"));
  if (path === undefined) throw new Error("Code that was added needs a restart of a server that keeps nothing");
  const transactions =
    require("../../engine/storage/async-transactions.ts") as typeof import("../../engine/storage/async-transactions.ts");
  return new transactions.AsyncTransactions(storage, Storage.open(path), timeout * 1000);
}
