/** Immutable JSON values that make copies of themselves, and recognize copies that were not changed. */
import { type Container, isContainer, type JsonShape, type Part, shapeOf } from "./json-shapes.ts";

export interface Original extends Part {
  readonly value: Container;
  copy(): Container;
  /** Whether another value has the same JSON. */
  isSame(other: unknown): boolean;
}

// counted loops, since iterators are slower here

/** JSON shows an array only with its own items, unless code has changed how. */
const isPlainList = (other: unknown, size: number): other is readonly unknown[] =>
  Array.isArray(other) &&
  other.length === size &&
  Object.getPrototypeOf(other) === Array.prototype &&
  (other as { toJSON?: unknown }).toJSON === undefined;

/** An object with compiled functions. */
class ShapedOriginal implements Original {
  readonly value: Container;
  readonly #shape: JsonShape;
  readonly #parts: readonly Original[];

  constructor(value: Container, shape: JsonShape, parts: readonly Original[]) {
    this.value = value;
    this.#shape = shape;
    this.#parts = parts;
  }

  copy(): Container {
    return this.#shape.copy(this.value, this.#parts);
  }

  isSame(other: unknown): boolean {
    return this.#shape.isSame(this.value, this.#parts, other);
  }
}

const NO_PARTS: readonly Part[] = [];

/** A list of objects that all have one shape, and no parts: the usual page of documents. */
class UniformList implements Original {
  readonly value: Container;
  readonly #items: readonly Container[];
  readonly #shape: JsonShape;

  constructor(items: readonly Container[], shape: JsonShape) {
    this.value = items as unknown as Container;
    this.#items = items;
    this.#shape = shape;
  }

  copy(): Container {
    const { copy } = this.#shape;
    return this.#items.map((item) => copy(item, NO_PARTS)) as unknown as Container;
  }

  isSame(other: unknown): boolean {
    const items = this.#items;
    if (!isPlainList(other, items.length)) return false;
    const { isSame } = this.#shape;
    for (let index = 0; index < items.length; index++) if (!isSame(items[index]!, NO_PARTS, other[index])) return false;
    return true;
  }
}

/** Any other list. */
class MixedList implements Original {
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
class LooseOriginal implements Original {
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

/** `isCompiled`: compile functions for the objects, which takes as long as many copies. They ignore the order of keys. */
export function originalOf(value: Container, isCompiled: boolean): Original {
  const inner = (part: unknown): Original | undefined => (isContainer(part) ? originalOf(part, isCompiled) : undefined);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const shape = isCompiled ? commonShapeOf(items) : undefined;
    return shape ? new UniformList(items as readonly Container[], shape) : new MixedList(items, items.map(inner));
  }
  const shaped = isCompiled ? shapeOf(value) : undefined;
  if (shaped) {
    const parts = shaped.parts.map((part) => originalOf(part, isCompiled));
    return new ShapedOriginal(value, shaped.shape, parts);
  }
  return new LooseOriginal(value, Object.keys(value), Object.values(value).map(inner));
}

/** The shape of objects without parts. Undefined if they have several, or none. */
function commonShapeOf(items: readonly unknown[]): JsonShape | undefined {
  let common: JsonShape | undefined;
  for (const item of items) {
    const shaped = isContainer(item) && !Array.isArray(item) ? shapeOf(item) : undefined;
    if (!shaped || shaped.parts.length > 0 || (common && shaped.shape !== common)) return undefined;
    common = shaped.shape;
  }
  return common;
}
