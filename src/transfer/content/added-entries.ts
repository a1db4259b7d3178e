/** Entries that both sides added to a list: one entry, if it is a name, or if both added it at the same place. */
import { type Entry, isName, matchByKey } from "./entries.ts";
import type { Pairing } from "./pair-entries.ts";

/** Pairs of what both added. */
export function matchAdded(ours: Pairing, theirs: Pairing): (readonly [place: number, other: number])[] {
  const [our, their] = [addedEntries(ours), addedEntries(theirs)];
  const matched = matchByKey(our, keyByPrevious, their, keyByPrevious);
  const [left, theirLeft] = [new Set(our), new Set(their)];
  for (const [one, other] of matched) {
    left.delete(one);
    theirLeft.delete(other);
  }
  matched.push(...matchByKey([...left], keyByNext, [...theirLeft], keyByNext));
  return matched.map(([one, other]) => [one.place, other.place]);
}

/**
 * Has one side put in the place of an entry what the other only added there, it is taken as added by both, and the entry as removed.
 * It would be there twice otherwise.
 */
export function separateAdded(replacing: Pairing, adding: Pairing): void {
  const added = new Set(addedEntries(adding).flatMap((entry) => [keyByPrevious(entry), keyByNext(entry)]));
  if (added.size === 0) return;
  for (const placed of placeEntries(replacing)) {
    const before = replacing.placesBefore[placed.place]!;
    if (before < 0 || replacing.before[before]!.canonical === placed.entry.canonical) continue;
    if (!added.has(keyByPrevious(placed)) && !added.has(keyByNext(placed))) continue;
    replacing.placesAfter[before] = -1;
    replacing.placesBefore[placed.place] = -1;
  }
}

interface PlacedEntry {
  readonly entry: Entry;
  readonly place: number;
  /** The entries of the base around it. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

const keyByPrevious = ({ entry, previous }: PlacedEntry): string =>
  isName(entry) ? entry.canonical : `after ${previous} ${entry.canonical}`;

const keyByNext = ({ entry, next }: PlacedEntry): string =>
  isName(entry) ? entry.canonical : `before ${next} ${entry.canonical}`;

const addedEntries = (pairing: Pairing): PlacedEntry[] =>
  placeEntries(pairing).filter(({ place }) => pairing.placesBefore[place]! < 0);

function placeEntries({ after, placesBefore }: Pairing): PlacedEntry[] {
  const nextOf: (number | undefined)[] = [];
  let next: number | undefined;
  for (let place = after.length - 1; place >= 0; place--) {
    nextOf[place] = next;
    if (placesBefore[place]! >= 0) next = placesBefore[place];
  }
  let last: number | undefined;
  return after.map((entry, place) => {
    const previous = last;
    if (placesBefore[place]! >= 0) last = placesBefore[place];
    return { entry, place, previous, next: nextOf[place] };
  });
}
