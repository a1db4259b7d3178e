/**
 * Copies of a JSON value that code may change, and the serialization of responses. Copying a value and comparing the copy take
 * less time than parsing and serializing it, and most code responds with what it has read.
 */
import { isRecord } from "../../query/key-check.ts";
import { type Container, type JsonShape, shapeOf } from "./json-shapes.ts";

/** A value that is never changed itself, with what copying and comparing it takes. */
interface Original {
  readonly value: Container;
  readonly isList: boolean;
  /** Undefined for lists, and for objects whose names are not worth a function. */
  readonly shape: JsonShape | undefined;
  readonly size: number;
  /** The names or indices of the objects and arrays directly inside, and the originals of these. */
  readonly names: readonly string[];
  readonly nested: readonly Original[];
  json: string | undefined;
  /** What was last answered around it. */
  answer: { readonly rest: string; content: Blob | undefined } | undefined;
}

/** Characters from which on an answer is kept as it is sent: encoding shorter ones takes less time. */
const MIN_KEPT = 2_000;

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

function originalOf(value: Container): Original {
  const members = Object.entries(value);
  const inside = members.filter((member): member is [string, Container] => isContainer(member[1]));
  const names = inside.map(([name]) => name);
  const isList = Array.isArray(value);
  return {
    value,
    isList,
    shape: isList ? undefined : shapeOf(Object.keys(value), new Set(names)),
    size: members.length,
    names,
    nested: inside.map(([, inner]) => originalOf(inner)),
    json: undefined,
    answer: undefined,
  };
}

// counted loops: iterators take longer than what they are for here
function copyOf({ value, isList, shape, names, nested }: Original): Container {
  if (isList && nested.length === (value as unknown as unknown[]).length)
    return nested.map(copyOf) as unknown as Container;
  const copy = (
    isList ? (value as unknown as unknown[]).slice() : shape ? shape.copy(value) : { ...value }
  ) as Container;
  for (let at = 0; at < nested.length; at++) copy[names[at]!] = copyOf(nested[at]!);
  return copy;
}

/** Whether a copy still has the items of its original. */
function isSameList({ value, size, nested }: Original, copy: readonly unknown[]): boolean {
  if (Object.getPrototypeOf(copy) !== Array.prototype || copy.length !== size) return false;
  let passed = 0;
  for (let at = 0; at < size; at++) {
    const item = copy[at];
    if (!isContainer(item)) {
      if (item !== value[at]) return false;
    } else if (!isContainer(value[at]) || !isSame(nested[passed++]!, item)) return false;
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
  let passed = 0;
  // the fastest way through the members of an object
  for (const name in copy) {
    const value = copy[name];
    if (isContainer(value)) {
      // nearly always in their order
      const at = original.names[passed] === name ? passed : original.names.indexOf(name);
      if (at < 0 || !isSame(original.nested[at]!, value)) return false;
      passed = at + 1;
    } else if (value !== original.value[name] || value === undefined || typeof value === "function") {
      // JSON has neither; functions are also what every object inherits
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

  /** A copy that `jsonOf` knows nothing of. */
  plainCopy(): unknown {
    return copyOf(this.#original);
  }

  /** Whether another value is the same, but for the order of names. */
  equals(value: object): boolean {
    return isSame(this.#original, value as Container);
  }

  /** Its own JSON and that of lists directly in it is found again by `jsonOf`. */
  copy(): unknown {
    const copy = copyOf(this.#original);
    originals.set(copy, this.#original);
    const { names, nested } = this.#original;
    for (const [at, inner] of nested.entries()) if (inner.isList) originals.set(copy[names[at]!] as object, inner);
    return copy;
  }
}

/** The original of an unchanged copy. */
function unchanged(value: unknown): Original | undefined {
  const original = isContainer(value) ? originals.get(value) : undefined;
  return original && isSame(original, value as Container) ? original : undefined;
}

function jsonOfOriginal(original: Original): string {
  original.json ??= JSON.stringify(original.value);
  return original.json;
}

/** As `JSON.stringify`; a Blob where the same body was sent before. */
export function jsonOf(body: unknown): string | Blob | undefined {
  const whole = unchanged(body);
  if (whole) return jsonOfOriginal(whole);
  if (!isRecord(body) || Object.getPrototypeOf(body) !== Object.prototype || "toJSON" in body)
    return JSON.stringify(body);
  const names = Object.keys(body);
  const found = names.map((name) => unchanged(body[name]));
  return found.every((original) => !original) ? JSON.stringify(body) : jsonAround(body, names, found);
}

/** `found`: by member, the original that it is an unchanged copy of. */
function jsonAround(
  body: Readonly<Record<string, unknown>>,
  names: readonly string[],
  found: readonly (Original | undefined)[],
): string | Blob {
  const members: string[] = [];
  let large: { readonly original: Original; readonly at: number; readonly name: string } | undefined;
  for (const [at, name] of names.entries()) {
    const original = found[at];
    const member = original
      ? `${JSON.stringify(name)}:${jsonOfOriginal(original)}`
      : JSON.stringify({ [name]: body[name] }).slice(1, -1);
    if (original && member.length > MIN_KEPT) large = { original, at: members.length, name };
    if (member !== "") members.push(member);
  }
  if (!large) return `{${members.join(",")}}`;
  const { original, at, name } = large;
  return answerOf(original, members, members.with(at, name).join(","));
}

/** `rest`: the members without the original. */
function answerOf(original: Original, members: readonly string[], rest: string): string | Blob {
  const last = original.answer;
  if (last?.rest === rest && last.content) return last.content;
  const json = `{${members.join(",")}}`;
  original.answer = { rest, content: last?.rest === rest ? new Blob([json]) : undefined };
  return json;
}
