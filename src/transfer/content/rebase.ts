/** Carries changes from one state of a content file over to another. */

import type { ContentType } from "../../engine/schema/model.ts";
import { fileOfCells, listCells } from "./cells.ts";
import type { ContentFile } from "./content-file.ts";
import { diffFiles } from "./diff.ts";
import { equalValues, type Fields, type LocaleVersion, readVersions, writeVersions } from "./versions.ts";

/** Whether two files say the same. `$updatedAt` is not compared. */
export const sameFiles = (a: ContentFile, b: ContentFile): boolean => diffFiles(a, b).length === 0;

/** `target` with what is different in `to` from `from`. */
export function rebaseFile(target: ContentFile, from: ContentFile, to: ContentFile): ContentFile {
  const [before, after] = [listCells(from), listCells(to)];
  const cells = new Map(listCells(target));
  for (const path of before.keys()) if (!after.has(path)) cells.delete(path);
  for (const [path, cell] of after) if (!equalValues(before.get(path)?.value, cell.value)) cells.set(path, cell);
  return fileOfCells(cells);
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
  const versions = [...written.versions].map(([locale, version]) => {
    const isOwn = (key: string): boolean => locale === written.top || type.attributes.get(key)?.localized !== false;
    const [old, now] = states
      .map((state) => state.versions.get(locale))
      .map((state) => state && ownState(state, isOwn));
    const said = earlier.versions.get(locale);
    return [locale, said && old && equalValues(old, now) ? withTimes(version, said) : version] as const;
  });
  return writeVersions({ ...written, versions: new Map(versions) });
}

const TIMES: ReadonlySet<string> = new Set(["$updatedAt", "$publishedAt"]);

/** What is a locale's own, and when it was published. */
function ownState({ draft, published }: LocaleVersion, isOwn: (key: string) => boolean): unknown {
  const [drafted, shown] = [draft, published].map(
    (fields) => fields && [...fields].filter(([key]) => isOwn(key) && !TIMES.has(key)),
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
