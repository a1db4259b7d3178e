/**
 * A content file as a flat map of cells, each of which is one fact of the database:
 *
 * | path                                        | value                                                    |
 * |---------------------------------------------|----------------------------------------------------------|
 * | `$id`, `$locale`                            | as in the file                                           |
 * | `title`, `$createdAt`                       | of the draft                                             |
 * | `$published`                                | true, if there is a published version                    |
 * | `$published.title`                          | of the published version, also where the draft's is equal; null: no value |
 * | `$locales.de`                               | true, if there is this locale                            |
 * | `$locales.de.title`, `$locales.de.$published.title` | as above                                         |
 *
 * Cells are in the order of the file's keys.
 */
import type { ContentFile } from "./content-file.ts";
import { formatPath } from "./paths.ts";
import { localePath, readVersions, writeVersions } from "./versions.ts";

export interface Cell {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** By the formatted path. */
export type Cells = ReadonlyMap<string, Cell>;

/**
 * `isOneTop`: as `haveOneTop`; otherwise the locale at the top stands below `$locales`, too, to be compared with files that have another
 * one there.
 */
export function listCells(file: ContentFile, isOneTop = true): Cells {
  const cells = new Map<string, Cell>();
  const add = (value: unknown, ...path: readonly string[]): unknown => cells.set(formatPath(path), { path, value });
  const { id, top, versions } = readVersions(file);
  if (id !== undefined) add(id, "$id");
  if (top !== "") add(top, "$locale");
  for (const [locale, { draft, published }] of versions) {
    const prefix = isOneTop ? localePath(top, locale) : ["$locales", locale];
    if (prefix.length > 0) add(true, ...prefix);
    for (const [key, value] of draft) add(value, ...prefix, key);
    if (!published) continue;
    add(true, ...prefix, "$published");
    for (const [key, value] of published) add(value, ...prefix, "$published", key);
  }
  return cells;
}

/** The inverse. Cells of a published version or a locale that is not there are left out. */
export function fileOfCells(cells: Cells): ContentFile {
  const top = (cells.get("$locale")?.value as string | undefined) ?? "";
  const id = cells.get("$id")?.value as string | undefined;
  const found = new Map<string, { draft: Map<string, unknown>; published?: Map<string, unknown> }>();
  const exists = (...path: readonly string[]): boolean => cells.get(formatPath(path))?.value === true;
  const addVersion = (locale: string, prefix: readonly string[]): unknown =>
    found.set(locale, { draft: new Map(), ...(exists(...prefix, "$published") && { published: new Map() }) });
  addVersion(top, []);
  for (const { path, value } of cells.values()) {
    if (path[0] === "$locales" && path.length === 2 && value === true) addVersion(path[1]!, path);
  }
  for (const { path, value } of cells.values()) {
    const isNested = path[0] === "$locales";
    const version = found.get(isNested ? path[1]! : top);
    const [key, published] = isNested ? path.slice(2) : path;
    if (key === undefined || key === "$id" || key === "$locale") continue;
    if (key !== "$published") version?.draft.set(key, value);
    else if (published !== undefined) version?.published?.set(published, value);
  }
  return writeVersions({ id, top, versions: found });
}
