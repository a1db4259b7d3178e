/** A three-way merge of lists by their entries: an entry keeps its identity when it is moved or changed. */
import { matchAdded, separateAdded } from "./added-entries.ts";
import { movedEntries, type Pairing, pairEntries } from "./pair-entries.ts";
import type { ContentPath } from "./paths.ts";
import { increasingPlaces } from "./sequences.ts";

/** Changes of both sides that exclude each other. Undefined: no value, or not there. */
export interface Conflict {
  /**
   * In the merged file. An entry that our side removed has the number at which it would be inserted; a list whose entries both
   * sides ordered differently has its own path.
   */
  readonly path: ContentPath;
  readonly base: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
}

export interface Merged<T = unknown> {
  readonly value: T;
  /** With paths below the value. */
  readonly conflicts: readonly Conflict[];
}

/** Whose values are taken where both sides exclude each other. */
export type ConflictSide = "ours" | "theirs";

export type MergeValue = (base: unknown, ours: unknown, theirs: unknown, side: ConflictSide) => Merged;

/** An entry of any of the three lists. */
interface MergedEntry extends Merged {
  /** Of an entry that is in the base. */
  readonly place?: number;
  /** Removed by the side that is taken, with a conflict. */
  readonly isRemoved?: true;
}

/** A side of the merge. */
interface Side {
  readonly pairing: Pairing;
  readonly moved: ReadonlySet<number>;
}

type SideEntries = readonly [side: Side, entries: readonly MergedEntry[]];

export function mergeLists(
  base: readonly unknown[],
  ours: readonly unknown[],
  theirs: readonly unknown[],
  side: ConflictSide,
  mergeValue: MergeValue,
): Merged<unknown[]> {
  const [ourPairing, theirPairing] = [pairEntries(base, ours), pairEntries(base, theirs)];
  separateAdded(ourPairing, theirPairing);
  separateAdded(theirPairing, ourPairing);
  const our = { pairing: ourPairing, moved: movedEntries(ourPairing) };
  const their = { pairing: theirPairing, moved: movedEntries(theirPairing) };

  const kept = base.map((_, place) => mergeEntry(ourPairing, theirPairing, place, side, mergeValue));
  const sequence = ({ pairing }: Side): (MergedEntry | undefined)[] =>
    pairing.after.map(({ value }, place) =>
      pairing.placesBefore[place]! < 0 ? { value, conflicts: [] } : kept[pairing.placesBefore[place]!],
    );
  const ourEntries = sequence(our);
  const theirEntries = sequence(their);
  for (const [place, other] of matchAdded(ourPairing, theirPairing)) theirEntries[other] = ourEntries[place];

  const first: SideEntries = [our, ourEntries.filter(isPresent)];
  const second: SideEntries = [their, theirEntries.filter(isPresent)];
  const agreed = chooseOrder(first, second);
  const { isContradictory } = agreed;
  const order = isContradictory && side === "theirs" ? chooseOrder(second, first).order : agreed.order;
  const conflicts: Conflict[] = isContradictory ? [{ path: [], base, ours, theirs }] : [];
  const value: unknown[] = [];
  for (const entry of order) {
    const index = value.length;
    for (const conflict of entry.conflicts) conflicts.push({ ...conflict, path: [index, ...conflict.path] });
    if (!entry.isRemoved) value.push(entry.value);
  }
  return { value, conflicts };
}

const isPresent = (entry: MergedEntry | undefined): entry is MergedEntry => entry !== undefined;

/** An entry of the base. Undefined: removed. */
function mergeEntry(
  ours: Pairing,
  theirs: Pairing,
  place: number,
  side: ConflictSide,
  mergeValue: MergeValue,
): MergedEntry | undefined {
  const base = ours.before[place]!;
  const our = ours.after[ours.placesAfter[place]!];
  const their = theirs.after[theirs.placesAfter[place]!];
  if (our && their) return { place, ...mergeValue(base.value, our.value, their.value, side) };
  const changed = our ?? their;
  if (!changed || changed.canonical === base.canonical) return undefined;
  const conflict = { path: [], base: base.value, ours: our?.value, theirs: their?.value };
  const taken = side === "ours" ? our : their;
  return { place, value: taken?.value, conflicts: [conflict], ...(!taken && { isRemoved: true }) };
}

/** An entry that one side moved is where that side has it; one that both moved differently, where the first has it. */
function chooseOrder([side, entries]: SideEntries, [other, otherEntries]: SideEntries) {
  if (haveSameOrder(entries, otherEntries)) return { order: mergeOrder(entries, otherEntries), isContradictory: false };
  const placed = entries.filter((entry) => !isMovedOnlyBy(other, side, entry));
  const otherPlaced = otherEntries.filter((entry) => !isMovedOnlyBy(side, other, entry));
  return { order: mergeOrder(placed, otherPlaced), isContradictory: !haveSameOrder(placed, otherPlaced) };
}

/** Of an entry that both have. */
const isMovedOnlyBy = (side: Side, other: Side, { place }: MergedEntry): boolean =>
  place !== undefined && side.moved.has(place) && !other.moved.has(place) && other.pairing.placesAfter[place]! >= 0;

/** Whether both have the entries of the base in the same order. */
function haveSameOrder(ours: readonly MergedEntry[], theirs: readonly MergedEntry[]): boolean {
  const ofBase = (list: readonly MergedEntry[], other: ReadonlySet<MergedEntry>): MergedEntry[] =>
    list.filter((entry) => entry.place !== undefined && other.has(entry));
  const shared = ofBase(theirs, new Set(ours));
  return ofBase(ours, new Set(theirs)).every((entry, index) => entry === shared[index]);
}

/** Our entries, and before the next entry that both have, those that only they have. */
function mergeOrder(ours: readonly MergedEntry[], theirs: readonly MergedEntry[]): MergedEntry[] {
  const placesOfTheirs = new Map(theirs.map((entry, place) => [entry, place]));
  const common = ours.filter((entry) => placesOfTheirs.has(entry));
  const inOrder = increasingPlaces(common.map((entry) => placesOfTheirs.get(entry)!));
  const anchors = new Set(inOrder.map((index) => common[index]!));
  const isOurs = new Set(common);

  const order: MergedEntry[] = [];
  let next = 0;
  const addTheirs = (end: number): void => {
    for (const entry of theirs.slice(next, end)) if (!isOurs.has(entry)) order.push(entry);
    next = end;
  };
  for (const entry of ours) {
    if (anchors.has(entry)) addTheirs(placesOfTheirs.get(entry)!);
    order.push(entry);
  }
  addTheirs(theirs.length);
  return order;
}
