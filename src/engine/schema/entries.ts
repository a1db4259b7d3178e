/** Attributes whose values are entries of components, and the component of each entry. */
import { toText } from "../../lib/coerce.ts";
import { isRecord, type Values } from "../../lib/is-record.ts";
import {
  type Attribute,
  type ComponentAttribute,
  findTarget,
  hasPolymorphicTargets,
  type Model,
  type Schema,
  type ZoneAttribute,
} from "./model.ts";

export type ComponentOrZoneAttribute = ComponentAttribute | ZoneAttribute;

export const holdsComponents = (attribute: Attribute | undefined): attribute is ComponentOrZoneAttribute =>
  attribute?.kind === "component" || attribute?.kind === "zone";

export const componentAttributes = ({ attributes }: Schema): ComponentOrZoneAttribute[] =>
  [...attributes.values()].filter(holdsComponents);

/** The uids of the components that entries may be of. */
export const componentUids = (attribute: ComponentOrZoneAttribute): readonly string[] =>
  attribute.kind === "zone" ? attribute.components : [attribute.component];

/** The uid of an entry's component; empty for what is not an entry of a zone. */
export const entryUid = (attribute: ComponentOrZoneAttribute, entry: unknown): string =>
  attribute.kind === "component" ? attribute.component : isRecord(entry) ? toText(entry.__component) : "";

/** The component of an entry; undefined for one that does not exist, and for what is not an entry. */
export const entrySchema = (model: Model, attribute: ComponentOrZoneAttribute, entry: unknown): Schema | undefined =>
  isRecord(entry) ? model.components.get(entryUid(attribute, entry)) : undefined;

/** The schema of an entry in the value of an attribute. Entries of zones and polymorphic relations contain its uid. */
export function findEntrySchema(model: Model, attribute: Attribute, entry: unknown): Schema | undefined {
  if (holdsComponents(attribute)) return entrySchema(model, attribute, entry);
  if (!hasPolymorphicTargets(attribute)) return findTarget(model, attribute);
  return isRecord(entry) ? model.types.get(toText(entry.__type)) : undefined;
}

/** A value with what `map` makes of its entries. What has no component stays. */
export function mapComponents(
  model: Model,
  attribute: ComponentOrZoneAttribute,
  value: unknown,
  map: (schema: Schema, entry: Values) => unknown,
): unknown {
  const mapOne = (entry: unknown): unknown => {
    const schema = entrySchema(model, attribute, entry);
    return schema ? map(schema, entry as Values) : entry;
  };
  return Array.isArray(value) ? value.map(mapOne) : mapOne(value);
}
