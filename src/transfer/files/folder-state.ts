/** Remembers the files of a content folder as a database last loaded or wrote them, to notice changes since then. */
import { closeSync, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { Storage } from "../../engine/storage/storage.ts";

/** Digests by path below the folder, with "/". */
export type FolderState = Readonly<Record<string, string>>;

const CHUNK_BYTES = 1_000_000;
/** Meta key. A database may be exported into several folders. */
const keyOf = (folder: string): string => `content-files:${realpathSync(folder)}`;

/** Shortened: it only has to notice changes. */
const digest = (hasher: Bun.CryptoHasher): string => hasher.digest("base64").slice(0, 22);

/** Undefined if there is no file. */
export function digestFile(file: string): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  const hasher = new Bun.CryptoHasher("blake2b256");
  const chunk = new Uint8Array(CHUNK_BYTES);
  const handle = openSync(file, "r");
  try {
    for (let size = readSync(handle, chunk); size > 0; size = readSync(handle, chunk))
      hasher.update(chunk.subarray(0, size));
  } finally {
    closeSync(handle);
  }
  return digest(hasher);
}

export const digestText = (text: string): string => digest(new Bun.CryptoHasher("blake2b256").update(text));

/** Digests of all files below a folder. */
export const folderState = (folder: string): FolderState =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
      const found = digestFile(join(folder, name));
      return found === undefined ? [] : [[name.replaceAll(sep, "/"), found]];
    }),
  );

export const storeFolderState = (storage: Storage, folder: string, state: FolderState): void =>
  storage.setMeta(keyOf(folder), JSON.stringify(state));

/** Empty if the database has neither loaded nor written the folder. */
export const storedFolderState = (storage: Storage, folder: string): FolderState =>
  JSON.parse(storage.meta(keyOf(folder)) ?? "{}") as FolderState;
