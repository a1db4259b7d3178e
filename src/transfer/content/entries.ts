/** Values of lists and their parts: what identifies them, and how much of one is in another. */
import { isRecord } from "../../lib/is-record.ts";
import type { ContentLink } from "./content-file.ts";

const LINK_KEYS: ReadonlySet<string> = new Set<keyof ContentLink>(["document", "locale", "status", "field"]);

/** A link is one value, like the name of a file. */
const isLink = (value: Readonly<Record<string, unknown>>): boolean =>
  typeof value.document === "string" && Object.keys(value).every((key) => LINK_KEYS.has(key));

/** Whether two values may be states of one thing, whose fields are merged and compared one by one. */
export const haveOneShape = (one: unknown, other: unknown): boolean =>
  isRecord(one) && isRecord(other) && one.__component === other.__component && !isLink(one) && !isLink(other);

export interface Entry {
  readonly value: unknown;
  /** JSON with sorted keys: equal for equal values. */
  readonly canonical: string;
  /** Of a mapping, without those that name its kind. */
  readonly fields?: ReadonlyMap<string, Entry>;
  /** Of a list. */
  readonly items?: readonly Entry[];
}

/** Keys that say of what kind a mapping is: those of components and of blocks. */
const KINDS: ReadonlySet<string> = new Set(["__component", "type"]);

export function readEntry(value: unknown): Entry {
  if (Array.isArray(value)) {
    const items = value.map(readEntry);
    return { value, canonical: `[${items.map((item) => item.canonical).join(",")}]`, items };
  }
  if (!isRecord(value)) return { value, canonical: JSON.stringify(value) };
  const fields = Object.keys(value)
    .sort()
    .map((key) => [key, readEntry(value[key])] as const);
  const canonical = `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${field.canonical}`).join(",")}}`;
  return { value, canonical, fields: new Map(fields.filter(([key]) => !KINDS.has(key))) };
}

/** Names and links are added to lists and removed from them; other entries can be changed. */
export const isName = ({ value }: Entry): boolean => typeof value === "string" || (isRecord(value) && isLink(value));

/** Whether one entry may be what became of the other. */
export const mayBecome = (one: Entry, other: Entry): boolean =>
  isRecord(one.value) || isRecord(other.value) ? haveOneShape(one.value, other.value) : !isName(one) && !isName(other);

/** From 0 to 1: the share of what is equal. */
export function similarity(one: Entry, other: Entry): number {
  if (one.canonical === other.canonical) return 1;
  if (typeof one.value === "string" && typeof other.value === "string") return shareEnds(one.value, other.value);
  if (one.items && other.items) return shareItems(one.items, other.items);
  if (!one.fields || !other.fields || !haveOneShape(one.value, other.value)) return 0;
  let sum = 0;
  for (const [key, field] of one.fields) {
    const compared = other.fields.get(key);
    if (compared) sum += similarity(field, compared);
  }
  return computeShare(sum, one.fields.size, other.fields.size);
}

/** Of both sizes together, so that what was only added to counts as more alike than what was replaced. */
const computeShare = (common: number, size: number, otherSize: number): number =>
  common === 0 ? 0 : (2 * common) / (size + otherSize);

/** Of two texts, what they begin and end with. */
function shareEnds(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one.charCodeAt(start) === other.charCodeAt(start)) start++;
  let end = 0;
  while (end < shorter - start && one.charCodeAt(one.length - 1 - end) === other.charCodeAt(other.length - 1 - end)) {
    end++;
  }
  return computeShare(start + end, one.length, other.length);
}

/** Equal items wherever they are, others in their order. */
function shareItems(one: readonly Entry[], other: readonly Entry[]): number {
  const pairs = matchByKey(one, getCanonical, other, getCanonical);
  const paired = new Set(pairs.flat());
  const [left, otherLeft] = [one, other].map((items) => items.filter((item) => !paired.has(item)));
  const alike = left!.reduce(
    (sum, item, index) => sum + (otherLeft![index] ? similarity(item, otherLeft![index]) : 0),
    0,
  );
  return computeShare(pairs.length + alike, one.length, other.length);
}

export const getCanonical = ({ canonical }: Entry): string => canonical;

/** Pairs of those with equal keys, in any order, each in one pair. */
export function matchByKey<T>(
  list: readonly T[],
  buildKey: (entry: T) => string,
  others: readonly T[],
  keyOfOther: (entry: T) => string,
): [one: T, other: T][] {
  const waiting = Map.groupBy(others, keyOfOther);
  return list.flatMap((one) => {
    const other = waiting.get(buildKey(one))?.shift();
    return other === undefined ? [] : [[one, other] as [T, T]];
  });
}
