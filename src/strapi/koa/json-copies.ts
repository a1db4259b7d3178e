/**
 * Copies of a JSON value that code may change, and the serialization of responses. Copying a value and comparing the copy take
 * less time than parsing and serializing it, and most code responds with what it has read.
 */
import { isRecord } from "../../lib/is-record.ts";
import { type Container, createOriginal, isContainer, type Original } from "./json-originals.ts";

/** The last response body that contained an unchanged copy. */
interface LastBody {
  /** The name of the copy. */
  readonly name: string;
  /** The JSON of the body with `null` instead of the copy. */
  readonly restJson: string;
  /** A Blob once it has been sent again. */
  content: string | Blob;
}

/** What a copy was made from, with what it was sent as. */
interface Source {
  readonly original: Original;
  json?: string;
  lastBody?: LastBody;
}

/** Minimum length in characters of a body that is stored as a Blob. Encoding shorter ones takes less time. */
const MIN_BLOB_LENGTH = 2_000;

const sources = new WeakMap<object, Source>();

export class JsonValue {
  readonly #original: Original;
  /** Of the value, or of lists directly inside: by name. */
  readonly #sources: readonly (readonly [name: string | undefined, source: Source])[];

  /** `parsed`: as `JSON.parse` makes it. `isList`: an object with a list, which alone is sent. */
  constructor(parsed: object, isList: boolean) {
    const value = parsed as Container;
    this.#original = createOriginal(value);
    const lists = () => Object.entries(value).filter((entry): entry is [string, Container] => Array.isArray(entry[1]));
    this.#sources = isList
      ? lists().map(([name, list]) => [name, { original: createOriginal(list) }])
      : [[undefined, { original: this.#original }]];
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
  let longest: { readonly name: string; readonly source: Source; readonly json: string } | undefined;
  for (const [name, value] of Object.entries(body)) {
    const source = unchanged(value);
    const json = source && jsonOfSource(source);
    if (source && json && json.length > (longest?.json.length ?? 0)) longest = { name, source, json };
  }
  return longest ? jsonAround(body, longest.name, longest.source) : JSON.stringify(body);
}

/** `name`: of the copy of `source`. */
function jsonAround(body: Readonly<Record<string, unknown>>, name: string, source: Source): string | Blob {
  const restJson = JSON.stringify({ ...body, [name]: null });
  const last = source.lastBody;
  if (last?.name === name && last.restJson === restJson) {
    const { content } = last;
    if (typeof content === "string" && content.length > MIN_BLOB_LENGTH) last.content = new Blob([content]);
    return last.content;
  }
  const members = Object.entries(body).flatMap(([member, value]) =>
    member === name
      ? [`${JSON.stringify(name)}:${jsonOfSource(source)}`]
      : // in an object, since `toJSON` gets the name; nothing for what JSON does not show
        JSON.stringify({ [member]: value }).slice(1, -1) || [],
  );
  const content = `{${members.join(",")}}`;
  source.lastBody = { name, restJson, content };
  return content;
}
