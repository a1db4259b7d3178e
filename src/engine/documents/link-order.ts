/**
 * Positions of connected entries: `before`, `after`, `start`, `end`. Each entry of a relation has an order, a number. Strapi
 * loads few of the existing entries (the first, the last, and those named as neighbours) and computes the new
 * orders from these. This is imitated, since clients can see it: an entry that is first already and is connected at the
 * start goes before the next loaded entry.
 */
import { validationError } from "../../lib/errors.ts";
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
 * Sorts entries so that each comes after its neighbour. An entry with an unknown neighbour is refused, or appended when not
 * `strict`. Throws a ValidationError for circular positions.
 */
function sortByNeighbours<K extends Key>(
  entries: readonly Placed<K>[],
  present: ReadonlySet<K>,
  strict: boolean,
): Placed<K>[] {
  const byKey = refuseTwice(entries);
  const done = new Set<K>();
  const sorted: Placed<K>[] = [];
  const place = (first: Placed<K>): void => {
    /** Entries to be placed after the current one. */
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

/** New entries are spread over less than half the distance to the next entry. */
const SPREAD = 0.49;

/** The orders of connected entries. `loaded`: existing entries. Throws a ValidationError for impossible positions. */
function assignOrders<K extends Key>(
  loaded: readonly Ordered<K>[],
  entries: readonly Placed<K>[],
  strict: boolean,
): Map<K, number> {
  const slots = new Slots(loaded);
  for (const entry of sortByNeighbours(entries, new Set(loaded.map(({ key }) => key)), strict)) slots.insert(entry);
  const orders = new Map<K, number>();
  for (const [order, group] of Map.groupBy(slots, (slot) => slot.order)) {
    const added = group.filter(({ isNew }) => isNew);
    for (const [index, { key }] of added.entries()) {
      orders.set(key, order + ((index + 1) / (group.length + 1)) * SPREAD);
    }
  }
  return orders;
}

/** Orders that differ by less than this are equal; the later entry comes after the earlier one. */
export const TOLERANCE = 1e-4;
export const TIE_STEP = 1e-7;

/** Orders in sorted buckets of the size of the tolerance, so that equal ones are found without a scan. */
class OrderBuckets {
  readonly #buckets = new Map<number, number[]>();

  add(order: number): void {
    const bucket = this.#buckets.getOrInsertComputed(Math.floor(order / TOLERANCE), () => []);
    bucket.splice(lowerBound(bucket, order), 0, order);
  }

  /** The greatest order that is equal to `order`. */
  lastEqual(order: number): number | undefined {
    const middle = Math.floor(order / TOLERANCE);
    for (let number = middle + 1; number >= middle - 1; number--) {
      const bucket = this.#buckets.get(number);
      if (!bucket) continue;
      // slightly more than the tolerance, since floating-point sums are inexact
      for (let at = lowerBound(bucket, order + 1.001 * TOLERANCE) - 1; at >= 0; at--) {
        if (Math.abs(bucket[at]! - order) < TOLERANCE) return bucket[at];
        if (bucket[at]! < order) break;
      }
    }
    return undefined;
  }
}

/** The index of the first element of a sorted list that is not less than `number`. */
function lowerBound(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `isLoaded`: whether Strapi loads an existing entry, besides the first and the last one. */
export function connectOrders<K extends Key>(
  current: readonly Ordered<K>[],
  entries: readonly Placed<K>[],
  strict: boolean,
  isLoaded: (key: K) => boolean,
): Map<K, number> {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { order } of current) [first, last] = [Math.min(first, order), Math.max(last, order)];
  const loaded = current.filter(({ key, order }) => order === first || order === last || isLoaded(key));
  return assignOrders(loaded, entries, strict);
}

/** All entries sorted by their orders: connected ones have new orders, slightly greater where another has an equal one. */
export function withConnected<K extends Key>(
  current: readonly Ordered<K>[],
  entries: readonly Placed<K>[],
  orders: ReadonlyMap<K, number>,
): Ordered<K>[] {
  const all = current.filter(({ key }) => !orders.has(key));
  const taken = new OrderBuckets();
  for (const { order } of all) taken.add(order);
  for (const key of new Set(entries.map((entry) => entry.key))) {
    const equal = taken.lastEqual(orders.get(key)!);
    const order = equal === undefined ? orders.get(key)! : equal + TIE_STEP;
    taken.add(order);
    all.push({ key, order });
  }
  return all.sort((a, b) => a.order - b.order);
}

/** For each id of a list, the nearest one before it that stays, if any. */
function nearestBefore<K extends Key>(list: readonly K[], stays: (id: K) => boolean): ReadonlyMap<K, K | undefined> {
  const nearest = new Map<K, K | undefined>();
  let last: K | undefined;
  for (const id of list) {
    if (!nearest.has(id)) nearest.set(id, last);
    if (stays(id)) last = id;
  }
  return nearest;
}

/**
 * Replaces neighbours that the same write disconnects by the nearest remaining ones. Entries before such a neighbour come
 * first, then those after it.
 */
function replaceGoneNeighbours<K extends Key>(
  entries: readonly Placed<K>[],
  current: readonly K[],
  gone: ReadonlySet<K>,
): readonly Placed<K>[] {
  const moved = new Set(entries.map(({ key }) => key));
  const stays = (id: K): boolean => !gone.has(id) && !moved.has(id);
  const before = nearestBefore(current, stays);
  const after = nearestBefore(current.toReversed(), stays);
  const positions = new Map<K, Position<K>>();
  const lost = entries.filter((entry) => {
    const neighbour = neighbourOf(entry);
    return neighbour !== undefined && gone.has(neighbour) && before.has(neighbour);
  });
  for (const [anchor, group] of Map.groupBy(lost, (entry) => neighbourOf(entry)!)) {
    let previous = before.get(anchor);
    const next = after.get(anchor);
    const first: Position<K> = next === undefined ? { start: true } : { before: next };
    const isBefore = ({ position }: Placed<K>): boolean => Boolean(position?.before);
    for (const { key } of [...group.filter(isBefore), ...group.filter((entry) => !isBefore(entry))]) {
      positions.set(key, previous === undefined ? first : { after: previous });
      previous = key;
    }
  }
  return entries.map((entry) => ({ ...entry, position: positions.get(entry.key) ?? entry.position }));
}

/** The list after disconnecting and connecting; connected entries that exist are moved. Throws a ValidationError for impossible positions. */
export function connectAt<K extends Key>(
  current: readonly K[],
  entries: readonly Placed<K>[],
  disconnected: ReadonlySet<K>,
  strict: boolean,
): K[] {
  const connected = new Set(entries.map(({ key }) => key));
  // an entry that is both disconnected and connected is moved
  const gone = new Set([...disconnected].filter((id) => !connected.has(id)));
  const left = current.filter((id) => !gone.has(id)).map((key, index) => ({ key, order: index + 1 }));
  if (entries.length === 0) return left.map(({ key }) => key);
  const placed = gone.size > 0 ? replaceGoneNeighbours(entries, current, gone) : entries;
  const anchors = new Set(placed.map(neighbourOf));
  const orders = connectOrders(left, placed, strict, (key) => anchors.has(key));
  return withConnected(left, placed, orders).map(({ key }) => key);
}
