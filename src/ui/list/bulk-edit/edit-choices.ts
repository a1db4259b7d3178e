/** Which attributes can be changed in many documents, and how. The server has the same rules. */
import type { FieldTypeName } from "../../edit/form/field-types.ts";
import { editableAttributes, isFixed } from "../../edit/form/values.ts";
import { type Attribute, type ContentType, findType } from "../../model.ts";

/** Values that belong to one document, or are too large to be replaced unseen. */
const EXCLUDED: ReadonlySet<string> = new Set<FieldTypeName>(["uid", "password", "component", "dynamiczone"]);

function canBeChanged(attribute: Attribute): boolean {
  const { type, unique, target, relation } = attribute;
  if (isFixed(attribute)) return false;
  if (type === "relation") return typeof target === "string" && !!findType(target) && !/^morph/.test(String(relation));
  return !EXCLUDED.has(type) && unique !== true;
}

export const changeableAttributes = ({ attributes }: ContentType): readonly (readonly [string, Attribute])[] =>
  editableAttributes(attributes).filter(([, attribute]) => canBeChanged(attribute));

const isLink = ({ type }: Attribute): boolean => type === "relation" || type === "media";

const isList = ({ type, relation, multiple }: Attribute): boolean =>
  type === "media" ? multiple === true : type === "relation" && /Many$/.test(String(relation));

/** A target of the relation has one link only. */
const isExclusive = (attribute: Attribute): boolean =>
  attribute.type === "relation" &&
  /^oneTo/.test(String(attribute.relation)) &&
  ("inversedBy" in attribute || "mappedBy" in attribute);

interface EditChoice {
  readonly label: string;
  /** The server's name for it. */
  readonly change: "set" | "add" | "remove";
  readonly needsValue: boolean;
  readonly isOffered: (attribute: Attribute) => boolean;
}

export const editChoices = {
  set: { label: "Set to", change: "set", needsValue: true, isOffered: (attribute) => !isExclusive(attribute) },
  add: {
    label: "Add",
    change: "add",
    needsValue: true,
    isOffered: (attribute) => isList(attribute) && !isExclusive(attribute),
  },
  remove: { label: "Remove", change: "remove", needsValue: true, isOffered: isList },
  empty: { label: "Leave it empty", change: "set", needsValue: false, isOffered: () => true },
} satisfies Record<string, EditChoice>;

export type EditChoiceName = keyof typeof editChoices;

export const choicesFor = (attribute: Attribute): readonly EditChoiceName[] =>
  (Object.keys(editChoices) as EditChoiceName[]).filter((name) => editChoices[name].isOffered(attribute));

/** The value without any content, as the server takes it. */
export const emptyValue = (attribute: Attribute): unknown => (isLink(attribute) ? [] : null);

export const isEmptyValue = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
