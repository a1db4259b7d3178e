/** The columns of a list, and its statuses. The server uses this file as well: it reads the rows of a list by the list's URL. */
import { SYSTEM_ATTRIBUTES } from "../system-attributes.ts";

/** The part of a type that its columns depend on. */
export interface ListedType {
  readonly attributes: Readonly<Record<string, { readonly type: string }>>;
  readonly mainField: string;
}

/** The publication status of a document. */
export const statuses = {
  draft: "Draft",
  "published-modified": "Modified",
  "published-unmodified": "Published",
} as const;

export type StatusFilter = keyof typeof statuses;

export const isStatus = (value: unknown): value is StatusFilter =>
  typeof value === "string" && Object.hasOwn(statuses, value);

const MAX_COLUMNS = 5;
/** Types that are too long or not readable in a list. */
const UNLISTED = new Set(["json", "blocks", "richtext", "password", "component", "dynamiczone"]);

/** What was changed last comes first. */
export const DEFAULT_SORT = "updatedAt:desc";

/** The attribute whose file is shown beside the name of a document. */
export const thumbnailName = ({ attributes }: Pick<ListedType, "attributes">): string | undefined =>
  Object.keys(attributes).find((name) => attributes[name]?.type === "media");

export const canBeColumn = ({ type }: { readonly type: string }): boolean => !UNLISTED.has(type);

/** What says little of a document in a few words. */
const UNTOLD = new Set(["uid", "text"]);

/** The name of a document first, then what is short, then when it was changed. */
export function defaultColumns({ attributes, mainField }: ListedType): string[] {
  const withName = new Set([mainField, thumbnailName({ attributes })]);
  const own = Object.entries(attributes)
    .filter(([name]) => !SYSTEM_ATTRIBUTES.has(name) && !withName.has(name))
    .filter(([, attribute]) => canBeColumn(attribute) && !UNTOLD.has(attribute.type))
    .map(([name]) => name);
  return [mainField, ...own.slice(0, MAX_COLUMNS - 2), "updatedAt"];
}

/** `names`: comma-separated. Those of removed attributes are left out, since links outlive them. */
export function listColumns(type: ListedType, names: string | null | undefined): readonly string[] {
  const columns = names?.split(",").filter((name) => Object.hasOwn(type.attributes, name)) ?? [];
  return columns.length > 0 ? columns : defaultColumns(type);
}
