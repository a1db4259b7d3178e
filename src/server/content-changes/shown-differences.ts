/** Differences of documents as the page gets them: of limited size, with blocks as texts. */
import { isRecord } from "../../lib/is-record.ts";
import type { Difference, EntryDifferences } from "../../transfer/content/diff.ts";
import type { ShownDifference, ShownEntries } from "../../ui/content-changes/answers.ts";

export const MAX_DIFFERENCES = 50;
const MAX_ENTRIES = 20;
const MAX_TEXT = 2_000;
const MAX_KEYS = 30;
const MAX_DEPTH = 6;
/** Equal lines around those that differ. */
const CONTEXT = 3;

const cutText = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

function cut(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return cutText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return "…";
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ENTRIES).map((item) => cut(item, depth + 1));
    return value.length > MAX_ENTRIES ? [...items, "…"] : items;
  }
  const pairs = Object.entries(value).slice(0, MAX_KEYS);
  return Object.fromEntries(pairs.map(([key, item]) => [key, cut(item, depth + 1)]));
}

/** Without most of the lines that both texts begin or end with, before they are cut. */
function cutTexts(before: string, after: string): [string, string] {
  if (Math.max(before.length, after.length) <= MAX_TEXT) return [before, after];
  const [old, changed] = [before.split("\n"), after.split("\n")];
  const least = Math.min(old.length, changed.length);
  let start = 0;
  while (start < least && old[start] === changed[start]) start++;
  let end = 0;
  while (end < least - start && old.at(-1 - end) === changed.at(-1 - end)) end++;
  const around = (lines: readonly string[]): string =>
    cutText(lines.slice(Math.max(0, start - CONTEXT), lines.length - Math.max(0, end - CONTEXT)).join("\n"));
  return [around(old), around(changed)];
}

type Block = Readonly<Record<string, unknown>> & { readonly children: readonly unknown[] };

const isBlock = (value: unknown): value is Block =>
  isRecord(value) && typeof value.type === "string" && Array.isArray(value.children);

/** Whether it may be the value of an attribute of type `blocks`. */
const isBlocks = (value: unknown): value is readonly Block[] =>
  Array.isArray(value) && value.length > 0 && value.every(isBlock);

const textOf = (value: unknown): string => {
  if (!isRecord(value)) return "";
  if (typeof value.text === "string") return value.text;
  return Array.isArray(value.children) ? value.children.map(textOf).join("") : "";
};

/** A line for each block, and for each item of a list. */
const textOfBlocks = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.type === "list" ? block.children.map(textOf) : [textOf(block)])).join("\n");

function asTexts(before: unknown, after: unknown): [unknown, unknown] {
  const isText = (value: unknown): boolean => value === undefined || value === null || isBlocks(value);
  if (!isText(before) || !isText(after)) return [before, after];
  return [before, after].map((value) => (isBlocks(value) ? textOfBlocks(value) : value)) as [unknown, unknown];
}

export function shownDifference({ path, before, after, isPublished, entries }: Difference): ShownDifference {
  const [old, changed] = asTexts(before, after);
  const common = { path, ...(isPublished && { isPublished }) };
  if (typeof old === "string" && typeof changed === "string") {
    const [oldText, changedText] = cutTexts(old, changed);
    return { ...common, before: oldText, after: changedText };
  }
  if (entries) return { ...common, entries: shownEntries(entries) };
  return {
    ...common,
    ...(old !== undefined && { before: cut(old) }),
    ...(changed !== undefined && { after: cut(changed) }),
  };
}

function shownEntries({ added, removed, moved, changed }: EntryDifferences): ShownEntries {
  const lists = [added, removed, moved, changed];
  const more = lists.reduce((sum, { length }) => sum + Math.max(0, length - MAX_ENTRIES), 0);
  const first = <T extends { readonly value: unknown }>(list: readonly T[]): T[] =>
    list.slice(0, MAX_ENTRIES).map((item) => ({ ...item, value: cut(item.value) }));
  return {
    added: first(added),
    removed: first(removed),
    moved: first(moved),
    changed: changed.slice(0, MAX_ENTRIES).map(({ from, to, differences }) => ({
      from,
      to,
      differences: differences.slice(0, MAX_DIFFERENCES).map(shownDifference),
    })),
    more,
  };
}
