/**
 * Compiles functions that copy and compare objects with the same keys, including the objects inside them. They take a third of the
 * time of loops over the keys.
 */

/** An object or array of JSON. */
export type Container = Record<string | number, unknown>;

export const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

/** A value inside an object that the compiled functions do not handle themselves. */
export interface Part {
  copy(): unknown;
  isSame(other: unknown): boolean;
}

/** The compiled functions for objects with the same keys. `parts`: those of the object, in order. */
export interface JsonShape {
  readonly copy: (value: Container, parts: readonly Part[]) => Container;
  /** Whether another value is an object with the same keys and values. */
  readonly isSame: (value: Container, parts: readonly Part[], other: unknown) => boolean;
}

export interface ShapedObject {
  readonly shape: JsonShape;
  /** The values of the object's parts, in order. */
  readonly parts: readonly Container[];
}

/** Names in content are untrusted: only plain ones are compiled into code. */
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
/** Of an object and the objects inside. */
const MAX_NAMES = 80;
const MAX_DEPTH = 4;
/** Only JSON attributes can have more. */
const MAX_SHAPES = 500;

type Member = readonly [name: string, inner: "scalar" | "part" | Layout];

interface Layout {
  readonly members: readonly Member[];
  /** The same for all objects with this layout. */
  readonly key: string;
}

const keyOf = ([name, inner]: Member): string => {
  if (inner === "scalar") return name;
  return inner === "part" ? `${name}*` : `${name}${inner.key}`;
};

/** Collects the layout and the parts of one object. */
class LayoutReader {
  readonly parts: Container[] = [];
  #names = 0;

  /** Undefined if no functions can be compiled. */
  read(value: Container, depth = 0): Layout | undefined {
    const names = Object.keys(value);
    if (depth === MAX_DEPTH || names.length === 0 || this.#names + names.length > MAX_NAMES) return undefined;
    if (!names.every((name) => PLAIN_NAME.test(name))) return undefined;
    this.#names += names.length;
    const members = names.map((name): Member => [name, this.#inner(value[name], depth)]);
    return { members, key: `{${members.map(keyOf).join()}}` };
  }

  #inner(value: unknown, depth: number): Member[1] {
    if (!isContainer(value)) return "scalar";
    const layout = Array.isArray(value) ? undefined : this.read(value, depth + 1);
    if (layout) return layout;
    this.parts.push(value);
    return "part";
  }
}

const isPlainObject = (value: unknown, size: number): boolean =>
  isContainer(value) && Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === size;

/** The source of the functions for one layout. */
class ShapeSource {
  readonly #tests: string[] = [];
  readonly #copy: string;
  #parts = 0;

  constructor(layout: Layout) {
    this.#copy = this.#copyOf(layout, "value", "other");
  }

  compile(): JsonShape {
    const isSame = `return (value, parts, other) => ${this.#tests.join(" && ")};`;
    return {
      copy: new Function("value", "parts", `return ${this.#copy};`) as JsonShape["copy"],
      isSame: new Function("isPlainObject", isSame)(isPlainObject) as JsonShape["isSame"],
    };
  }

  /** Both functions count the parts in the same order. */
  #copyOf({ members }: Layout, value: string, other: string): string {
    this.#tests.push(`isPlainObject(${other}, ${members.length})`);
    const copies = members.map(
      ([name, inner]) => `${name}: ${this.#memberOf(inner, `${value}.${name}`, `${other}.${name}`)}`,
    );
    return `{ ${copies.join(", ")} }`;
  }

  #memberOf(inner: Member[1], value: string, other: string): string {
    if (typeof inner === "object") return this.#copyOf(inner, value, other);
    if (inner === "scalar") {
      this.#tests.push(`${value} === ${other}`);
      return value;
    }
    const part = `parts[${this.#parts++}]`;
    this.#tests.push(`${part}.isSame(${other})`);
    return `${part}.copy()`;
  }
}

const shapes = new Map<string, JsonShape>();

/** Undefined if no functions are compiled for this object. */
export function shapeOf(value: Container): ShapedObject | undefined {
  const reader = new LayoutReader();
  const layout = reader.read(value);
  if (!layout) return undefined;
  let shape = shapes.get(layout.key);
  if (!shape) {
    if (shapes.size >= MAX_SHAPES) return undefined;
    shape = new ShapeSource(layout).compile();
    shapes.set(layout.key, shape);
  }
  return { shape, parts: reader.parts };
}
