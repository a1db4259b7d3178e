/** A three-way merge of content files: version by version, attribute by attribute. */
import type { ContentFile } from "./content-file.ts";
import { haveOneShape } from "./entries.ts";
import { type Conflict, type ConflictSide, type Merged, type MergeValue, mergeLists } from "./merge-lists.ts";
import type { ContentPath } from "./paths.ts";
import {
  equalDocuments,
  equalValues,
  equalVersions,
  type Fields,
  type FileVersions,
  haveOneTop,
  isAttribute,
  type LocaleVersion,
  localePath,
  readVersions,
  toFields,
  withTop,
  writeVersion,
  writeVersions,
} from "./versions.ts";

/** Undefined is no value. Of a conflict, the value is that of `side`. */
function mergeValue(base: unknown, ours: unknown, theirs: unknown, side: ConflictSide): Merged {
  // the order of keys is part of an answer, but no conflict
  if (equalValues(ours, theirs)) return { value: haveSameText(ours, base) ? theirs : ours, conflicts: [] };
  if (equalValues(theirs, base)) return { value: ours, conflicts: [] };
  if (equalValues(ours, base)) return { value: theirs, conflicts: [] };
  // an empty list is no value
  const lists = [base, ours, theirs].map((value) => value ?? []);
  if (lists.every((list) => Array.isArray(list))) return mergeLists(lists[0]!, lists[1]!, lists[2]!, side, mergeValue);
  if (haveOneShape(ours, theirs) && (base === undefined || haveOneShape(base, ours))) {
    const { value, conflicts } = mergeFields(
      toFields(base ?? {}),
      toFields(ours as object),
      toFields(theirs as object),
      side,
    );
    return { value: Object.fromEntries(value), conflicts };
  }
  return { value: side === "ours" ? ours : theirs, conflicts: [{ path: [], base, ours, theirs }] };
}

const haveSameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** In the order of ours, then what they added. `merge` may merge some keys in another way. */
function mergeFields(
  base: Fields,
  ours: Fields,
  theirs: Fields,
  side: ConflictSide,
  merge: (key: string, ...values: Parameters<MergeValue>) => Merged = (_, ...values) => mergeValue(...values),
): Merged<Map<string, unknown>> {
  const value = new Map<string, unknown>();
  const conflicts: Conflict[] = [];
  for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
    const merged = merge(key, base.get(key), ours.get(key), theirs.get(key), side);
    for (const conflict of merged.conflicts) conflicts.push({ ...conflict, path: [key, ...conflict.path] });
    if (merged.value !== undefined) value.set(key, merged.value);
  }
  return { value, conflicts };
}

export type { Conflict, ConflictSide } from "./merge-lists.ts";

export interface MergedFile {
  /** Undefined: the document is deleted. */
  readonly file: ContentFile | undefined;
  /** The file has one side of them. The default locale, where it was deleted, has the path `$locales[""]`. */
  readonly conflicts: readonly Conflict[];
}

/** Undefined is a document that is not there. `side`: whose values are taken for conflicts. */
export function mergeFiles(
  base: ContentFile | undefined,
  ours: ContentFile | undefined,
  theirs: ContentFile | undefined,
  side: ConflictSide = "ours",
): MergedFile {
  const [baseVersions, ourVersions, theirVersions] = [base, ours, theirs].map((file) => file && readVersions(file));
  if (ourVersions && theirVersions) return mergeDocuments(baseVersions, ourVersions, theirVersions, side);
  const { value, conflicts } = mergePresence(
    baseVersions,
    ourVersions,
    theirVersions,
    side,
    equalDocuments,
    writeVersions,
  );
  return { file: value && writeVersions(value), conflicts };
}

/** Of what one side does not have: it is kept if that side never had it; deleting what the other side changed is a conflict. */
function mergePresence<T>(
  base: T | undefined,
  ours: T | undefined,
  theirs: T | undefined,
  side: ConflictSide,
  isUnchanged: (base: T, changed: T) => boolean,
  write: (state: T) => unknown,
): Merged<T | undefined> {
  const present = ours ?? theirs;
  if (!base || !present) return { value: present, conflicts: [] };
  if (isUnchanged(base, present)) return { value: undefined, conflicts: [] };
  const conflict = { path: [], base: write(base), ours: ours && write(ours), theirs: theirs && write(theirs) };
  return { value: side === "ours" ? ours : theirs, conflicts: [conflict] };
}

const below = (path: ContentPath, conflicts: readonly Conflict[]): Conflict[] =>
  conflicts.map((conflict) => ({ ...conflict, path: [...path, ...conflict.path] }));

function mergeDocuments(
  base: FileVersions | undefined,
  ours: FileVersions,
  theirs: FileVersions,
  side: ConflictSide,
): MergedFile {
  const id = mergeValue(base?.id, ours.id, theirs.id, side);
  const isOneTop = haveOneTop(base ? [base, ours, theirs] : [ours, theirs]);
  const locale = isOneTop
    ? mergeValue(base?.top || undefined, ours.top || undefined, theirs.top || undefined, side)
    : AGREED;
  const top = (locale.value as string | undefined) ?? "";
  const [before, our, their] = [base, ours, theirs].map(
    (file) => file && (isOneTop ? withTop(file, top) : file).versions,
  );
  const versions = new Map<string, LocaleVersion>();
  const found: [locale: string, conflicts: readonly Conflict[]][] = [];
  for (const code of new Set([...our!.keys(), ...their!.keys()])) {
    const merged = mergeLocale(before?.get(code), our!.get(code), their!.get(code), side);
    if (merged.value) versions.set(code, merged.value);
    found.push([code, merged.conflicts]);
  }
  // without the default locale, another one is at the top
  const remaining = [top, ours.top, theirs.top, ...versions.keys()].find((code) => versions.has(code)) ?? top;
  return {
    file:
      versions.size === 0 ? undefined : writeVersions({ id: id.value as string | undefined, top: remaining, versions }),
    conflicts: [
      ...below(["$id"], id.conflicts),
      ...below(["$locale"], locale.conflicts),
      ...found.flatMap(([code, conflicts]) => below(localePath(remaining, code), conflicts)),
    ],
  };
}

/** The locale at the top, where it is chosen by what remains. */
const AGREED: Merged = { value: undefined, conflicts: [] };

function mergeLocale(
  base: LocaleVersion | undefined,
  ours: LocaleVersion | undefined,
  theirs: LocaleVersion | undefined,
  side: ConflictSide,
): Merged<LocaleVersion | undefined> {
  if (!ours || !theirs) return mergePresence(base, ours, theirs, side, equalVersions, writeVersion);
  const draft = mergeFields(base?.draft ?? NO_FIELDS, ours.draft, theirs.draft, side, mergeVersionValue);
  const published = mergePublished(base, ours, theirs, side);
  if (!ours.published !== !theirs.published) {
    const at = published.value && (ours.published ? ours : theirs).draft.get("$publishedAt");
    if (at === undefined) draft.value.delete("$publishedAt");
    else draft.value.set("$publishedAt", at);
  }
  // what both edited and published differently is one conflict
  const others = published.conflicts.filter((conflict) => !draft.conflicts.some((own) => equalValues(own, conflict)));
  return {
    value: { draft: draft.value, ...(published.value && { published: published.value }) },
    conflicts: [...draft.conflicts, ...below(["$published"], others)],
  };
}

const NO_FIELDS: Fields = new Map();

/** Which of two times is merged. */
const TIMES: ReadonlyMap<string, (one: number, other: number) => number> = new Map([
  ["$createdAt", Math.min],
  ["$updatedAt", Math.max],
  ["$publishedAt", Math.max],
]);

function mergeVersionValue(key: string, ...values: Parameters<MergeValue>): Merged {
  const merged = mergeValue(...values);
  if (merged.conflicts.length === 0) return merged;
  const [base, ours, theirs] = values.slice(0, -1).map((value) => value ?? undefined);
  const choose = TIMES.get(key);
  // null is no value, too
  if (!choose) return mergeValue(base, ours, theirs, values[3]);
  const [our, their] = [ours, theirs].map((value) => (value === undefined ? undefined : Date.parse(String(value))));
  const isOurs = their === undefined || (our !== undefined && choose(our, their) === our);
  return { value: isOurs ? ours : theirs, conflicts: [] };
}

/**
 * The published version. What one side published stays as it was published, whatever the other does to the draft. Deleting it loses
 * nothing of a side that changed it together with its draft.
 */
function mergePublished(
  base: LocaleVersion | undefined,
  ours: LocaleVersion,
  theirs: LocaleVersion,
  side: ConflictSide,
): Merged<Fields | undefined> {
  if (ours.published && theirs.published) {
    const published = base?.published ?? base?.draft ?? NO_FIELDS;
    return mergeFields(published, ours.published, theirs.published, side, mergeVersionValue);
  }
  const { draft } = ours.published ? ours : theirs;
  const isUnchanged = (before: Fields, after: Fields): boolean =>
    [...new Set([...before.keys(), ...after.keys()])].filter(isAttribute).every((key) => {
      const value = after.get(key) ?? undefined;
      return equalValues(value, before.get(key) ?? undefined) || equalValues(value, draft.get(key));
    });
  return mergePresence(base?.published, ours.published, theirs.published, side, isUnchanged, Object.fromEntries);
}
