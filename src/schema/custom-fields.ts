/** Custom fields come from plugins that do not run here; what counts is the attribute type that each is declared with. */
import type { AttributeDefinition } from "../attributes/index.ts";

/** The fields of the plugins that Strapi documents itself; `customFields` in config/galley.json adds others. */
const knownFields: Readonly<Record<string, string>> = {
  "plugin::color-picker.color": "string",
};

/** The attribute type that a custom field stands for; undefined when nothing declares it. */
export function customFieldType(
  definition: AttributeDefinition,
  declared: Readonly<Record<string, string>>,
): string | undefined {
  const uid = String(definition.customField);
  return Object.hasOwn(declared, uid) ? declared[uid] : knownFields[uid];
}
