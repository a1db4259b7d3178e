/** Digests of files. Shortened: they only have to notice changes. */
import { closeSync, openSync, readSync, statSync } from "node:fs";

const CHUNK_BYTES = 1_000_000;

const createHasher = () => new Bun.CryptoHasher("blake2b256");
const shorten = (hasher: Bun.CryptoHasher): string => hasher.digest("base64").slice(0, 22);

export const hashContent = (content: string | Uint8Array): string => shorten(createHasher().update(content));

/** Undefined if there is no file. Reads it piece by piece. */
export function hashFile(file: string): string | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  const hasher = createHasher();
  const chunk = new Uint8Array(CHUNK_BYTES);
  const handle = openSync(file, "r");
  try {
    for (let size = readSync(handle, chunk); size > 0; size = readSync(handle, chunk))
      hasher.update(chunk.subarray(0, size));
  } finally {
    closeSync(handle);
  }
  return shorten(hasher);
}
