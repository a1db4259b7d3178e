/** Differences of documents as lines for people. */
import type { Difference } from "../transfer/content/diff.ts";
import { type ContentPath, formatPath } from "../transfer/content/paths.ts";

const MAX_LENGTH = 60;
/** Characters before the first difference of two long texts. */
const CONTEXT = 15;

function shorten(text: string, start: number): string {
  const from = text.length <= MAX_LENGTH ? 0 : Math.max(0, Math.min(start - CONTEXT, text.length - MAX_LENGTH));
  const end = from + MAX_LENGTH;
  return `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
}

/** The first place where two texts differ. */
function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

const format = (value: unknown): string => JSON.stringify(value);

const formatOne = (value: unknown): string => shorten(format(value), 0);

function formatBoth(before: unknown, after: unknown): string {
  const [old, now] = [format(before), format(after)];
  const start = firstDifference(old, now);
  return `${shorten(old, start)} → ${shorten(now, start)}`;
}

/** `+`: added, `-`: removed, `~`: changed. */
export function differenceLines(differences: readonly Difference[], parent: ContentPath = []): string[] {
  return differences.flatMap((difference) => {
    const path = [...parent, ...difference.path];
    const name = formatPath(path);
    const suffix = difference.isPublished ? ", published" : "";
    if (!difference.entries) {
      const { before, after } = difference;
      if (before === undefined) return [`+ ${name}: ${formatOne(after)}${suffix}`];
      if (after === undefined) return [`- ${name}: ${formatOne(before)}${suffix}`];
      return [`~ ${name}: ${formatBoth(before, after)}${suffix}`];
    }
    const { added, removed, moved, changed } = difference.entries;
    return [
      ...removed.map(({ index, value }) => `- ${formatPath([...path, index])}: ${formatOne(value)}${suffix}`),
      ...added.map(({ index, value }) => `+ ${formatPath([...path, index])}: ${formatOne(value)}${suffix}`),
      ...moved.map(({ from, to, value }) => `~ ${name}: ${formatOne(value)} moved from ${from} to ${to}${suffix}`),
      ...changed.flatMap((entry) => differenceLines(entry.differences, [...path, entry.to])),
    ];
  });
}
