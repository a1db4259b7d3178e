/** Which of the files that may have changed are a reason to serve the project anew. */
import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * What plugins write into their extensions while they start, which may differ each time. Strapi does not watch it either; nor a
 * content-type with one of these names, which is a change here.
 */
const GENERATED =
  /^src[/\\]extensions[/\\][^/\\]+[/\\](?!content-types[/\\])(.*[/\\])?(documentation|public|exports|logs?)([/\\]|$)/;
/** Larger files are not read: they count as changed. */
const MAX_BYTES = 5_000_000;

/** When code last started, in milliseconds since 1970. */
export interface Start {
  readonly from: number;
  /** Infinity while it starts. */
  readonly to: number;
}

export interface ChangeFilter {
  /** Remembers the contents of the files. Those that code writes again, while it starts, as they were, are no change. */
  readonly isChange: (paths: ReadonlySet<string>) => boolean;
  /** Files, relative to the root, that the server has written and serves by itself: they are no change until they differ again. */
  readonly remember: (written: readonly string[]) => void;
}

const describeVersion = (path: string): string => {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : "";
};

export function createChangeFilter(root: string, lastStart: () => Start): ChangeFilter {
  const known = new Map<string, bigint | number>();
  const written = new Map<string, string>();
  const isChanged = (path: string): boolean => {
    if (GENERATED.test(relative(root, path)) || written.get(path) === describeVersion(path)) return false;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > MAX_BYTES) return true;
    const before = known.get(path);
    const hash = Bun.hash(readFileSync(path));
    known.set(path, hash);
    const { from, to } = lastStart();
    return before !== hash || stats.mtimeMs < from || stats.mtimeMs > to;
  };
  const isReason = (path: string): boolean => {
    try {
      return isChanged(path);
    } catch {
      // deleted in the meantime, or not readable, which the reload reports
      return true;
    }
  };
  return {
    // each is remembered
    isChange: (paths) => [...paths].filter(isReason).length > 0,
    remember: (files) => {
      for (const path of files.map((file) => join(root, file))) written.set(path, describeVersion(path));
    },
  };
}
