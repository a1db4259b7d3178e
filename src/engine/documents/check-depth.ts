/** The nesting depth of checks for a value, by which Strapi orders its problems. */
import { isRecord } from "../../lib/is-record.ts";
import type { Attribute, ComponentAttribute, Model, ZoneAttribute } from "../schema/model.ts";

/** Only components and lists of them are nested. */
export function checkDepth(model: Model, attribute: Attribute, value: unknown): number {
  if (attribute.kind !== "component" && attribute.kind !== "zone") return 0;
  if (!attribute.many) return entryDepth(model, attribute, value);
  if (!Array.isArray(value)) return 0;
  return 1 + value.reduce((deepest: number, item) => Math.max(deepest, entryDepth(model, attribute, item)), 0);
}

/** The depth of one component, alone or in a list. */
export function entryDepth(model: Model, attribute: ComponentAttribute | ZoneAttribute, entry: unknown): number {
  if (!isRecord(entry)) return 0;
  const uid = attribute.kind === "zone" ? entry.__component : attribute.component;
  const schema = typeof uid === "string" ? model.components.get(uid) : undefined;
  // an unknown component is refused before the rest of the entry is checked
  if (uid !== undefined && !schema) return 0.5;
  const depths = [...(schema?.attributes.values() ?? [])].map((inner) => checkDepth(model, inner, entry[inner.name]));
  return 1 + Math.max(0, ...depths);
}
