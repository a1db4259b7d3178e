/** Default configurations of forms and lists, and stored ones adapted to a changed type. */
import { fieldSizes } from "../field-sizes.ts";
import { isEditable, isListable, isSortable, type Json, mainFieldOf, type ShownType } from "./shown-type.ts";

export interface Cell {
  readonly name: string;
  readonly size: number;
}

export interface Metadata {
  readonly edit: Json;
  readonly list: Json;
}

export interface Configuration {
  readonly settings: Json;
  readonly metadatas: Readonly<Record<string, Metadata>>;
  readonly layouts: { readonly list: readonly string[]; readonly edit: readonly (readonly Cell[])[] };
}

export type FindType = (uid: string | undefined) => ShownType | undefined;

const LIST_LENGTH = 4;
/** The columns of a form. */
const ROW_SIZE = 12;

const DEFAULT_SETTINGS = {
  bulkable: true,
  filterable: true,
  searchable: true,
  pageSize: 10,
  relationOpenMode: "modal",
};

function defaultSettings(type: ShownType): Json {
  const mainField = mainFieldOf(type);
  return { ...DEFAULT_SETTINGS, mainField, defaultSortBy: mainField, defaultSortOrder: "ASC" };
}

function defaultMetadata(type: ShownType, name: string, find: FindType): Metadata {
  const isSorted = isSortable(type, name);
  const list = { label: name, searchable: isSorted, sortable: isSorted };
  if (name === "id") return { edit: {}, list };
  if (name === "documentId") return { edit: {}, list: { label: name, searchable: true, sortable: true } };
  const target = find(type.attributes[name]!.targetModel);
  const edit = { label: name, description: "", placeholder: "", visible: isEditable(type, name), editable: true };
  return { edit: target ? { ...edit, mainField: mainFieldOf(target) } : edit, list };
}

const defaultMetadatas = (type: ShownType, find: FindType): Record<string, Metadata> =>
  Object.fromEntries(Object.keys(type.attributes).map((name) => [name, defaultMetadata(type, name, find)]));

const defaultList = (type: ShownType): string[] =>
  Object.keys(type.attributes)
    .filter((name) => isListable(type, name) && name !== "documentId")
    .slice(0, LIST_LENGTH);

const sizeOf = (type: ShownType, name: string): number => fieldSizes[type.attributes[name]!.type]?.default ?? ROW_SIZE;

/** Appends fields to a layout, in rows of twelve columns. */
function withFields(layout: readonly (readonly Cell[])[], names: readonly string[], type: ShownType): Cell[][] {
  const rows = layout.map((row) => [...row]);
  if (names.length === 0) return rows;
  if (rows.length === 0) rows.push([]);
  for (const name of names) {
    const size = sizeOf(type, name);
    const row = rows.at(-1)!;
    const used = row.reduce((sum, cell) => sum + cell.size, 0);
    if (used + size > ROW_SIZE) rows.push([{ name, size }]);
    else row.push({ name, size });
  }
  return rows;
}

const editableNames = (type: ShownType): string[] =>
  Object.keys(type.attributes).filter((name) => isEditable(type, name));

export const defaultConfiguration = (type: ShownType, find: FindType): Configuration => ({
  settings: defaultSettings(type),
  metadatas: defaultMetadatas(type, find),
  layouts: { list: defaultList(type), edit: withFields([], editableNames(type), type) },
});

const ALWAYS_SORTABLE = new Set(["documentId", "createdBy", "updatedBy"]);

/** Attributes that the type may be sorted by, in `defaultSortBy`, with those that no form shows. */
export function isDefaultSort(type: ShownType, value: unknown): boolean {
  if (typeof value !== "string") return false;
  const name = value.split("[")[0]!;
  return ALWAYS_SORTABLE.has(name) || type.invisible.has(name) || isListable(type, name);
}

function settledSettings(settings: Json, type: ShownType): Json {
  const byDefault = mainFieldOf(type);
  const { mainField = byDefault, defaultSortBy = byDefault } = settings;
  return {
    ...settings,
    mainField: isSortable(type, String(mainField)) ? mainField : byDefault,
    defaultSortBy: isDefaultSort(type, defaultSortBy) ? defaultSortBy : byDefault,
  };
}

function settledMetadatas(
  stored: Configuration["metadatas"],
  type: ShownType,
  find: FindType,
): Record<string, Metadata> {
  const byDefault = defaultMetadatas(type, find);
  return Object.fromEntries(
    Object.entries(byDefault).map(([name, metadata]) => {
      const own = Object.hasOwn(stored, name) ? stored[name]! : undefined;
      if (!own) return [name, metadata];
      const { mainField, ...edit } = own.edit ?? {};
      const target = find(type.attributes[name]!.targetModel);
      const isThere = mainField === "id" || (target !== undefined && isListable(target, String(mainField)));
      const named = target ? { mainField: isThere ? mainField : mainFieldOf(target) } : {};
      const list = isSortable(type, name) ? own.list : { ...own.list, sortable: false, searchable: false };
      return [name, { edit: { ...metadata.edit, ...edit, ...named }, list: { ...metadata.list, ...list } }];
    }),
  );
}

function settledLayouts({ layouts, metadatas }: Configuration, type: ShownType): Configuration["layouts"] {
  const added = Object.keys(type.attributes).filter((name) => !Object.hasOwn(metadatas, name));
  const list = layouts.list.filter((name) => isListable(type, name));
  const missing = list.length < LIST_LENGTH ? added.filter((name) => isListable(type, name)) : [];
  const misfits: string[] = [];
  const rows = layouts.edit.flatMap((row) => {
    const kept = row.filter(({ name, size }) => {
      if (!isEditable(type, name)) return false;
      const allowed = fieldSizes[type.attributes[name]!.type];
      const fits = allowed && !allowed.isResizable ? size === allowed.default : size <= ROW_SIZE;
      if (!fits) misfits.push(name);
      return fits;
    });
    return kept.length > 0 ? [kept] : [];
  });
  const edit = withFields(rows, [...misfits, ...added.filter((name) => isEditable(type, name))], type);
  const columns = [...new Set([...list, ...missing.slice(0, LIST_LENGTH - list.length)])];
  return {
    list: columns.length > 0 ? columns : defaultList(type),
    edit: edit.length > 0 ? edit : withFields([], editableNames(type), type),
  };
}

/** A stored configuration without removed attributes, and with new ones. */
export const settle = (stored: Configuration, type: ShownType, find: FindType): Configuration => ({
  settings: settledSettings(stored.settings, type),
  metadatas: settledMetadatas(stored.metadatas, type, find),
  layouts: settledLayouts(stored, type),
});
