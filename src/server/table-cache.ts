/**
 * Empty databases with the tables that a project's files need, in a folder of the user's: a project in memory has nothing
 * else that outlives its process. They hold names of tables and columns, no rows, and no secrets. Whatever cannot be read
 * or written is as if it were not there.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { Environment } from "../config/env.ts";

export interface TableCache {
  /** What `keep` was given for the same fingerprint. */
  readonly find: (fingerprint: string) => Uint8Array | undefined;
  readonly keep: (fingerprint: string, database: Uint8Array) => void;
}

const MAX_FILES = 40;
const MAX_FILE_BYTES = 16 * 1024 ** 2;
const MAX_BYTES = 64 * 1024 ** 2;
/** How often it is noted that a file is still of use. */
const DAY_MS = 86_400_000;
/** What a process was killed over. */
const ABANDONED_MS = 3_600_000;

const CHECKSUM_BYTES = 8;
const checksum = (bytes: Uint8Array): bigint => BigInt(Bun.hash(bytes));

/** The folder for caches of this user; undefined where there is none. `GALLEY_CACHE` names another, or none when empty. */
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

/** Removes the files that were not used for longest, and those that were never finished. */
function prune(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => /\.(tables|tmp)$/.test(name))
    .flatMap((name) => {
      const path = join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? [{ path, isFinished: name.endsWith(".tables"), usedAt: found.mtimeMs, bytes: found.size }] : [];
    })
    .sort((a, b) => b.usedAt - a.usedAt);
  let [count, bytes] = [0, 0];
  for (const { path, isFinished, usedAt, bytes: more } of files) {
    if (isFinished) {
      count++;
      bytes += more;
    }
    const isDue = isFinished ? count > MAX_FILES || bytes > MAX_BYTES : Date.now() - usedAt > ABANDONED_MS;
    if (isDue) rmSync(path, { force: true });
  }
}

function read(path: string): Uint8Array | undefined {
  const found = lstatSync(path);
  // others could have put tables of theirs, or a pipe, into a folder that is not only ours
  if (!found.isFile() || (process.getuid && found.uid !== process.getuid())) return undefined;
  if (found.size <= CHECKSUM_BYTES || found.size > CHECKSUM_BYTES + MAX_FILE_BYTES) return undefined;
  const bytes = readFileSync(path);
  const database = bytes.subarray(CHECKSUM_BYTES);
  if (bytes.readBigUInt64LE() !== checksum(database)) return undefined;
  if (Date.now() - found.mtimeMs > DAY_MS) utimesSync(path, new Date(), new Date());
  return database;
}

function write(folder: string, path: string, database: Uint8Array): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const head = Buffer.alloc(CHECKSUM_BYTES);
  head.writeBigUInt64LE(checksum(database));
  const unfinished = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    writeFileSync(unfinished, Buffer.concat([head, database]), { mode: 0o600, flag: "wx" });
    // others read the old file or the new one, never half of one
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  prune(folder);
}

/** Runs `work`; a cache that fails costs time and nothing else. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** `caches` false or undefined: nothing is kept. */
export function createTableCache(caches: string | false | undefined): TableCache | undefined {
  if (!caches) return undefined;
  const folder = resolve(caches, "tables");
  const pathOf = (fingerprint: string): string => join(folder, `${fingerprint}.tables`);
  return {
    find: (fingerprint) => attempt(() => read(pathOf(fingerprint))),
    keep: (fingerprint, database) => {
      if (database.byteLength > MAX_FILE_BYTES) return;
      attempt(() => write(folder, pathOf(fingerprint), database));
    },
  };
}
