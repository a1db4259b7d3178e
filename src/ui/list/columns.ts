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

export const canBeColumn = ({ type }: { readonly type: string }): boolean => !UNLISTED.has(type);

/** The name of a document first, then what is short, then when it was changed. */
export function defaultColumns({ attributes, mainField }: ListedType): string[] {
  const own = Object.entries(attributes)
    .filter(([name, attribute]) => !SYSTEM_ATTRIBUTES.has(name) && name !== mainField && canBeColumn(attribute))
    .map(([name]) => name);
  return [mainField, ...own.slice(0, MAX_COLUMNS - 2), "updatedAt"];
}

/** `names`: comma-separated. Those of removed attributes are left out, since links outlive them. */
export function listColumns(type: ListedType, names: string | null | undefined): readonly string[] {
  const columns = names?.split(",").filter((name) => Object.hasOwn(type.attributes, name)) ?? [];
  return columns.length > 0 ? columns : defaultColumns(type);
}
