/** Parses the query string of the media library, and builds the parameters of its requests. */

export const kinds = {
  images: "Images",
  videos: "Videos",
  audios: "Audio",
  others: "Other files",
} as const;

export type FileKind = keyof typeof kinds;

export const sorts = {
  "createdAt:DESC": "Newest first",
  "createdAt:ASC": "Oldest first",
  "name:ASC": "Name, A to Z",
  "name:DESC": "Name, Z to A",
  "updatedAt:DESC": "Recently updated",
} as const;

export type FileSort = keyof typeof sorts;

const DEFAULT_SORT: FileSort = "createdAt:DESC";
export const PAGE_SIZE = 48;

export interface LibraryQuery {
  /** Undefined: the root. */
  readonly folder: number | undefined;
  readonly search: string;
  readonly kind: FileKind | undefined;
  readonly sort: FileSort;
  /** From 1. */
  readonly page: number;
  /** Only files that nothing uses, from all folders. */
  readonly isUnused: boolean;
  /** The one whose details are open. */
  readonly file: number | undefined;
}

const wholeNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;

const oneOf = <Name extends string>(table: Readonly<Record<Name, string>>, text: string | null): Name | undefined =>
  text !== null && Object.hasOwn(table, text) ? (text as Name) : undefined;

export const readLibraryQuery = (search: URLSearchParams): LibraryQuery => ({
  folder: wholeNumber(search.get("folder")),
  search: search.get("q") ?? "",
  kind: oneOf(kinds, search.get("kind")),
  sort: oneOf(sorts, search.get("sort")) ?? DEFAULT_SORT,
  page: wholeNumber(search.get("page")) ?? 1,
  isUnused: search.get("show") === "unused",
  file: wholeNumber(search.get("file")),
});

const begins = (prefix: string): object => ({ mime: { $startsWith: prefix } });

const kindFilters: Readonly<Record<FileKind, object>> = {
  images: begins("image/"),
  videos: begins("video/"),
  audios: begins("audio/"),
  others: { $not: { $or: ["image/", "video/", "audio/"].map(begins) } },
};

/** A search looks into the folders below, too. `path`: that of the folder. */
function folderFilter(search: string, path: string): object | undefined {
  if (search === "") return { folderPath: { $eq: path } };
  if (path === "/") return undefined;
  return { $or: [{ folderPath: { $eq: path } }, { folderPath: { $startsWith: `${path}/` } }] };
}

/** The parameters of `/upload/files`, or of `/files/unused`. */
export function fileParams({ search, kind, sort, page, isUnused }: LibraryQuery, path: string): object {
  const paging = { page, pageSize: PAGE_SIZE, _q: search || undefined };
  if (isUnused) return paging;
  const filters = [folderFilter(search, path), kind && kindFilters[kind]].filter((filter) => filter !== undefined);
  return { ...paging, sort, filters: filters.length > 0 ? { $and: filters } : undefined };
}

/** The parameters of `/upload/folders`: those in a folder, or found below it. */
export function folderParams({ folder, search }: LibraryQuery, path: string): object {
  const location =
    search === ""
      ? { parent: folder === undefined ? { id: { $null: true } } : { id: { $eq: folder } } }
      : path === "/"
        ? undefined
        : { path: { $startsWith: `${path}/` } };
  return {
    sort: "name:ASC",
    _q: search || undefined,
    filters: location && { $and: [location] },
    pageSize: 500,
    page: 1,
  };
}
