/**
 * Where connected entries go among those that are there: `before`, `after`, `start`, `end`. Entries have an order, a number;
 * the reference looks at few of those that are there (the first, the last, and those that are named as neighbours), and
 * computes the orders of the new ones from these. This does the same, since it shows: an entry that goes to the start while
 * it is the first one itself goes before the next one that is looked at.
 */
import { validationError } from "../errors.ts";
import type { Position } from "./relation-input.ts";

/** An entry that is there. */
export interface Ordered<K> {
  readonly key: K;
  readonly order: number;
}

export interface Placed<K> {
  readonly key: K;
  /** Neighbours are keys. */
  readonly position?: Position<K> | undefined;
}

type Key = string | number;

/** An entry as it is placed; `isNew`: its order is not final. */
interface Slot<K> extends Ordered<K> {
  readonly isNew: boolean;
}

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

/** Half a step from what is there; entries that go to one place share an order until all of them are placed. */
const beside = <K>({ isNew, order }: Slot<K>, step: number): number => (isNew ? order : order + step);

function insert<K extends Key>(slots: Slot<K>[], { key, position }: Placed<K>, last: number): void {
  const old = slots.findIndex((slot) => slot.key === key);
  if (old >= 0) slots.splice(old, 1);
  const add = (index: number, order: number) => slots.splice(index, 0, { key, order, isNew: true });
  const neighbour = position?.before || position?.after;
  if (neighbour) {
    const index = slots.findIndex((slot) => slot.key === neighbour);
    const slot = slots[index];
    if (!slot) {
      throw validationError(
        `There was a problem connecting relation with id ${key} at position ${JSON.stringify(position)}. The list of connect relations is not valid`,
      );
    }
    if (position?.before) add(index, beside(slot, -0.5));
    else add(index + 1, beside(slot, 0.5));
  } else if (position?.start) add(0, slots[0] ? beside(slots[0], -0.5) : 0.5);
  else add(slots.length, last + 0.5);
}

/** Less than the half step that two entries are apart. */
const SPREAD = 0.49;

/** The orders of connected entries. `seen`: the entries that are looked at. Throws a ValidationError for impossible positions. */
function ordersOf<K extends Key>(
  seen: readonly Ordered<K>[],
  entries: readonly Placed<K>[],
  strict: boolean,
): Map<K, number> {
  const slots: Slot<K>[] = seen.map((entry) => ({ ...entry, isNew: false })).sort((a, b) => a.order - b.order);
  const last = slots.at(-1)?.order ?? 0;
  for (const entry of inOrder(entries, new Set(slots.map(({ key }) => key)), strict)) insert(slots, entry, last);
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

/** Entries are looked at by `isSeen` besides the first and the last one. */
export function connectOrders<K extends Key>(
  current: readonly Ordered<K>[],
  entries: readonly Placed<K>[],
  strict: boolean,
  isSeen: (key: K) => boolean,
): Map<K, number> {
  const orders = current.map(({ order }) => order);
  const ends = new Set([Math.min(...orders), Math.max(...orders)]);
  const seen = current.filter(({ key, order }) => ends.has(order) || isSeen(key));
  return ordersOf(seen, entries, strict);
}

/** All entries with their orders, sorted: those that are connected have new ones, a little later where others have the same. */
export function withConnected<K extends Key>(
  current: readonly Ordered<K>[],
  entries: readonly Placed<K>[],
  orders: ReadonlyMap<K, number>,
): Ordered<K>[] {
  const all = current.filter(({ key }) => !orders.has(key));
  for (const key of new Set(entries.map((entry) => entry.key))) {
    const order = orders.get(key)!;
    const same = all.filter((entry) => Math.abs(entry.order - order) < SAME).map((entry) => entry.order);
    all.push({ key, order: same.length > 0 ? Math.max(...same) + TIE_STEP : order });
  }
  return all.sort((a, b) => a.order - b.order);
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
  const nearest = (from: number, step: number): number | undefined => {
    for (let index = current.indexOf(from) + step; current[index] !== undefined; index += step) {
      if (!gone.has(current[index]!) && !moved.has(current[index]!)) return current[index];
    }
    return undefined;
  };
  const positions = new Map<number, Position<number>>();
  const lost = entries.filter((entry) => {
    const neighbour = neighbourOf(entry);
    return neighbour !== undefined && gone.has(neighbour) && current.includes(neighbour);
  });
  for (const [anchor, group] of Map.groupBy(lost, (entry) => neighbourOf(entry)!)) {
    let previous = nearest(anchor, -1);
    const next = nearest(anchor, 1);
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
