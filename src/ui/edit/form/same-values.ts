/** Compares two versions of a document by attribute, ignoring the ids of entries, which differ between versions. */
import { type Attribute, findComponent } from "../../model.ts";
import {
  type EntryValue,
  editableAttributes,
  type FileValue,
  type RelationValue,
  toEntries,
  type Values,
} from "./values.ts";

/** `isCounted`: whether numbers of links are compared. */
type IsSame = (left: never, right: never, isCounted: boolean) => boolean;

const asText = (value: unknown): string => JSON.stringify(value ?? null);

function isSameEntry(left: EntryValue, right: EntryValue, isCounted: boolean): boolean {
  if (left.component !== right.component) return false;
  const component = findComponent(left.component);
  if (!component) return asText(left.values) === asText(right.values);
  return differing(component.attributes, left.values, right.values, isCounted).length === 0;
}

function areSameEntries(left: unknown, right: unknown, isCounted: boolean): boolean {
  const [own, other] = [toEntries(left), toEntries(right)];
  return own.length === other.length && own.every((entry, index) => isSameEntry(entry, other[index]!, isCounted));
}

const formatIds = ({ items }: RelationValue): string => asText(items?.map(({ documentId }) => documentId));

/** By attribute type; values of other types are compared as JSON. */
const comparators: Readonly<Record<string, IsSame>> = {
  // without loaded items only their number is known
  relation: (left: RelationValue, right: RelationValue, isCounted) =>
    left.items && right.items ? formatIds(left) === formatIds(right) : !isCounted || left.count === right.count,
  media: (left: readonly FileValue[], right: readonly FileValue[]) =>
    asText(left.map(({ id }) => id)) === asText(right.map(({ id }) => id)),
  component: areSameEntries as IsSame,
  dynamiczone: areSameEntries as IsSame,
};

/** The names of attributes whose values differ. */
export const differing = (
  attributes: Readonly<Record<string, Attribute>>,
  left: Values,
  right: Values,
  isCounted = true,
): readonly string[] =>
  editableAttributes(attributes)
    .filter(([name, { type }]) => {
      const isSame = comparators[type] as ((own: unknown, other: unknown, isCounted: boolean) => boolean) | undefined;
      return isSame ? !isSame(left[name], right[name], isCounted) : asText(left[name]) !== asText(right[name]);
    })
    .map(([name]) => name);
