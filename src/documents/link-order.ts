/**
 * Where connected entries go among those that are there: `before`, `after`, `start`, `end`. Entries have an order, a number;
 * the reference looks at few of those that are there (the first, the last, and those that are named as neighbours), and
 * computes the orders of the new ones from these. This does the same, since it shows: an entry that goes to the start while
 * it is the first one itself goes before the next one that is looked at.
 */
import { validationError } from "../errors.ts";
import { type Key, type Ordered, type Placed, Slots } from "./link-slots.ts";
import type { Position } from "./relation-input.ts";

const neighbourOf = <K extends Key>({ position }: Placed<K>): K | undefined => position?.before || position?.after;

function refuseTwice<K extends Key>(entries: readonly Placed<K>[]): Map<K, Placed<K>> {
  const byKey = new Map<K, Placed<K>>();
  for (const entry of entries) {
    const same = byKey.get(entry.key);
    if (!same) byKey.set(entry.key, entry);
    else if (!Bun.deepEquals(same.position ?? {}, entry.position ?? {})) {
      throw validationError(
        `The relation with id ${entry.key} is already connected. You cannot connect the same relation twice.`,
      );
    }
  }
  return byKey;
}

/**
 * The entries in an order in which each one's neighbour is there before it. An entry whose neighbour is nowhere is
 * refused, or appended when not `strict`; entries that need each other are refused.
 */
function inOrder<K extends Key>(entries: readonly Placed<K>[], present: ReadonlySet<K>, strict: boolean): Placed<K>[] {
  const byKey = refuseTwice(entries);
  const done = new Set<K>();
  const sorted: Placed<K>[] = [];
  const place = (first: Placed<K>): void => {
    /** Entries that are placed after the one that is looked at. */
    const pending = new Map<K, Placed<K>>();
    let entry: Placed<K> | undefined = first;
    while (entry) {
      const neighbour = neighbourOf(entry);
      if (neighbour !== undefined && pending.has(neighbour)) {
        throw validationError(
          "A circular reference was found in the connect array. One relation is trying to connect before/after another one that is trying to connect before/after it",
        );
      }
      if (done.has(entry.key)) break;
      done.add(entry.key);
      if (neighbour === undefined || present.has(neighbour)) {
        sorted.push(entry);
        break;
      }
      const next = byKey.get(neighbour);
      if (next) pending.set(entry.key, entry);
      else if (strict) {
        throw validationError(
          `There was a problem connecting relation with id ${entry.key} at position ${JSON.stringify(entry.position)}. The relation with id ${neighbour} needs to be connected first.`,
        );
      } else sorted.push({ key: entry.key });
      entry = next;
    }
    for (const each of [...pending.values()].reverse()) sorted.push(each);
  };
  for (const entry of entries) place(entry);
  return sorted;
}

/** Less than the half step that two entries are apart. */
const SPREAD = 0.49;

/** The orders of connected entries. `seen`: the entries that are looked at. Throws a ValidationError for impossible positions. */
function ordersOf<K extends Key>(
  seen: readonly Ordered<K>[],
  entries: readonly Placed<K>[],
  strict: boolean,
): Map<K, number> {
  const slots = new Slots(seen);
  for (const entry of inOrder(entries, new Set(seen.map(({ key }) => key)), strict)) slots.insert(entry);
  const orders = new Map<K, number>();
  for (const [order, group] of Map.groupBy(slots, (slot) => slot.order)) {
    const added = group.filter(({ isNew }) => isNew);
    for (const [index, { key }] of added.entries()) {
      orders.set(key, order + ((index + 1) / (group.length + 1)) * SPREAD);
    }
  }
  return orders;
}

/** Orders that are nearer than this are the same; the later entry comes after. */
const SAME = 1e-4;
const TIE_STEP = 1e-7;

/** Orders by stretches of that length, sorted in each, so that the same ones are found without looking at all. */
class KnownOrders {
  readonly #stretches = new Map<number, number[]>();

  #stretch(number: number): number[] {
    return this.#stretches.getOrInsertComputed(number, () => []);
  }

  add(order: number): void {
    const stretch = this.#stretch(Math.floor(order / SAME));
    stretch.splice(lowerBound(stretch, order), 0, order);
  }

  /** The greatest of those that are the same as `order`. */
  lastSame(order: number): number | undefined {
    const middle = Math.floor(order / SAME);
    for (let number = middle + 1; number >= middle - 1; number--) {
      const stretch = this.#stretches.get(number);
      if (!stretch) continue;
      // a little more, since sums of fractions are not exact
      for (let at = lowerBound(stretch, order + 1.001 * SAME) - 1; at >= 0; at--) {
        if (Math.abs(stretch[at]! - order) < SAME) return stretch[at];
        if (stretch[at]! < order) break;
      }
    }
    return undefined;
  }
}

/** The index of the first number of a sorted list that is not less. */
function lowerBound(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Entries are looked at by `isSeen` besides the first and the last one. */
export function connectOrders<K extends Key>(
  current: readonly Ordered<K>[],
  entries: readonly Placed<K>[],
  strict: boolean,
  isSeen: (key: K) => boolean,
): Map<K, number> {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { order } of current) [first, last] = [Math.min(first, order), Math.max(last, order)];
  const seen = current.filter(({ key, order }) => order === first || order === last || isSeen(key));
  return ordersOf(seen, entries, strict);
}

/** All entries with their orders, sorted: those that are connected have new ones, a little later where others have the same. */
export function withConnected<K extends Key>(
  current: readonly Ordered<K>[],
  entries: readonly Placed<K>[],
  orders: ReadonlyMap<K, number>,
): Ordered<K>[] {
  const all = current.filter(({ key }) => !orders.has(key));
  const known = new KnownOrders();
  for (const { order } of all) known.add(order);
  for (const key of new Set(entries.map((entry) => entry.key))) {
    const same = known.lastSame(orders.get(key)!);
    const order = same === undefined ? orders.get(key)! : same + TIE_STEP;
    known.add(order);
    all.push({ key, order });
  }
  return all.sort((a, b) => a.order - b.order);
}

/** For each id of a list the nearest one before it that stays, if any. */
function nearestBefore(
  list: readonly number[],
  stays: (id: number) => boolean,
): ReadonlyMap<number, number | undefined> {
  const nearest = new Map<number, number | undefined>();
  let last: number | undefined;
  for (const id of list) {
    if (!nearest.has(id)) nearest.set(id, last);
    if (stays(id)) last = id;
  }
  return nearest;
}

/**
 * Positions beside entries that the same write takes away mean the nearest ones that stay: first what goes before such an
 * entry, then what goes after it, each behind the one before.
 */
function besideSurvivors(
  entries: readonly Placed<number>[],
  current: readonly number[],
  gone: ReadonlySet<number>,
): readonly Placed<number>[] {
  const moved = new Set(entries.map(({ key }) => key));
  const stays = (id: number): boolean => !gone.has(id) && !moved.has(id);
  const before = nearestBefore(current, stays);
  const after = nearestBefore(current.toReversed(), stays);
  const positions = new Map<number, Position<number>>();
  const lost = entries.filter((entry) => {
    const neighbour = neighbourOf(entry);
    return neighbour !== undefined && gone.has(neighbour) && before.has(neighbour);
  });
  for (const [anchor, group] of Map.groupBy(lost, (entry) => neighbourOf(entry)!)) {
    let previous = before.get(anchor);
    const next = after.get(anchor);
    const isBefore = ({ position }: Placed<number>): boolean => Boolean(position?.before);
    for (const { key } of [...group.filter(isBefore), ...group.filter((entry) => !isBefore(entry))]) {
      positions.set(
        key,
        previous !== undefined ? { after: previous } : next !== undefined ? { before: next } : { start: true },
      );
      previous = key;
    }
  }
  return entries.map((entry) => ({ ...entry, position: positions.get(entry.key) ?? entry.position }));
}

/** The list after disconnecting and connecting: what is connected already moves. Throws a ValidationError for impossible positions. */
export function connectAt(
  current: readonly number[],
  entries: readonly Placed<number>[],
  disconnected: ReadonlySet<number>,
  strict: boolean,
): number[] {
  const connected = new Set(entries.map(({ key }) => key));
  // what is both taken away and connected moves
  const gone = new Set([...disconnected].filter((id) => !connected.has(id)));
  const left = current.filter((id) => !gone.has(id)).map((key, index) => ({ key, order: index + 1 }));
  if (entries.length === 0) return left.map(({ key }) => key);
  const placed = gone.size > 0 ? besideSurvivors(entries, current, gone) : entries;
  const anchors = new Set(placed.map(neighbourOf));
  const orders = connectOrders(left, placed, strict, (key) => anchors.has(key));
  return withConnected(left, placed, orders).map(({ key }) => key);
}
