/** Default configurations of forms and lists, and stored ones adapted to a changed type. */

import { fieldSizes } from "../../../engine/schema/field-sizes.ts";
import type { JsonObject } from "../../call.ts";
import { findMainField, isEditable, isListable, isSortable, type ShownType } from "./shown-type.ts";

export interface Cell {
  readonly name: string;
  readonly size: number;
}

export interface Metadata {
  readonly edit: JsonObject;
  readonly list: JsonObject;
}

export interface Configuration {
  readonly settings: JsonObject;
  readonly metadatas: Readonly<Record<string, Metadata>>;
  readonly layouts: { readonly list: readonly string[]; readonly edit: readonly (readonly Cell[])[] };
  /** Any value that a request has stored; it has no effect. */
  readonly options?: unknown;
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

function defaultSettings(type: ShownType): JsonObject {
  const mainField = findMainField(type);
  return { ...DEFAULT_SETTINGS, mainField, defaultSortBy: mainField, defaultSortOrder: "ASC" };
}

function defaultMetadata(type: ShownType, name: string, find: FindType): Metadata {
  const isSorted = isSortable(type, name);
  const list = { label: name, searchable: isSorted, sortable: isSorted };
  if (name === "id") return { edit: {}, list };
  if (name === "documentId") return { edit: {}, list: { label: name, searchable: true, sortable: true } };
  const target = find(type.attributes[name]!.targetModel);
  const edit = { label: name, description: "", placeholder: "", visible: isEditable(type, name), editable: true };
  return { edit: target ? { ...edit, mainField: findMainField(target) } : edit, list };
}

const defaultMetadatas = (type: ShownType, find: FindType): Record<string, Metadata> =>
  Object.fromEntries(Object.keys(type.attributes).map((name) => [name, defaultMetadata(type, name, find)]));

const defaultList = (type: ShownType): string[] =>
  Object.keys(type.attributes)
    .filter((name) => isListable(type, name) && name !== "documentId")
    .slice(0, LIST_LENGTH);

const findFieldSize = (type: ShownType, name: string): number =>
  fieldSizes[type.attributes[name]!.type]?.default ?? ROW_SIZE;

/** Appends fields to a layout, in rows of twelve columns. */
function withFields(layout: readonly (readonly Cell[])[], names: readonly string[], type: ShownType): Cell[][] {
  const rows = layout.map((row) => [...row]);
  if (names.length === 0) return rows;
  if (rows.length === 0) rows.push([]);
  for (const name of names) {
    const size = findFieldSize(type, name);
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

/** Whether `defaultSortBy` may have the value. Attributes that no form shows are allowed. */
export function isDefaultSort(type: ShownType, value: unknown): boolean {
  if (typeof value !== "string") return false;
  const name = value.split("[")[0]!;
  return ALWAYS_SORTABLE.has(name) || type.invisible.has(name) || isListable(type, name);
}

function adaptSettings(settings: JsonObject, type: ShownType): JsonObject {
  const defaultField = findMainField(type);
  const { mainField = defaultField, defaultSortBy = defaultField } = settings;
  return {
    ...settings,
    mainField: isSortable(type, String(mainField)) ? mainField : defaultField,
    defaultSortBy: isDefaultSort(type, defaultSortBy) ? defaultSortBy : defaultField,
  };
}

function adaptMetadatas(stored: Configuration["metadatas"], type: ShownType, find: FindType): Record<string, Metadata> {
  const defaults = defaultMetadatas(type, find);
  return Object.fromEntries(
    Object.entries(defaults).map(([name, metadata]) => {
      const storedMetadata = Object.hasOwn(stored, name) ? stored[name]! : undefined;
      if (!storedMetadata) return [name, metadata];
      const { mainField, ...edit } = storedMetadata.edit ?? {};
      const target = find(type.attributes[name]!.targetModel);
      const isValid = mainField === "id" || (target !== undefined && isListable(target, String(mainField)));
      const mainFieldOfTarget = target ? { mainField: isValid ? mainField : findMainField(target) } : {};
      const list = isSortable(type, name)
        ? storedMetadata.list
        : { ...storedMetadata.list, sortable: false, searchable: false };
      return [name, { edit: { ...metadata.edit, ...edit, ...mainFieldOfTarget }, list: { ...metadata.list, ...list } }];
    }),
  );
}

function adaptLayouts({ layouts, metadatas }: Configuration, type: ShownType): Configuration["layouts"] {
  const added = Object.keys(type.attributes).filter((name) => !Object.hasOwn(metadatas, name));
  const list = layouts.list.filter((name) => isListable(type, name));
  const missing = list.length < LIST_LENGTH ? added.filter((name) => isListable(type, name)) : [];
  const misfitNames: string[] = [];
  const rows = layouts.edit.flatMap((row) => {
    const validCells = row.filter(({ name, size }) => {
      if (!isEditable(type, name)) return false;
      const allowed = fieldSizes[type.attributes[name]!.type];
      const fits = allowed && !allowed.isResizable ? size === allowed.default : size <= ROW_SIZE;
      if (!fits) misfitNames.push(name);
      return fits;
    });
    return validCells.length > 0 ? [validCells] : [];
  });
  const edit = withFields(rows, [...misfitNames, ...added.filter((name) => isEditable(type, name))], type);
  const columns = [...new Set([...list, ...missing.slice(0, LIST_LENGTH - list.length)])];
  return {
    list: columns.length > 0 ? columns : defaultList(type),
    edit: edit.length > 0 ? edit : withFields([], editableNames(type), type),
  };
}

export const pickOptions = ({ options }: { readonly options?: unknown }): Pick<Configuration, "options"> =>
  options === undefined || options === null ? {} : { options };

/** A stored configuration without removed attributes, and with new ones. */
export const adaptToType = (stored: Configuration, type: ShownType, find: FindType): Configuration => ({
  settings: adaptSettings(stored.settings, type),
  metadatas: adaptMetadatas(stored.metadatas, type, find),
  layouts: adaptLayouts(stored, type),
  ...pickOptions(stored),
});
