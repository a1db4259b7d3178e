/** Differences of documents as lines for people. */
import { printBoth, printOne } from "../lib/print-difference.ts";
import type { Difference } from "../transfer/content/diff.ts";
import { type ContentPath, formatPath } from "../transfer/content/paths.ts";

/** `+`: added, `-`: removed, `~`: changed. */
export function differenceLines(differences: readonly Difference[], parent: ContentPath = []): string[] {
  return differences.flatMap((difference) => {
    const path = [...parent, ...difference.path];
    const name = formatPath(path);
    const suffix = difference.isPublished ? ", published" : "";
    if (!difference.entries) {
      const { before, after } = difference;
      if (before === undefined) return [`+ ${name}: ${printOne(after)}${suffix}`];
      if (after === undefined) return [`- ${name}: ${printOne(before)}${suffix}`];
      return [`~ ${name}: ${printBoth(before, after).join(" → ")}${suffix}`];
    }
    const { added, removed, moved, changed } = difference.entries;
    return [
      ...removed.map(({ index, value }) => `- ${formatPath([...path, index])}: ${printOne(value)}${suffix}`),
      ...added.map(({ index, value }) => `+ ${formatPath([...path, index])}: ${printOne(value)}${suffix}`),
      ...moved.map(({ from, to, value }) => `~ ${name}: ${printOne(value)} moved from ${from} to ${to}${suffix}`),
      ...changed.flatMap((entry) => differenceLines(entry.differences, [...path, entry.to])),
    ];
  });
}
