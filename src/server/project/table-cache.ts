/**
 * Caches empty databases with a project's tables on disk, so that projects in memory need not create the tables at each start. The
 * files contain names of tables and columns, no rows and no secrets. Errors on reading or writing count as cache misses.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Environment } from "../../engine/config/env.ts";
import { replaceFile } from "../../lib/replace-file.ts";

export interface TableCache {
  readonly get: (fingerprint: string) => Uint8Array | undefined;
  readonly set: (fingerprint: string, database: Uint8Array) => void;
}

const MAX_FILES = 40;
const MAX_FILE_BYTES = 16 * 1024 ** 2;
const MAX_BYTES = 64 * 1024 ** 2;
/** How often the modification time of a used file is updated. */
const DAY_MS = 86_400_000;
/** Age at which an unfinished file is removed. */
const ABANDONED_MS = 3_600_000;

const CHECKSUM_BYTES = 8;
const checksum = (bytes: Uint8Array): bigint => BigInt(Bun.hash(bytes));

/** The user's cache folder; undefined if there is none. `GALLEY_CACHE` overrides it; empty, it disables the cache. */
export function cacheFolder(
  { GALLEY_CACHE, XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (GALLEY_CACHE !== undefined) return GALLEY_CACHE || undefined;
  if (platform === "win32") return LOCALAPPDATA && join(LOCALAPPDATA, "galley", "cache");
  if (platform === "darwin") return HOME && join(HOME, "Library/Caches/galley");
  const caches = XDG_CACHE_HOME || (HOME && join(HOME, ".cache"));
  return caches && join(caches, "galley");
}

/** Removes the least recently used files, and unfinished ones. */
function prune(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => /\.(tables|part)$/.test(name))
    .flatMap((name) => {
      const path = join(folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats ? [{ path, isFinished: name.endsWith(".tables"), usedAt: stats.mtimeMs, bytes: stats.size }] : [];
    })
    .sort((a, b) => b.usedAt - a.usedAt);
  let [count, bytes] = [0, 0];
  for (const { path, isFinished, usedAt, bytes: more } of files) {
    if (isFinished) {
      count++;
      bytes += more;
    }
    const isStale = isFinished ? count > MAX_FILES || bytes > MAX_BYTES : Date.now() - usedAt > ABANDONED_MS;
    if (isStale) rmSync(path, { force: true });
  }
}

function read(path: string): Uint8Array | undefined {
  const stats = lstatSync(path);
  // in a shared folder, another user could have put a file or a pipe at this path
  if (!stats.isFile() || (process.getuid && stats.uid !== process.getuid())) return undefined;
  if (stats.size <= CHECKSUM_BYTES || stats.size > CHECKSUM_BYTES + MAX_FILE_BYTES) return undefined;
  const bytes = readFileSync(path);
  const database = bytes.subarray(CHECKSUM_BYTES);
  if (bytes.readBigUInt64LE() !== checksum(database)) return undefined;
  if (Date.now() - stats.mtimeMs > DAY_MS) utimesSync(path, new Date(), new Date());
  return database;
}

function write(folder: string, path: string, database: Uint8Array): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const header = Buffer.alloc(CHECKSUM_BYTES);
  header.writeBigUInt64LE(checksum(database));
  const bytes = Buffer.concat([header, database]);
  replaceFile(path, (unfinished) => writeFileSync(unfinished, bytes, { mode: 0o600, flag: "wx" }));
  prune(folder);
}

/** Runs `work`, and ignores errors: without the cache, a start only takes longer. */
function ignoreErrors<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** `caches`: the user's cache folder. Without one there is no cache. */
export function createTableCache(cacheRoot: string | false | undefined): TableCache | undefined {
  if (!cacheRoot) return undefined;
  const folder = resolve(cacheRoot, "tables");
  const cachePath = (fingerprint: string): string => join(folder, `${fingerprint}.tables`);
  return {
    get: (fingerprint) => ignoreErrors(() => read(cachePath(fingerprint))),
    set: (fingerprint, database) => {
      if (database.byteLength > MAX_FILE_BYTES) return;
      ignoreErrors(() => write(folder, cachePath(fingerprint), database));
    },
  };
}
