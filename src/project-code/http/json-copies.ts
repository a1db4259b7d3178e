/**
 * Copies of a JSON value that code may change, and the serialization of responses. Copying a value and comparing the copy take
 * less time than parsing and serializing it, and most code responds with what it has read.
 */
import { isRecord } from "../../query/key-check.ts";
import { type Container, type JsonShape, shapeOf } from "./json-shapes.ts";

/** An immutable value, with precomputed data for copying and comparing it. */
interface Original {
  readonly value: Container;
  readonly isList: boolean;
  /** Undefined for lists, and for objects without compiled functions. */
  readonly shape: JsonShape | undefined;
  readonly size: number;
  /** Names or indices of nested objects and arrays, and their originals in the same order. */
  readonly names: readonly string[];
  readonly nested: readonly Original[];
  json: string | undefined;
  /** The last response body that contained it. */
  lastBody: { readonly rest: string; content: Blob | undefined } | undefined;
}

/** Minimum length of a cached response body in characters. Encoding shorter ones takes less time than the lookup. */
const MIN_CACHED_LENGTH = 2_000;

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

function originalOf(value: Container): Original {
  const members = Object.entries(value);
  const nestedEntries = members.filter((member): member is [string, Container] => isContainer(member[1]));
  const names = nestedEntries.map(([name]) => name);
  const isList = Array.isArray(value);
  return {
    value,
    isList,
    shape: isList ? undefined : shapeOf(Object.keys(value), new Set(names)),
    size: members.length,
    names,
    nested: nestedEntries.map(([, inner]) => originalOf(inner)),
    json: undefined,
    lastBody: undefined,
  };
}

// counted loops, since iterators are slower here
function copyOf({ value, isList, shape, names, nested }: Original): Container {
  if (isList && nested.length === (value as unknown as unknown[]).length)
    return nested.map(copyOf) as unknown as Container;
  const copy = (
    isList ? (value as unknown as unknown[]).slice() : shape ? shape.copy(value) : { ...value }
  ) as Container;
  for (let index = 0; index < nested.length; index++) copy[names[index]!] = copyOf(nested[index]!);
  return copy;
}

/** Whether a copy still has the items of its original. */
function isSameList({ value, size, nested }: Original, copy: readonly unknown[]): boolean {
  if (Object.getPrototypeOf(copy) !== Array.prototype || copy.length !== size) return false;
  let nestedIndex = 0;
  for (let index = 0; index < size; index++) {
    const item = copy[index];
    if (!isContainer(item)) {
      if (item !== value[index]) return false;
    } else if (!isContainer(value[index]) || !isSame(nested[nestedIndex++]!, item)) return false;
  }
  return true;
}

/** Whether a copy still has the members of its original, in any order. */
function isSame(original: Original, copy: Container): boolean {
  if (original.isList) return isSameList(original, copy as unknown as readonly unknown[]);
  if (Object.getPrototypeOf(copy) !== Object.prototype) return false;
  const { shape } = original;
  return shape ? isSameShape(original, shape, copy) : isSameByName(original, copy);
}

function isSameShape({ value, size, nested }: Original, shape: JsonShape, copy: Container): boolean {
  return Object.keys(copy).length === size && shape.equals(value, copy, nested, isSameInside);
}

const isSameInside = (original: Original, inner: unknown): boolean => isContainer(inner) && isSame(original, inner);

function isSameByName(original: Original, copy: Container): boolean {
  let members = 0;
  let nestedIndex = 0;
  // the fastest way through the members of an object
  for (const name in copy) {
    const value = copy[name];
    if (isContainer(value)) {
      // nearly always in the same order
      const index = original.names[nestedIndex] === name ? nestedIndex : original.names.indexOf(name);
      if (index < 0 || !isSame(original.nested[index]!, value)) return false;
      nestedIndex = index + 1;
    } else if (value !== original.value[name] || value === undefined || typeof value === "function") {
      // JSON has neither; a function may equal one that every object inherits
      return false;
    }
    members++;
  }
  return members === original.size;
}

const originals = new WeakMap<object, Original>();

export class JsonValue {
  readonly #original: Original;

  /** An object or array as `JSON.parse` makes it. */
  constructor(parsed: object) {
    this.#original = originalOf(parsed as Container);
  }

  /** A copy that `jsonOf` does not recognize. */
  plainCopy(): unknown {
    return copyOf(this.#original);
  }

  /** Whether another value is equal, ignoring the order of keys. */
  equals(value: object): boolean {
    return isSame(this.#original, value as Container);
  }

  /** A copy for which `jsonOf` reuses the JSON of the value, and of lists directly inside. */
  copy(): unknown {
    const copy = copyOf(this.#original);
    originals.set(copy, this.#original);
    const { names, nested } = this.#original;
    for (const [index, inner] of nested.entries())
      if (inner.isList) originals.set(copy[names[index]!] as object, inner);
    return copy;
  }
}

/** The original of a copy; undefined if the copy was changed. */
function unchanged(value: unknown): Original | undefined {
  const original = isContainer(value) ? originals.get(value) : undefined;
  return original && isSame(original, value as Container) ? original : undefined;
}

function jsonOfOriginal(original: Original): string {
  original.json ??= JSON.stringify(original.value);
  return original.json;
}

/** Like `JSON.stringify`, but returns a Blob if the same body was sent before. */
export function jsonOf(body: unknown): string | Blob | undefined {
  const whole = unchanged(body);
  if (whole) return jsonOfOriginal(whole);
  if (!isRecord(body) || Object.getPrototypeOf(body) !== Object.prototype || "toJSON" in body)
    return JSON.stringify(body);
  const names = Object.keys(body);
  const found = names.map((name) => unchanged(body[name]));
  return found.every((original) => !original) ? JSON.stringify(body) : jsonAround(body, names, found);
}

/** `found`: for each name, the original of an unchanged copy. */
function jsonAround(
  body: Readonly<Record<string, unknown>>,
  names: readonly string[],
  found: readonly (Original | undefined)[],
): string | Blob {
  const members: string[] = [];
  let large: { readonly original: Original; readonly index: number; readonly name: string } | undefined;
  for (const [index, name] of names.entries()) {
    const original = found[index];
    const member = original
      ? `${JSON.stringify(name)}:${jsonOfOriginal(original)}`
      : JSON.stringify({ [name]: body[name] }).slice(1, -1);
    if (original && member.length > MIN_CACHED_LENGTH) large = { original, index: members.length, name };
    if (member !== "") members.push(member);
  }
  if (!large) return `{${members.join(",")}}`;
  const { original, index, name } = large;
  return bodyAround(original, members, members.with(index, name).join(","));
}

/** `rest`: the JSON of all other members. */
function bodyAround(original: Original, members: readonly string[], rest: string): string | Blob {
  const last = original.lastBody;
  if (last?.rest === rest && last.content) return last.content;
  const json = `{${members.join(",")}}`;
  original.lastBody = { rest, content: last?.rest === rest ? new Blob([json]) : undefined };
  return json;
}
