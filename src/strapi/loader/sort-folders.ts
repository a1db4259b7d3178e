/** Lists of the files of a folder, sorted as Node.js sorts them: code runs numbered files in the order in which it finds them. */
import fs from "node:fs";
import { join, sep } from "node:path";

type Entry = string | Buffer | { readonly name: string | Buffer; readonly parentPath: string };

const splitPath = (entry: Entry): string[] =>
  (typeof entry === "string" || Buffer.isBuffer(entry)
    ? String(entry)
    : join(entry.parentPath, String(entry.name))
  ).split(sep);

/** Files of deeper folders are last, as in a recursive list of Node.js. */
function comparePaths(a: readonly string[], b: readonly string[]): number {
  if (a.length !== b.length) return a.length - b.length;
  const index = a.findIndex((part, at) => part !== b[at]);
  return index < 0 ? 0 : a[index]! < b[index]! ? -1 : 1;
}

const sort = (entries: readonly Entry[]): Entry[] =>
  entries
    .map((entry) => ({ entry, path: splitPath(entry) }))
    .sort((a, b) => comparePaths(a.path, b.path))
    .map(({ entry }) => entry);

type Read = (...args: readonly unknown[]) => unknown;
let isSorted = false;

/** From now on the functions of `fs` return sorted lists to whoever calls them as its members. */
export function sortFolders(): void {
  if (isSorted) return;
  isSorted = true;
  const readdirSync = fs.readdirSync as Read;
  const readdir = fs.readdir as Read;
  const read = fs.promises.readdir as (...args: readonly unknown[]) => Promise<readonly Entry[]>;
  const sorted = {
    readdirSync: (...args: readonly unknown[]) => sort(readdirSync(...args) as readonly Entry[]),
    readdir: (...args: readonly unknown[]) => {
      const callback = args.at(-1);
      if (typeof callback !== "function") return readdir(...args);
      return readdir(...args.slice(0, -1), (error: unknown, entries?: readonly Entry[]) =>
        error ? callback(error) : callback(null, sort(entries ?? [])),
      );
    },
  };
  Object.assign(fs, sorted);
  Object.assign(fs.promises, { readdir: async (...args: readonly unknown[]) => sort(await read(...args)) });
}
