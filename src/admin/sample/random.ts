/** Seeded random choices: the same seed gives the same sequence. */

/** Of 32 bits (mulberry32). */
const RANGE = 2 ** 32;

export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = Number(Bun.hash.xxHash32(seed));
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / RANGE;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Throws for an empty list. */
  pick<T>(list: readonly T[]): T {
    const found = list[this.between(0, list.length - 1)];
    if (list.length === 0) throw new Error("There is nothing to choose from");
    return found as T;
  }

  /** Up to `count` different elements. */
  some<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    const picked: T[] = [];
    while (picked.length < count && rest.length > 0) picked.push(...rest.splice(this.between(0, rest.length - 1), 1));
    return picked;
  }
}
