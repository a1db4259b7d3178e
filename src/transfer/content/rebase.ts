/** Carries changes from one state of a content file over to another. */

import type { ContentType } from "../../engine/schema/model.ts";
import { type Cell, type Cells, fileOfCells, listCells } from "./cells.ts";
import type { ContentFile } from "./content-file.ts";
import { diffFiles } from "./diff.ts";
import { formatPath } from "./paths.ts";
import {
  equalValues,
  type Fields,
  haveOneTop,
  isAttribute,
  type LocaleVersion,
  readVersions,
  writeVersions,
} from "./versions.ts";

/** Whether two files say the same. `$updatedAt` is not compared. */
export const sameFiles = (a: ContentFile, b: ContentFile): boolean =>
  diffFiles(a, b).length === 0 && equalValues(nullsOf(a), nullsOf(b));

/** No difference for people: what is null is without a value, and what is left out may have a default. */
const nullsOf = (file: ContentFile): string[] =>
  Object.keys(file)
    .filter((key) => file[key] === null)
    .sort();

/** `target` with what is different in `to` from `from`. */
export function rebaseFile(target: ContentFile, from: ContentFile, to: ContentFile): ContentFile {
  const isOneTop = haveOneTop([target, from, to].map(readVersions));
  const [before, after] = [listCells(from, isOneTop), listCells(to, isOneTop)];
  const cells = new Map(listCells(target, isOneTop));
  for (const path of before.keys()) if (!after.has(path)) cells.delete(path);
  for (const [path, cell] of after) if (!equalValues(before.get(path)?.value, cell.value)) cells.set(path, cell);
  completeVersions(cells, before, after);
  return fileOfCells(cells);
}

/**
 * The draft and the published version of what has changed in one of them: a target that leaves out what it has by default, in both,
 * states it where they differ now.
 */
function completeVersions(cells: Map<string, Cell>, before: Cells, after: Cells): void {
  for (const { path } of new Map([...after, ...cells]).values()) {
    const key = path.at(-1)!;
    const version = [...path.slice(0, -1), "$published"];
    if (!isAttribute(key) || path.includes("$published") || !after.has(formatPath(version))) continue;
    const paths = [path, [...version, key]].map((path) => ({ path, at: formatPath(path) }));
    const [old, now] = [before, after].map((all) => paths.map(({ at }) => all.get(at)?.value));
    if (before.has(formatPath(version)) && equalValues(old, now)) continue;
    const draft = cells.get(paths[0]!.at);
    const isDraft = equalValues(now![0], now![1]);
    for (const [index, { path, at }] of paths.entries()) {
      const value = isDraft ? draft?.value : now![index];
      if (value === undefined) cells.delete(at);
      else if (isDraft || !cells.has(at)) cells.set(at, { path, value });
    }
  }
}

/** A document in the database and in its file. */
interface Sides {
  readonly stored: ContentFile;
  readonly file: ContentFile;
}

/**
 * The file with the earlier times of locales of which nothing of their own has changed in the database: what all locales share would be a
 * change of each. In their published versions it may change later than in their drafts, or not at all.
 */
export function keepIdleTimes(type: ContentType, before: Sides, after: Sides): ContentFile {
  const [earlier, written] = [readVersions(before.file), readVersions(after.file)];
  const states = [before.stored, after.stored].map((file) => readVersions(file));
  const isChanged = (locale: string, isCompared: (key: string) => boolean): boolean => {
    // the locale at the top may be named
    const of = states.map(({ top, versions }) => versions.get(locale === written.top ? top : locale));
    const [old, now] = of.map((version) => ownState(version, isCompared));
    return !equalValues(old, now);
  };
  const isOwn = (key: string): boolean => type.attributes.get(key)?.localized !== false;
  const changed = new Set([...written.versions.keys()].filter((locale) => isChanged(locale, isOwn)));
  // what is shared stands at the top
  if (changed.size === 0 && isChanged(written.top, () => true)) changed.add(written.top);
  const versions = [...written.versions].map(([locale, version]) => {
    const said = changed.has(locale) ? undefined : earlier.versions.get(locale);
    return [locale, said ? withTimes(version, said) : version] as const;
  });
  return writeVersions({ ...written, versions: new Map(versions) });
}

const TIMES: ReadonlySet<string> = new Set(["$updatedAt", "$publishedAt"]);

/** What is compared of a locale, and when it was published. */
function ownState(version: LocaleVersion | undefined, isCompared: (key: string) => boolean): unknown {
  if (!version) return undefined;
  const { draft, published } = version;
  const [drafted, shown] = [draft, published].map(
    (fields) => fields && [...fields].filter(([key]) => isCompared(key) && !TIMES.has(key)),
  );
  const times = [draft.get("$publishedAt"), published?.get("$updatedAt"), draft.get("$updatedAt")];
  const publishedAt = [...times, draft.get("$createdAt")].find((time) => time !== undefined);
  return { drafted: Object.fromEntries(drafted!), shown: shown && { ...Object.fromEntries(shown), publishedAt } };
}

function withTimes({ draft, published }: LocaleVersion, other: LocaleVersion): LocaleVersion {
  const replaced = (fields: Fields, from: Fields | undefined): Fields =>
    new Map([
      ...[...fields].filter(([key]) => !TIMES.has(key)),
      ...[...(from ?? [])].filter(([key]) => TIMES.has(key)),
    ]);
  return { draft: replaced(draft, other.draft), ...(published && { published: replaced(published, other.published) }) };
}
