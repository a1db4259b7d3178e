/** A diff by lines. */
import { diffLines as diff } from "diff";

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Of more changes, what differs is shown as replaced as a whole. */
const MAX_CHANGES = 4_000;

const withEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

const asLines = (kind: DiffLine["kind"], text: string): DiffLine[] =>
  text === ""
    ? []
    : text
        .slice(0, -1)
        .split("\n")
        .map((line) => ({ kind, text: line }));

export function diffLines(before: string, after: string): DiffLine[] {
  const [old, updated] = [withEnd(before), withEnd(after)];
  const changes = diff(old, updated, { maxEditLength: MAX_CHANGES, timeout: 500 });
  if (!changes) return [...asLines("removed", old), ...asLines("added", updated)];
  return changes.flatMap(({ value, added, removed }) => asLines(added ? "added" : removed ? "removed" : "same", value));
}
