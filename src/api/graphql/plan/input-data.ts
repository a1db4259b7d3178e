/** Converts a mutation's input to the data of a document. */

import { isLinkable } from "../../../engine/documents/input-keys.ts";
import type { CanRead } from "../../../engine/query/tree.ts";
import { holdsComponents, mapComponents } from "../../../engine/schema/entries.ts";
import type { Attribute, Model, Schema } from "../../../engine/schema/model.ts";

type Data = Record<string, unknown>;

function inputValue(model: Model, attribute: Attribute, value: unknown, canRead: CanRead): unknown {
  if (!holdsComponents(attribute)) return value;
  return mapComponents(model, attribute, value, (part, entry) => inputData(model, part, entry, canRead));
}

/**
 * Unlike REST, silently drops relations to types that the caller may not find, and unknown keys, which are possible only in
 * dynamic zones. A null id is dropped as well.
 */
export function inputData(model: Model, schema: Schema, input: Data, canRead: CanRead): Data {
  const data: Data = {};
  for (const [key, value] of Object.entries(input)) {
    const attribute = schema.attributes.get(key);
    if (attribute) {
      if (isLinkable(schema, attribute, value, canRead)) data[key] = inputValue(model, attribute, value, canRead);
    } else if (key === "__component" || (key === "id" && value !== null)) data[key] = value;
  }
  return data;
}
