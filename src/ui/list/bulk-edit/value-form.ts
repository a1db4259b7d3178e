/** The form of one attribute's new value, with the field that documents have for it. */
import { placeProblems, textProblems } from "../../edit/form/problems.ts";
import { collectValues, createGroup, type Group } from "../../edit/form/tree.ts";
import { type FileValue, newValues, type RelationValue, type Values, writeValues } from "../../edit/form/values.ts";
import type { Attribute } from "../../model.ts";

/** `changed` is called after each change by the user. */
export function createValueForm(name: string, attribute: Attribute, changed: () => void): Group {
  // a default of the type is not meant for these documents
  const { default: _, ...own } = attribute;
  return createGroup({ [name]: own }, newValues({ [name]: own }), changed);
}

/** From the form's value to that of a bulk edit, whose links are lists. */
const writers: Readonly<Record<string, (values: Values, name: string) => unknown>> = {
  relation: (values, name) =>
    ((values[name] as RelationValue).items ?? []).map(({ documentId, locale }) => ({
      documentId,
      ...(locale ? { locale } : {}),
    })),
  media: (values, name) => (values[name] as readonly FileValue[]).map(({ id }) => id),
};

/** The value for the server; undefined if it is invalid, which its field shows. */
export async function readValueForm(group: Group): Promise<{ readonly value: unknown } | undefined> {
  const [node] = group.nodes.values();
  if (!node) return undefined;
  const invalid = await textProblems(group);
  placeProblems(group, invalid);
  if (invalid.length > 0) return undefined;
  const { name, attribute } = node;
  const values = collectValues(group);
  const write = writers[attribute.type];
  return { value: write ? write(values, name) : writeValues({ [name]: attribute }, values)[name] };
}
