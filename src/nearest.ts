/** What somebody may have meant who misspelt a name. */

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

/** The known name that is closest; undefined where none has at most `most` letters that differ. */
export function nearest(name: string, known: Iterable<string>, most = Number.POSITIVE_INFINITY): string | undefined {
  let found: string | undefined;
  let least = most;
  for (const other of known) {
    const edits = distance(name, other);
    if (edits < least || (edits === least && found === undefined)) [found, least] = [other, edits];
  }
  return found;
}
