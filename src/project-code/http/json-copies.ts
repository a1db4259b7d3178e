/**
 * Copies of a JSON value that code may change, and the serialization of responses. Copying a value and comparing the copy take
 * less time than parsing and serializing it, and most code responds with what it has read.
 */
import { isRecord } from "../../query/key-check.ts";

/** An object or array of JSON. */
type Container = Record<string | number, unknown>;

/** A value that is never changed itself. */
interface Original {
  readonly value: Container;
  /** The objects and arrays directly inside, by name or index. */
  readonly nested: readonly (readonly [key: string | number, original: Original])[];
  json: string | undefined;
  /** What was last answered around it. */
  answer: { readonly rest: string; content: Blob | undefined } | undefined;
}

/** Characters from which on an answer is kept as it is sent: encoding shorter ones takes less time. */
const MIN_KEPT = 2_000;

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

function originalOf(value: Container): Original {
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  const nested: [string | number, Original][] = [];
  for (const key of keys) {
    const inner = value[key];
    if (isContainer(inner)) nested.push([key, originalOf(inner)]);
  }
  return { value, nested, json: undefined, answer: undefined };
}

function copyOf({ value, nested }: Original): Container {
  const copy = (Array.isArray(value) ? value.slice() : { ...value }) as Container;
  for (const [key, inner] of nested) copy[key] = copyOf(inner);
  return copy;
}

const isSame = (original: unknown, copy: unknown): boolean =>
  original === copy || (isContainer(original) && isContainer(copy) && isSameContainer(original, copy));

/** Whether a copy still has the members of its original, in any order. */
function isSameContainer(original: Container, copy: Container): boolean {
  if (Object.getPrototypeOf(original) !== Object.getPrototypeOf(copy)) return false;
  if (Array.isArray(original)) {
    const items = copy as unknown as readonly unknown[];
    if (items.length !== original.length) return false;
    for (let at = 0; at < items.length; at++) if (!isSame(original[at], items[at])) return false;
    return true;
  }
  let members = 0;
  // the fastest way through the members of an object
  for (const name in copy) {
    const value = copy[name];
    // what JSON does not have; functions are also what every object inherits
    if (value === undefined || typeof value === "function" || !isSame(original[name], value)) return false;
    members++;
  }
  return members === Object.keys(original).length;
}

const originals = new WeakMap<object, Original>();

export class JsonValue {
  readonly #original: Original;

  /** An object or array as `JSON.parse` makes it. */
  constructor(parsed: object) {
    this.#original = originalOf(parsed as Container);
  }

  /** Its own JSON and that of lists directly in it is found again by `jsonOf`. */
  copy(): unknown {
    const copy = copyOf(this.#original);
    originals.set(copy, this.#original);
    for (const [key, inner] of this.#original.nested)
      if (Array.isArray(inner.value)) originals.set(copy[key] as object, inner);
    return copy;
  }
}

/** The original of an unchanged copy. */
function unchanged(value: unknown): Original | undefined {
  const original = isContainer(value) ? originals.get(value) : undefined;
  return original && isSameContainer(original.value, value as Container) ? original : undefined;
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
  const members: string[] = [];
  let large: { readonly original: Original; readonly at: number; readonly name: string } | undefined;
  for (const name of Object.keys(body)) {
    const value = body[name];
    const original = unchanged(value);
    const member = original
      ? `${JSON.stringify(name)}:${jsonOfOriginal(original)}`
      : JSON.stringify({ [name]: value }).slice(1, -1);
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
