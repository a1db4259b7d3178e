/**
 * Copies of a JSON value that code may change, and the serialization of responses. Copying a value and comparing the copy take
 * less time than parsing and serializing it, and most code responds with what it has read.
 */
import { isRecord } from "../../lib/is-record.ts";
import { type Container, isContainer } from "./json-layouts.ts";
import { createOriginal, type Original } from "./json-originals.ts";

/** What a copy was made from, with what it was sent as. */
interface Source {
  readonly original: Original;
  json: string | undefined;
  lastBody: LastBody | undefined;
}

/** The last response body that contained an unchanged copy. */
interface LastBody {
  /** The name of the copy. */
  readonly name: string;
  /** The JSON of the body with `null` instead of the copy. */
  readonly restJson: string;
  readonly json: string;
  /** Undefined until the body was sent twice. */
  readonly again: RepeatedBody | undefined;
}

interface RepeatedBody {
  /** The body with `null` instead of the copy. */
  readonly rest: Original;
  readonly content: string | Blob;
}

/** Minimum length in characters of a body that is stored as a Blob. Encoding shorter ones takes less time. */
const MIN_BLOB_LENGTH = 2_000;
/** Maximum length in characters of what is compared besides the copy. */
const MAX_REST_LENGTH = 2_000;

const sources = new WeakMap<object, Source>();

const createSource = (original: Original): Source => ({ original, json: undefined, lastBody: undefined });

export class JsonValue {
  readonly #original: Original;
  /** Of the value, or of lists directly inside: by name. */
  readonly #sources: readonly (readonly [name: string | undefined, source: Source])[];

  /** `parsed`: as `JSON.parse` makes it. `isList`: an object with a list, which alone is sent. */
  constructor(parsed: object, isList: boolean) {
    const value = parsed as Container;
    this.#original = createOriginal(value, true);
    const listArrays = () =>
      Object.entries(value).flatMap(([name, inner]) =>
        Array.isArray(inner)
          ? [[name, createSource(createOriginal(inner as unknown as Container, true))] as const]
          : [],
      );
    this.#sources = isList ? listArrays() : [[undefined, createSource(this.#original)]];
  }

  /** A copy for which `toJson` reuses the JSON of the value, or of its list. */
  copy(): unknown {
    const copy = this.#original.copy();
    for (const [name, source] of this.#sources) sources.set(name === undefined ? copy : (copy[name] as object), source);
    return copy;
  }
}

/** The source of a copy; undefined if the copy was changed. */
function unchanged(value: unknown): Source | undefined {
  const source = isContainer(value) ? sources.get(value) : undefined;
  return source?.original.isSame(value) ? source : undefined;
}

function jsonOfSource(source: Source): string {
  source.json ??= JSON.stringify(source.original.value);
  return source.json;
}

/** Like `JSON.stringify`, but returns a Blob if the same body was sent before. */
export function toJson(body: unknown): string | Blob | undefined {
  const whole = unchanged(body);
  if (whole) return jsonOfSource(whole);
  if (!isRecord(body) || Object.getPrototypeOf(body) !== Object.prototype || "toJSON" in body)
    return JSON.stringify(body);
  const found = new Map<string, Source>();
  for (const name of Object.keys(body)) {
    const source = unchanged(body[name]);
    if (source) found.set(name, source);
  }
  return found.size === 0 ? JSON.stringify(body) : jsonAround(body, found);
}

/** `found`: the sources of unchanged copies, by name. */
function jsonAround(body: Readonly<Record<string, unknown>>, found: ReadonlyMap<string, Source>): string | Blob {
  const [name, source] = findLongest(found);
  const last = source.lastBody?.name === name ? source.lastBody : undefined;
  if (last?.again?.rest.isSame({ ...body, [name]: null })) return last.again.content;
  const members = jsonOfMembers(body, found);
  const restJson = formatObject(members, (member) => (member.name === name ? "null" : member.json));
  if (last?.restJson !== restJson) {
    const json = formatObject(members, (member) => member.json);
    source.lastBody = { name, restJson, json, again: undefined };
    return json;
  }
  // comparing more would take longer than serializing it
  if (last.again || restJson.length > MAX_REST_LENGTH) return last.json;
  const content = last.json.length > MIN_BLOB_LENGTH ? new Blob([last.json]) : last.json;
  source.lastBody = { ...last, again: { rest: createOriginal(JSON.parse(restJson) as Container, false), content } };
  return content;
}

function findLongest(found: ReadonlyMap<string, Source>): readonly [string, Source] {
  const [first, ...others] = found;
  return others.reduce(
    (longest, entry) => (jsonOfSource(entry[1]).length > jsonOfSource(longest[1]).length ? entry : longest),
    first!,
  );
}

interface MemberJson {
  readonly name: string;
  readonly json: string;
}

/** Without the members that JSON does not show. */
function jsonOfMembers(body: Readonly<Record<string, unknown>>, found: ReadonlyMap<string, Source>): MemberJson[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const source = found.get(name);
    // in an object, since `toJSON` gets the name
    const json = source
      ? jsonOfSource(source)
      : JSON.stringify({ [name]: value }).slice(JSON.stringify(name).length + 2, -1);
    return json === "" ? [] : [{ name, json }];
  });
}

const formatObject = (members: readonly MemberJson[], jsonOfMember: (member: MemberJson) => string): string =>
  `{${members.map((member) => `${JSON.stringify(member.name)}:${jsonOfMember(member)}`).join(",")}}`;
