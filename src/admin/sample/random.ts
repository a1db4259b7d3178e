/** Seeded random choices: a seed always yields the same sequence. */

/** 32 bits (mulberry32). */
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
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** True with this probability. */
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
  sample<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    const picked: T[] = [];
    while (picked.length < count && rest.length > 0) picked.push(...rest.splice(this.between(0, rest.length - 1), 1));
    return picked;
  }
}
