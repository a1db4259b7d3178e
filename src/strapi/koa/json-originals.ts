/** Immutable JSON values that make copies of themselves, and recognize copies that were not changed. */

/** An object or array of JSON. */
export type Container = Record<string | number, unknown>;

export const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

export interface Original {
  readonly value: Container;
  copy(): Container;
  /** Whether another value has the same JSON. Also false for objects whose keys are in another order. */
  isSame(other: unknown): boolean;
}

/** JSON shows an array only with its own items, unless code has changed how. */
const isPlainList = (value: unknown, size: number): value is readonly unknown[] =>
  Array.isArray(value) &&
  value.length === size &&
  Object.getPrototypeOf(value) === Array.prototype &&
  (value as { toJSON?: unknown }).toJSON === undefined;

// counted loops, since iterators are slower here

class ListOriginal implements Original {
  readonly value: Container;
  readonly #items: readonly unknown[];
  /** For each item, its original; undefined for scalars. */
  readonly #originals: readonly (Original | undefined)[];

  constructor(items: readonly unknown[]) {
    this.value = items as unknown as Container;
    this.#items = items;
    this.#originals = items.map(createInner);
  }

  copy(): Container {
    const originals = this.#originals;
    return this.#items.map((item, index) => originals[index]?.copy() ?? item) as unknown as Container;
  }

  isSame(other: unknown): boolean {
    const items = this.#items;
    const originals = this.#originals;
    if (!isPlainList(other, items.length)) return false;
    for (let index = 0; index < items.length; index++) {
      const original = originals[index];
      if (original ? !original.isSame(other[index]) : items[index] !== other[index]) return false;
    }
    return true;
  }
}

class ObjectOriginal implements Original {
  readonly value: Container;
  readonly #names: readonly string[];
  /** For each name, the original of its value; undefined for scalars. */
  readonly #originals: readonly (Original | undefined)[];

  constructor(value: Container) {
    this.value = value;
    this.#names = Object.keys(value);
    this.#originals = Object.values(value).map(createInner);
  }

  copy(): Container {
    const copy = { ...this.value };
    const originals = this.#originals;
    for (let index = 0; index < originals.length; index++) {
      const original = originals[index];
      if (original) copy[this.#names[index]!] = original.copy();
    }
    return copy;
  }

  isSame(other: unknown): boolean {
    if (!isContainer(other) || Object.getPrototypeOf(other) !== Object.prototype) return false;
    const names = this.#names;
    let index = 0;
    // the fastest way through the members of an object
    for (const name in other) {
      if (name !== names[index]) return false;
      const original = this.#originals[index++];
      if (original ? !original.isSame(other[name]) : this.value[name] !== other[name]) return false;
    }
    return index === names.length;
  }
}

const createInner = (value: unknown): Original | undefined => (isContainer(value) ? createOriginal(value) : undefined);

/** `value`: as `JSON.parse` makes it. */
export const createOriginal = (value: Container): Original =>
  Array.isArray(value) ? new ListOriginal(value) : new ObjectOriginal(value);
