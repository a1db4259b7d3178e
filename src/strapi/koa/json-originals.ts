/** Immutable JSON values that make copies of themselves, and recognize copies that were not changed. */
import { type Container, isContainer } from "./json-layouts.ts";
import { findShape, isPlainList, type JsonShape, type Part } from "./json-shapes.ts";

export interface Original extends Part {
  readonly value: Container;
  copy(): Container;
}

// counted loops, since iterators are slower here

class Scalar implements Part {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  copy(): unknown {
    return this.#value;
  }

  isSame(other: unknown): boolean {
    return this.#value === other;
  }
}

/** A value with compiled functions. */
class ShapedOriginal implements Original {
  readonly value: Container;
  readonly #shape: JsonShape;
  readonly #parts: readonly Part[];

  constructor(value: Container, shape: JsonShape, parts: readonly Part[]) {
    this.value = value;
    this.#shape = shape;
    this.#parts = parts;
  }

  copy(): Container {
    return this.#shape.copy(this.value, this.#parts) as Container;
  }

  isSame(other: unknown): boolean {
    return this.#shape.isSame(this.value, this.#parts, other);
  }
}

/** A list without compiled functions. */
class LooseList implements Original {
  readonly value: Container;
  readonly #items: readonly unknown[];
  /** For each item, its original; undefined for scalars. */
  readonly #originals: readonly (Original | undefined)[];

  constructor(items: readonly unknown[], originals: readonly (Original | undefined)[]) {
    this.value = items as unknown as Container;
    this.#items = items;
    this.#originals = originals;
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

/** An object without compiled functions. Another one is only the same if its keys are in the same order. */
class LooseObject implements Original {
  readonly value: Container;
  readonly #names: readonly string[];
  /** For each name, the original of its value; undefined for scalars. */
  readonly #originals: readonly (Original | undefined)[];

  constructor(value: Container, names: readonly string[], originals: readonly (Original | undefined)[]) {
    this.value = value;
    this.#names = names;
    this.#originals = originals;
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

/** `isCompiled`: compile functions for it, which takes as long as many copies. They ignore the order of keys. */
export function createOriginal(value: Container, isCompiled: boolean): Original {
  const shaped = isCompiled ? findShape(value) : undefined;
  if (shaped) return new ShapedOriginal(value, shaped.shape, shaped.parts.map(createPart));
  const inner = (part: unknown): Original | undefined =>
    isContainer(part) ? createOriginal(part, isCompiled) : undefined;
  if (Array.isArray(value)) return new LooseList(value, value.map(inner));
  return new LooseObject(value, Object.keys(value), Object.values(value).map(inner));
}

const createPart = (value: unknown): Part => (isContainer(value) ? createOriginal(value, true) : new Scalar(value));
