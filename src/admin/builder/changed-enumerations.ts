/** Enumerations that a change of the schema makes, or from which it removes values. */
import type { Attribute, Component, ContentType, Model } from "../../engine/schema/model.ts";
import type { ChangedEnumerations } from "../../engine/storage/change-effects.ts";
import type { AttributeRename } from "./schema-edit.ts";

/** The values of an enumeration; undefined for other attributes. */
function listValues(attribute: Attribute | undefined): readonly unknown[] | undefined {
  if (attribute?.kind !== "scalar" || attribute.type.name !== "enumeration") return undefined;
  return attribute.definition.enum as readonly unknown[];
}

const listSchemas = ({ types, components }: Model): readonly (ContentType | Component)[] => [
  ...types.values(),
  ...components.values(),
];

export function changedEnumerations(
  before: Model,
  after: Model,
  renames: readonly AttributeRename[],
): ChangedEnumerations {
  const changed = new Map<string, ReadonlyMap<string, ReadonlySet<unknown>>>();
  for (const { uid, attributes } of listSchemas(after)) {
    const old = (before.types.get(uid) ?? before.components.get(uid))?.attributes;
    const columns = new Map<string, ReadonlySet<unknown>>();
    for (const attribute of attributes.values()) {
      const allowed = listValues(attribute);
      if (!allowed || attribute.kind !== "scalar") continue;
      const earlier = renames.find((rename) => rename.uid === uid && rename.to === attribute.name)?.from;
      const known = listValues(old?.get(earlier ?? attribute.name));
      if (!known?.every((value) => allowed.includes(value))) columns.set(attribute.column, new Set(allowed));
    }
    if (columns.size > 0) changed.set(uid, columns);
  }
  return changed;
}
