/** The user's changes of a form, as they are stored until they are saved. */
import { type Attribute, findComponent } from "../../model.ts";
import { type FieldTypeName, findFieldType } from "./field-types.ts";
import { type EntryValue, editableAttributes, type RelationValue, toEntries, type Values } from "./values.ts";

type Attributes = Readonly<Record<string, Attribute>>;

const findAttributes = ({ component }: EntryValue): Attributes => findComponent(component)?.attributes ?? {};

function haveEntriesChanged(value: unknown, saved: unknown): boolean {
  const [own, others] = [toEntries(value), toEntries(saved)];
  return (
    own.length !== others.length ||
    own.some((entry, index) => {
      const other = others[index]!;
      if (entry.component !== other.component || entry.id !== other.id) return true;
      return changedNames(findAttributes(entry), entry.values, other.values).length > 0;
    })
  );
}

/** By type of field; values of other types are compared as JSON. */
const comparators: Readonly<Partial<Record<FieldTypeName, (value: unknown, saved: unknown) => boolean>>> = {
  // its items are loaded when it is shown
  relation: (value) => {
    const { placed, removed } = value as RelationValue;
    return placed.length + removed.length > 0;
  },
  component: haveEntriesChanged,
  dynamiczone: haveEntriesChanged,
};

/** Most of a long value is what it was, as the same text or the same objects. */
function isDifferent(value: unknown, saved: unknown): boolean {
  if (value === saved) return false;
  if (Array.isArray(value) && Array.isArray(saved))
    return value.length !== saved.length || value.some((item, index) => isDifferent(item, saved[index]));
  return typeof value !== "object" || typeof saved !== "object" || JSON.stringify(value) !== JSON.stringify(saved);
}

/** The names of attributes that differ from the saved version. */
export function changedNames(attributes: Attributes, values: Values, saved: Values): readonly string[] {
  return editableAttributes(attributes)
    .filter(([name, attribute]) =>
      (comparators[findFieldType(attribute)] ?? isDifferent)(values[name] ?? null, saved[name] ?? null),
    )
    .map(([name]) => name);
}

const entryWithoutPasswords = (entry: EntryValue): EntryValue => ({
  ...entry,
  values: withoutPasswords(findAttributes(entry), entry.values),
});

function withoutPasswords(attributes: Attributes, values: Values): Values {
  const kept = Object.entries(values).filter(([name]) => attributes[name]?.type !== "password");
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const type = attributes[name] && findFieldType(attributes[name]);
      if (value === null || (type !== "component" && type !== "dynamiczone")) return [name, value];
      return [
        name,
        Array.isArray(value) ? value.map(entryWithoutPasswords) : entryWithoutPasswords(value as EntryValue),
      ];
    }),
  );
}

/**
 * The attributes that differ from the saved version, so that others are up to date when these are restored. Without
 * passwords, which the browser would store as plain text.
 */
export function changedValues(attributes: Attributes, values: Values, saved: Values): Values {
  const names = changedNames(attributes, values, saved);
  return withoutPasswords(attributes, Object.fromEntries(names.map((name) => [name, values[name]])));
}
