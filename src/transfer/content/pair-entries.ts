/** Which entry of a list became which of another: equal ones, moved ones, and those that were changed. */
import { type Entry, getCanonical, matchByKey, mayBecome, readEntry, similarity } from "./entries.ts";
import { alignByWeight, increasingPlaces } from "./sequences.ts";

export interface Pairing {
  readonly before: readonly Entry[];
  readonly after: readonly Entry[];
  /** By place in `before`: the place in `after`, or -1. */
  readonly placesAfter: number[];
  /** By place in `after`: the place in `before`, or -1. */
  readonly placesBefore: number[];
}

/** A part of both lists. */
interface Gap {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** The most pairs of entries that are compared with each other; in larger gaps only equal ones are found. */
const MAX_COMPARED = 40_000;
/** Of more added and removed entries, equal ones are found wherever they are: the time grows with the square of this number. */
const MAX_CHANGES = 600;

/** What a changed entry must have in common with what it was, to be known for it: at its place, and at another. */
const CHANGED_SIMILARITY = 0.25;
const MOVED_SIMILARITY = 0.5;

const numbersBelow = (length: number): number[] => Array.from({ length }, (_, number) => number);

export function pairEntries(listBefore: readonly unknown[], listAfter: readonly unknown[]): Pairing {
  const before = listBefore.map(readEntry);
  const after = listAfter.map(readEntry);
  const pairing: Pairing = {
    before,
    after,
    placesAfter: before.map(() => -1),
    placesBefore: after.map(() => -1),
  };
  pairEqual(pairing);
  const left = unpaired(pairing);
  const moved = matchByKey(left.before, canonicalIn(before), left.after, canonicalIn(after));
  for (const [place, other] of moved) pair(pairing, place, other);
  for (const gap of findGaps(pairing)) pairChanged(pairing, gap);
  pairMovedAndChanged(pairing, unpaired(pairing));
  return pairing;
}

const canonicalIn =
  (entries: readonly Entry[]) =>
  (place: number): string =>
    entries[place]!.canonical;

/** Places in `before` of paired entries that are in another order than the others. */
export function movedEntries({ placesAfter }: Pairing): Set<number> {
  const paired = numbersBelow(placesAfter.length).filter((place) => placesAfter[place]! >= 0);
  const kept = new Set(increasingPlaces(paired.map((place) => placesAfter[place]!)).map((index) => paired[index]!));
  return new Set(paired.filter((place) => !kept.has(place)));
}

function pair({ placesAfter, placesBefore }: Pairing, before: number, after: number): void {
  placesAfter[before] = after;
  placesBefore[after] = before;
}

const unpaired = ({ placesAfter, placesBefore }: Pairing): Gap => ({
  before: numbersBelow(placesAfter.length).filter((place) => placesAfter[place]! < 0),
  after: numbersBelow(placesBefore.length).filter((place) => placesBefore[place]! < 0),
});

/** Splits a gap at pairs that are in the order of both. */
function splitGap(gap: Gap, pairs: readonly (readonly [before: number, after: number])[]): Gap[] {
  const gaps: Gap[] = [];
  let start = { before: 0, after: 0 };
  for (const [before, after] of [...pairs, [-1, -1] as const]) {
    const end = before < 0 ? gap.before.length : gap.before.indexOf(before, start.before);
    const endAfter = after < 0 ? gap.after.length : gap.after.indexOf(after, start.after);
    gaps.push({ before: gap.before.slice(start.before, end), after: gap.after.slice(start.after, endAfter) });
    start = { before: end + 1, after: endAfter + 1 };
  }
  return gaps.filter(({ before, after }) => before.length > 0 && after.length > 0);
}

/** Pairs equal entries in the order of both. */
function pairEqual(pairing: Pairing): void {
  // loaded with the first list
  const { diffArrays } = require("diff") as typeof import("diff");
  const [before, after] = [pairing.before, pairing.after].map((entries) => entries.map(getCanonical));
  let place = 0;
  let other = 0;
  for (const { count, added, removed } of diffArrays(before!, after!, { maxEditLength: MAX_CHANGES }) ?? []) {
    if (!added && !removed) for (let index = 0; index < count; index++) pair(pairing, place + index, other + index);
    if (!added) place += count;
    if (!removed) other += count;
  }
}

/** What is not paired between two entries that are in the order of both. */
function findGaps(pairing: Pairing): Gap[] {
  const { placesAfter, placesBefore } = pairing;
  const moved = movedEntries(pairing);
  const before = numbersBelow(placesAfter.length).filter((place) => !moved.has(place));
  const after = numbersBelow(placesBefore.length).filter((place) => !moved.has(placesBefore[place]!));
  const anchors = before.filter((place) => placesAfter[place]! >= 0);
  const pairs = anchors.map((place) => [place, placesAfter[place]!] as const);
  return splitGap({ before, after }, pairs);
}

/** Pairs what is alike in the order of both, then what is left in the same number, by place. */
function pairChanged(pairing: Pairing, gap: Gap): void {
  const weigh = (place: number, other: number) => weighChange(pairing.before[place]!, pairing.after[other]!);
  const isCompared = gap.before.length * gap.after.length <= MAX_COMPARED;
  const alike = isCompared ? alignByWeight(gap.before, gap.after, weigh) : [];
  for (const [place, other] of alike) pair(pairing, place, other);
  for (const { before, after } of splitGap(gap, alike)) {
    if (before.length !== after.length) continue;
    for (const [index, place] of before.entries()) {
      if (mayBecome(pairing.before[place]!, pairing.after[after[index]!]!)) pair(pairing, place, after[index]!);
    }
  }
}

function weighChange(before: Entry, after: Entry): number {
  const share = mayBecome(before, after) ? similarity(before, after) : 0;
  return share < CHANGED_SIMILARITY ? 0 : share;
}

function pairMovedAndChanged(pairing: Pairing, { before, after }: Gap): void {
  if (before.length * after.length > MAX_COMPARED) return;
  const candidates = before.flatMap((place) =>
    after.map((other) => ({ place, other, alike: weighChange(pairing.before[place]!, pairing.after[other]!) })),
  );
  const likely = candidates.filter(({ alike }) => alike >= MOVED_SIMILARITY).sort((a, b) => b.alike - a.alike);
  for (const { place, other } of likely) {
    if (pairing.placesAfter[place]! < 0 && pairing.placesBefore[other]! < 0) pair(pairing, place, other);
  }
}
