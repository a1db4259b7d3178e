/** Differences of two states of a content file in terms of documents and fields, for people and as JSON. */
import type { ContentFile } from "./content-file.ts";
import { haveOneShape } from "./entries.ts";
import { movedEntries, pairEntries } from "./pair-entries.ts";
import type { ContentPath } from "./paths.ts";
import {
  equalValues,
  type Fields,
  haveOneTop,
  type LocaleVersion,
  localePath,
  readVersions,
  toFields,
  withTop,
  writeVersion,
} from "./versions.ts";

export interface Difference {
  /** Empty: the document. `$published`, `$locales.de`: a version. */
  readonly path: ContentPath;
  /** Left out: no value, or not there. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** Of a draft's value: the published version had the same change. */
  readonly isPublished?: true;
  /** Of a list. */
  readonly entries?: EntryDifferences;
}

export interface EntryDifferences {
  readonly added: readonly { readonly index: number; readonly value: unknown }[];
  readonly removed: readonly { readonly index: number; readonly value: unknown }[];
  /** Without entries whose number changed only because of others. */
  readonly moved: readonly { readonly from: number; readonly to: number; readonly value: unknown }[];
  /** With paths below the entry. */
  readonly changed: readonly {
    readonly from: number;
    readonly to: number;
    readonly differences: readonly Difference[];
  }[];
}

/** Undefined is a document that is not there. `$updatedAt` is not compared. */
export function diffFiles(before: ContentFile | undefined, after: ContentFile | undefined): Difference[] {
  if (!before || !after) return diffValues([], before, after);
  const [read, changed] = [readVersions(before), readVersions(after)];
  const isOneTop = haveOneTop([read, changed]);
  const old = isOneTop ? withTop(read, changed.top) : read;
  const locales = new Set([...changed.versions.keys(), ...old.versions.keys()]);
  return [
    ...diffValues(["$id"], read.id, changed.id),
    ...(isOneTop ? diffValues(["$locale"], read.top || undefined, changed.top || undefined) : []),
    ...[...locales].flatMap((locale) =>
      diffVersions(localePath(changed.top, locale), old.versions.get(locale), changed.versions.get(locale)),
    ),
  ];
}

function diffVersions(
  path: ContentPath,
  before: LocaleVersion | undefined,
  after: LocaleVersion | undefined,
): Difference[] {
  if (!before || !after) return [difference(path, before && writeVersion(before), after && writeVersion(after))];
  const isTop = path.length === 0;
  const stated = (version: LocaleVersion): LocaleVersion => dropNulls(version, isTop);
  const draft = diffFields(path, stated(before).draft, stated(after).draft);
  const publishedPath = [...path, "$published"];
  if (!before.published || !after.published) {
    const [old, changed] = [before, after].map((version) => writeVersion(version).$published);
    return [...draft, ...diffValues(publishedPath, old, changed)];
  }
  const published = diffFields(publishedPath, stated(before).published!, stated(after).published!);
  const inDraft = (one: Difference): Difference => ({
    ...one,
    path: [...path, ...one.path.slice(publishedPath.length)],
  });
  const isShared = (one: Difference): boolean => draft.some((other) => equalValues(other, inDraft(one)));
  const shared = published.filter(isShared).map(inDraft);
  return [
    ...draft.map((one) =>
      shared.some((other) => equalValues(one, other)) ? { ...one, isPublished: true as const } : one,
    ),
    ...published.filter((one) => !isShared(one)),
  ];
}

/** Without nulls, except those of a locale that say that a value of the top level is not its own. */
function dropNulls({ draft, published = new Map() }: LocaleVersion, isTop: boolean): LocaleVersion {
  const keepIf = (fields: Fields, isKept: (key: string) => boolean): Fields =>
    new Map([...fields].filter(([key, value]) => value !== null || isKept(key)));
  return { draft: keepIf(draft, () => !isTop), published: keepIf(published, (key) => !isTop && !draft.has(key)) };
}

function diffFields(path: ContentPath, before: Fields, after: Fields): Difference[] {
  const keys = [...new Set([...after.keys(), ...before.keys()])].filter((key) => key !== "$updatedAt");
  return keys.flatMap((key) => diffValues([...path, key], before.get(key), after.get(key)));
}

const difference = (path: ContentPath, before: unknown, after: unknown): Difference => ({
  path,
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
});

function diffValues(path: ContentPath, before: unknown, after: unknown): Difference[] {
  if (equalValues(before, after)) return [];
  if (haveOneShape(before, after)) return diffFields(path, toFields(before as object), toFields(after as object));
  const one = difference(path, before, after);
  return [Array.isArray(before) && Array.isArray(after) ? { ...one, entries: diffEntries(before, after) } : one];
}

function diffEntries(listBefore: readonly unknown[], listAfter: readonly unknown[]): EntryDifferences {
  const pairing = pairEntries(listBefore, listAfter);
  const unpaired = (list: readonly unknown[], others: readonly number[]) =>
    list.flatMap((value, index) => (others[index]! < 0 ? [{ index, value }] : []));
  const to = (from: number): number => pairing.placesAfter[from]!;
  return {
    added: unpaired(listAfter, pairing.placesBefore),
    removed: unpaired(listBefore, pairing.placesAfter),
    moved: [...movedEntries(pairing)].map((from) => ({ from, to: to(from), value: listBefore[from] })),
    changed: listBefore.flatMap((value, from) => {
      const differences = to(from) < 0 ? [] : diffValues([], value, listAfter[to(from)]);
      return differences.length > 0 ? [{ from, to: to(from), differences }] : [];
    }),
  };
}
