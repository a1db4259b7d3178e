/** A linked list of a relation's entries, into which others are inserted by their position. */
import { validationError } from "../../lib/errors.ts";
import type { Position } from "./relation-input.ts";

/** An existing entry. */
export interface Ordered<K> {
  readonly key: K;
  readonly order: number;
}

export interface Placed<K> {
  readonly key: K;
  /** Neighbours are keys. */
  readonly position?: Position<K> | undefined;
}

export type Key = string | number;

/** A node of the list; `isNew`: its order is not final. */
export interface Slot<K> extends Ordered<K> {
  readonly isNew: boolean;
  previous: Slot<K> | undefined;
  next: Slot<K> | undefined;
}

/** Half a step from an existing entry. New entries at one position share an order until all are inserted. */
const beside = <K>({ isNew, order }: Slot<K>, step: number): number => (isNew ? order : order + step);

/** Entries are found by key in constant time, since there may be tens of thousands. */
export class Slots<K extends Key> {
  readonly #byKey = new Map<K, Slot<K>>();
  #first: Slot<K> | undefined;
  #last: Slot<K> | undefined;
  /** The order of the last existing entry. */
  readonly #end: number;

  constructor(existing: readonly Ordered<K>[]) {
    const sorted = existing.toSorted((a, b) => a.order - b.order);
    for (const { key, order } of sorted) this.#add({ key, order, isNew: false }, this.#last, undefined);
    this.#end = sorted.at(-1)?.order ?? 0;
  }

  #add(
    entry: Pick<Slot<K>, "key" | "order" | "isNew">,
    previous: Slot<K> | undefined,
    next: Slot<K> | undefined,
  ): void {
    const slot: Slot<K> = { ...entry, previous, next };
    if (previous) previous.next = slot;
    else this.#first = slot;
    if (next) next.previous = slot;
    else this.#last = slot;
    this.#byKey.set(entry.key, slot);
  }

  #remove(key: K): void {
    const slot = this.#byKey.get(key);
    if (!slot) return;
    const { previous, next } = slot;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    this.#byKey.delete(key);
  }

  /** Throws a ValidationError for an unknown neighbour. */
  insert({ key, position }: Placed<K>): void {
    this.#remove(key);
    const neighbour = position?.before || position?.after;
    const isNew = true;
    if (neighbour) {
      const slot = this.#byKey.get(neighbour);
      if (!slot) {
        throw validationError(
          `There was a problem connecting relation with id ${key} at position ${JSON.stringify(position)}. The list of connect relations is not valid`,
        );
      }
      if (position?.before) this.#add({ key, order: beside(slot, -0.5), isNew }, slot.previous, slot);
      else this.#add({ key, order: beside(slot, 0.5), isNew }, slot, slot.next);
    } else if (position?.start) {
      const order = this.#first ? beside(this.#first, -0.5) : 0.5;
      this.#add({ key, order, isNew }, undefined, this.#first);
    } else this.#add({ key, order: this.#end + 0.5, isNew }, this.#last, undefined);
  }

  *[Symbol.iterator](): Iterator<Slot<K>> {
    for (let slot = this.#first; slot; slot = slot.next) yield slot;
  }
}
