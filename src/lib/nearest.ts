/** Suggests a known name for a misspelt one. */

/** Letters by which a misspelt name may differ from a known one. */
const MAX_TYPOS = 2;

/** The edit distance of two strings. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}

/** The known name with the smallest edit distance; undefined if all are further away than `maxDistance`. */
export function nearest(
  name: string,
  known: Iterable<string>,
  maxDistance = Number.POSITIVE_INFINITY,
): string | undefined {
  let closest: string | undefined;
  let smallest = maxDistance;
  for (const candidate of known) {
    const edits = distance(name, candidate);
    if (edits < smallest || (edits === smallest && closest === undefined)) [closest, smallest] = [candidate, edits];
  }
  return closest;
}

/** "; did you mean …?" for a misspelt name; empty if no known one is similar. */
export function hintFor(name: string, known: Iterable<string>, maxDistance = MAX_TYPOS): string {
  const suggestion = nearest(name, known, maxDistance);
  return suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
}
