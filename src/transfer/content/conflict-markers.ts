/** Two texts as one, with conflict markers as git writes them around the lines that differ. */
import { increasingPlaces } from "./sequences.ts";

const OURS = "<<<<<<< ours";
const BETWEEN = "=======";
const THEIRS = ">>>>>>> theirs";

/** With their ends. */
const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const isUnique = (lines: readonly string[]): ((line: string) => boolean) => {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return (line) => counts.get(line) === 1;
};

/** Places of lines that both have once, in the order of both. */
function findAnchors(ours: readonly string[], theirs: readonly string[]): [our: number, their: number][] {
  const [isUniqueInOurs, isUniqueInTheirs] = [isUnique(ours), isUnique(theirs)];
  const places = new Map(theirs.map((line, place) => [line, place]));
  const common = [...ours.entries()].filter(([, line]) => isUniqueInOurs(line) && isUniqueInTheirs(line));
  const pairs = common.map(([place, line]): [number, number] => [place, places.get(line)!]);
  return increasingPlaces(pairs.map(([, their]) => their)).map((index) => pairs[index]!);
}

/** The number of lines with which both begin. */
function commonStart(ours: readonly string[], theirs: readonly string[]): number {
  let count = 0;
  while (count < ours.length && ours[count] === theirs[count]) count++;
  return count;
}

/** Every line of each text is in the result, in its order: either side of the markers is that text. */
export function markConflicts(ours: string, theirs: string): string {
  const [our, their] = [splitLines(ours), splitLines(theirs)];
  const lineEnd = ours.includes("\r\n") ? "\r\n" : "\n";
  const ended = (lines: readonly string[]): string =>
    lines.map((line) => (line.endsWith("\n") ? line : `${line}${lineEnd}`)).join("");
  const marked: string[] = [];
  let [start, theirStart] = [0, 0];
  const addUpTo = (end: number, theirEnd: number): void => {
    const [gap, theirGap] = [our.slice(start, end), their.slice(theirStart, theirEnd)];
    const before = commonStart(gap, theirGap);
    const [left, theirLeft] = [gap.slice(before), theirGap.slice(before)];
    const after = commonStart(left.toReversed(), theirLeft.toReversed());
    const [hunk, theirHunk] = [left.slice(0, left.length - after), theirLeft.slice(0, theirLeft.length - after)];
    marked.push(...gap.slice(0, before));
    if (hunk.length + theirHunk.length > 0) {
      const markers = [OURS, BETWEEN, THEIRS].map((marker) => `${marker}${lineEnd}`);
      marked.push(`${markers[0]}${ended(hunk)}${markers[1]}${ended(theirHunk)}${markers[2]}`);
    }
    marked.push(...left.slice(left.length - after));
    [start, theirStart] = [end, theirEnd];
  };
  for (const [place, theirPlace] of findAnchors(our, their)) addUpTo(place, theirPlace);
  addUpTo(our.length, their.length);
  return marked.join("");
}
