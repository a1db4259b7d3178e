/** Finds data that a write would leave out: agents learn of mistakes from errors only. */
import { checkInput } from "../../../engine/documents/input-keys.ts";
import { joinPath } from "../../../engine/query/tree.ts";
import { holdsComponents, mapComponents } from "../../../engine/schema/entries.ts";
import type { Attribute, ContentType, Model, Schema } from "../../../engine/schema/model.ts";
import { ApiError } from "../../../lib/errors.ts";

type Values = Readonly<Record<string, unknown>>;

/** As in Strapi, a value that its type cannot read is stored as null where null is allowed. */
const isReadAsNull = (attribute: Attribute, value: unknown): boolean =>
  attribute.kind === "scalar" && value !== "" && attribute.type.cast?.(value) === null;

function findUnreadable(model: Model, schema: Schema, data: Values, path: string | null): string[] {
  const problems: string[] = [];
  for (const [key, value] of Object.entries(data)) {
    const attribute = schema.attributes.get(key);
    if (!attribute || value === null || value === undefined) continue;
    const here = joinPath(path, key);
    if (isReadAsNull(attribute, value))
      problems.push(`${here}: must be a value of the type ${attribute.definition.type}`);
    if (holdsComponents(attribute))
      mapComponents(model, attribute, value, (component, entry) =>
        problems.push(...findUnreadable(model, component, entry, here)),
      );
  }
  return problems;
}

/** Problems of the data of a document: keys that are unknown or not set by clients, and values that would be stored as null. */
export function findLeftOut(model: Model, type: ContentType, data: Values): readonly string[] {
  const reserved = Object.keys(data).filter((key) => type.attributes.get(key)?.system);
  if (reserved.length > 0) return [`${reserved.join(", ")} is not set with data: locale and publish are arguments`];
  try {
    checkInput(model, type, { data }, () => true);
  } catch (error) {
    if (error instanceof ApiError) return [error.message];
    throw error;
  }
  return findUnreadable(model, type, data, null);
}
