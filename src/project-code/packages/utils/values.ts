/** Helpers of `@strapi/utils` for plain values: strings, lists, objects, dates, files, and attribute values. */
import { Writable } from "node:stream";

const slugify = (): typeof import("@sindresorhus/slugify") =>
  require("@sindresorhus/slugify") as typeof import("@sindresorhus/slugify");
const lodash = (): typeof import("lodash") => require("lodash") as typeof import("lodash");

const equalStrings = (a: unknown, b: unknown): boolean => String(a) === String(b);

function commonPath(...paths: readonly string[]): string {
  const [first = [], ...rest] = paths.map((path) => path.split("/"));
  const end = first.findIndex((segment, index) => rest.some((other) => other[index] !== segment));
  return first.slice(0, end < 0 ? first.length : end).join("/");
}

/** Joins parts with exactly one separator between them. */
function joinBy(separator: string, ...parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? "";
  const { trimStart, trimEnd } = lodash();
  const last = parts.length - 1;
  return parts
    .map((part, index) => (index === 0 ? part : trimStart(part, separator)))
    .map((part, index) => (index === last ? part : trimEnd(part, separator)))
    .join(separator);
}

export const strings = {
  nameToSlug: (name: string, options: object = { separator: "-" }) => slugify()(name, options),
  nameToCollectionName: (name: string) => slugify()(name, { separator: "_" }),
  toRegressedEnumValue: (value: string) => slugify()(value, { decamelize: false, lowercase: false, separator: "_" }),
  getCommonPath: commonPath,
  isEqual: equalStrings,
  isCamelCase: (value: string) => /^[a-z][a-zA-Z0-9]+$/.test(value),
  isKebabCase: (value: string) => /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/.test(value),
  startsWithANumber: (value: string) => /^[0-9]/.test(value),
  joinBy,
  toKebabCase: (value: string) => lodash().kebabCase(value),
};

export const arrays = {
  includesString: (list: readonly unknown[], value: unknown) => list.some((item) => equalStrings(item, value)),
};

function keysDeep(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== "object" || value === null) return [path.join(".")];
  return Object.entries(value).flatMap(([key, inner]) => keysDeep(inner, [...path, key]));
}
export const objects = { keysDeep };

export const dates = { timestampCode: (date = new Date()) => date.getTime().toString(36) };

const UNITS = ["Bytes", "KB", "MB", "GB", "TB", "PB"];

function readableSize(bytes: number): string {
  if (bytes === 0) return "0 Bytes";
  const power = Math.floor(Math.log(bytes) / Math.log(1000));
  return `${Math.round(bytes / 1000 ** power)} ${UNITS[power]}`;
}

async function readStream(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

async function streamSize(stream: AsyncIterable<Uint8Array | string>): Promise<number> {
  let size = 0;
  for await (const chunk of stream) size += Buffer.byteLength(chunk);
  return size;
}

export const file = {
  bytesToHumanReadable: readableSize,
  bytesToKbytes: (bytes: number) => Math.round((bytes / 1000) * 100) / 100,
  kbytesToBytes: (kbytes: number) => kbytes * 1000,
  streamToBuffer: readStream,
  getStreamSize: streamSize,
  writableDiscardStream: (options: object = {}) =>
    new Writable({ ...options, write: (_chunk, _encoding, done) => void setImmediate(done) }),
};

export const template = {
  createStrictInterpolationRegExp: (names: readonly string[], flags?: string) =>
    new RegExp(`<%=\\s*(${names.join("|")})\\s*%>`, flags),
  createLooseInterpolationRegExp: (flags?: string) => new RegExp(/<%=([\s\S]+?)%>/, flags),
};

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** In local time, as the reference writes dates. */
const dateOf = (date: Date): string =>
  `${String(date.getFullYear()).padStart(4, "0")}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
const timeOf = (date: Date): string =>
  `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}:${twoDigits(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;

const TIME = /^((?:2[0-3]|[01]\d):[0-5]\d:[0-5]\d)(?:\.(\d{1,3}))?$/;

function expectString(value: unknown): string {
  if (typeof value !== "string") throw new Error(`Expected a string, got a ${typeof value}`);
  return value;
}

/** Parses ISO 8601; undefined for anything else. A date without a time is local. */
function isoDate(value: unknown): Date | undefined {
  const text = expectString(value);
  // loaded with the first value
  const { parseISO } = require("date-fns/parseISO") as typeof import("date-fns/parseISO");
  const date = parseISO(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function parseTime(value: unknown): string {
  if (value instanceof Date) return timeOf(value);
  const match = TIME.exec(expectString(value));
  if (!match) throw new Error("Invalid time format, expected HH:mm:ss.SSS");
  return `${match[1]}.${(match[2] ?? "").padEnd(3, "0")}`;
}

function parseDate(value: unknown): string {
  const date = value instanceof Date ? value : isoDate(value);
  if (!date) throw new Error("Invalid format, expected an ISO compatible date");
  return dateOf(date);
}

function parseDateTime(value: unknown): Date {
  if (value instanceof Date) return value;
  const date = isoDate(value) ?? (/^-?\d+$/.test(String(value)) ? new Date(Number(value)) : undefined);
  if (!date) throw new Error("Invalid format, expected a timestamp or an ISO date");
  return date;
}

const TRUE: readonly unknown[] = [true, "true", "t", "1", 1];
const FALSE: readonly unknown[] = [false, "false", "f", "0", 0];

function parseBoolean(value: unknown, force: boolean): boolean {
  if (TRUE.includes(value)) return true;
  if (FALSE.includes(value)) return false;
  if (force) return Boolean(value);
  throw new Error('Invalid boolean input. Expected "t","1","true","false","0","f"');
}

const parsers: Readonly<Record<string, (value: unknown, force: boolean) => unknown>> = {
  boolean: parseBoolean,
  integer: Number,
  biginteger: Number,
  float: Number,
  decimal: Number,
  time: parseTime,
  date: parseDate,
  timestamp: parseDateTime,
  datetime: parseDateTime,
};

/** Casts a value to the type of an attribute. Throws for an invalid one. */
export const parseType = (input: {
  readonly type: string;
  readonly value: unknown;
  readonly forceCast?: boolean;
}): unknown => parsers[input.type]?.(input.value, input.forceCast === true) ?? input.value;

/** Whether a `sort` parameter has any key. */
export function hasSort(sort: unknown): boolean {
  if (typeof sort === "string") return sort.split(",").some((key) => key.split(":")[0]!.trim() !== "");
  if (Array.isArray(sort)) return sort.some((item) => !Array.isArray(item) && hasSort(item));
  if (typeof sort !== "object" || sort === null) return false;
  return Object.values(sort).some((order) => (typeof order === "string" ? order !== "" : hasSort(order)));
}
