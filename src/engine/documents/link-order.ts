/** Positions of connected entries: `before`, `after`, `start`, `end`. */
import { validationError } from "../../lib/errors.ts";
import type { Position } from "./relation-input.ts";

export interface Placed<K> {
  readonly key: K;
  /** Neighbours are keys. */
  readonly position?: Position<K> | undefined;
}

type Key = string | number;

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

/**
 * The list after disconnecting and connecting; connected entries that exist are moved. Disconnected ones can be neighbours. Throws a
 * ValidationError for impossible positions.
 */
export function connectAt<K extends Key>(
  current: readonly K[],
  entries: readonly Placed<K>[],
  disconnected: ReadonlySet<K>,
  strict: boolean,
): K[] {
  const list = [...current];
  const present = new Set(current);
  for (const entry of sortByNeighbours(entries, present, strict)) {
    const { key, position } = entry;
    if (present.has(key)) list.splice(list.indexOf(key), 1);
    present.add(key);
    const neighbour = neighbourOf(entry);
    if (neighbour !== undefined) {
      const at = list.indexOf(neighbour);
      if (at < 0) throw validationError(`The relation with id ${key} cannot be connected next to itself`);
      list.splice(position?.before ? at : at + 1, 0, key);
    } else if (position?.start) list.unshift(key);
    else list.push(key);
  }
  const connected = new Set(entries.map(({ key }) => key));
  return list.filter((key) => connected.has(key) || !disconnected.has(key));
}
