/** Where connected targets go among those that are there: `before`, `after`, `start`, `end`. Works on lists of ids. */
import { validationError } from "../errors.ts";
import type { Position } from "./relation-input.ts";

export interface Placed {
  readonly id: number;
  readonly position?: Position | undefined;
}

const neighbourOf = ({ position }: Placed): number | undefined => {
  const neighbour = position?.before || position?.after;
  return neighbour ? Number(neighbour) : undefined;
};

/**
 * The entries in an order in which each one's neighbour is there before it. An entry whose neighbour is nowhere is
 * refused, or appended when not `strict`; entries that wait for each other are refused.
 */
function inOrder(entries: readonly Placed[], present: ReadonlySet<number>, strict: boolean): Placed[] {
  const byId = new Map<number, Placed>();
  for (const entry of entries) {
    const same = byId.get(entry.id);
    if (!same) byId.set(entry.id, entry);
    else if (!Bun.deepEquals(same.position ?? {}, entry.position ?? {})) {
      throw validationError(
        `The relation with id ${entry.id} is already connected. You cannot connect the same relation twice.`,
      );
    }
  }
  const done = new Set<number>();
  const sorted: Placed[] = [];
  const place = (entry: Placed, waiting: ReadonlySet<number>): void => {
    const neighbour = neighbourOf(entry);
    if (neighbour !== undefined && waiting.has(neighbour)) {
      throw validationError(
        "A circular reference was found in the connect array. One relation is trying to connect before/after another one that is trying to connect before/after it",
      );
    }
    if (done.has(entry.id)) return;
    done.add(entry.id);
    if (neighbour === undefined || present.has(neighbour)) sorted.push(entry);
    else if (byId.has(neighbour)) {
      place(byId.get(neighbour)!, new Set(waiting).add(entry.id));
      sorted.push(entry);
    } else if (strict) {
      throw validationError(
        `There was a problem connecting relation with id ${entry.id} at position ${JSON.stringify(entry.position)}. The relation with id ${neighbour} needs to be connected first.`,
      );
    } else sorted.push({ id: entry.id });
  };
  for (const entry of entries) place(entry, new Set([entry.id]));
  return sorted;
}

/** The list after connecting: what is connected already moves. Throws a ValidationError for impossible positions. */
export function connectAt(current: readonly number[], entries: readonly Placed[], strict: boolean): number[] {
  const list = [...current];
  for (const { id, position } of inOrder(entries, new Set(current), strict)) {
    const old = list.indexOf(id);
    if (old >= 0) list.splice(old, 1);
    const { before, after, start } = position ?? {};
    if (before) list.splice(list.indexOf(Number(before)), 0, id);
    else if (after) list.splice(list.indexOf(Number(after)) + 1, 0, id);
    else if (start) list.unshift(id);
    else list.push(id);
  }
  return list;
}
