/** Carries changes from one state of a content file over to another. */
import { fileOfCells, listCells } from "./cells.ts";
import type { ContentFile } from "./content-file.ts";
import { diffFiles } from "./diff.ts";
import { equalValues, equalVersions, readVersions, writeVersions } from "./versions.ts";

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

/** Without changes of `$updatedAt` in locales where nothing else changed: what all locales share would be a change of each. */
export function keepIdleTimes(file: ContentFile, before: ContentFile): ContentFile {
  const [read, earlier] = [readVersions(file), readVersions(before)];
  const versions = [...read.versions].map(([locale, version]) => {
    const old = earlier.versions.get(locale);
    return [locale, old && equalVersions(version, old) ? old : version] as const;
  });
  return writeVersions({ ...read, versions: new Map(versions) });
}
