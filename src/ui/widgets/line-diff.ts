/** A diff by lines: the longest common subsequence of both texts. */

export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Beyond this many comparisons what differs is shown as replaced as a whole. */
const MAX_CELLS = 4_000_000;

const asLines = (kind: DiffLine["kind"], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind, text }));

/** Lengths of the longest common subsequences of what follows each pair of lines. */
function lengths(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let left = before.length - 1; left >= 0; left--) {
    const row = table[left]!;
    const below = table[left + 1]!;
    for (let right = after.length - 1; right >= 0; right--) {
      row[right] = before[left] === after[right] ? below[right + 1]! + 1 : Math.max(below[right]!, row[right + 1]!);
    }
  }
  return table;
}

function diffChanged(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > MAX_CELLS) return [...asLines("removed", before), ...asLines("added", after)];
  const table = lengths(before, after);
  const lines: DiffLine[] = [];
  let left = 0;
  let right = 0;
  while (left < before.length && right < after.length) {
    if (before[left] === after[right]) {
      lines.push({ kind: "same", text: before[left]! });
      left++;
      right++;
    } else if (table[left + 1]![right]! >= table[left]![right + 1]!)
      lines.push({ kind: "removed", text: before[left++]! });
    else lines.push({ kind: "added", text: after[right++]! });
  }
  return [...lines, ...asLines("removed", before.slice(left)), ...asLines("added", after.slice(right))];
}

const splitLines = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

export function diffLines(before: string, after: string): DiffLine[] {
  const old = splitLines(before);
  const updated = splitLines(after);
  let start = 0;
  while (start < old.length && start < updated.length && old[start] === updated[start]) start++;
  let end = 0;
  while (end < old.length - start && end < updated.length - start && old.at(-1 - end) === updated.at(-1 - end)) end++;
  return [
    ...asLines("same", old.slice(0, start)),
    ...diffChanged(old.slice(start, old.length - end), updated.slice(start, updated.length - end)),
    ...asLines("same", old.slice(old.length - end)),
  ];
}
