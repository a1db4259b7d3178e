/** The `fields` parameter: which scalar attributes are returned. Ids always are. */
import { validationError } from "../../lib/errors.ts";
import type { ScalarAttribute, Schema } from "../schema/model.ts";
import { KeyCheck } from "./key-check.ts";
import type { SortKey } from "./tree.ts";

/** An entry without a value, `fields[]`, is not an error. */
const withoutEmpty = (fields: unknown): unknown =>
  Array.isArray(fields) ? fields.filter((name) => name !== null && name !== undefined) : fields;

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

function names(fields: unknown): string[] {
  const list = typeof fields === "string" ? fields.split(",") : isStrings(fields) ? fields : [];
  return list.map((name) => name.trim());
}

/** Throws "Invalid key" for the first name that is not a public scalar attribute. */
export function checkFields(schema: Schema, parameter: unknown, readsSecrets = false): void {
  const fields = withoutEmpty(parameter);
  const keys = new KeyCheck(() => true, readsSecrets);
  for (const name of names(fields)) {
    if (name === "id" || name === "documentId" || name === "*") continue;
    // names with a comma inside are refused as a whole by `readFields`
    if (Array.isArray(fields) && name.includes(",")) continue;
    const attribute = schema.attributes.get(name);
    if (attribute?.kind !== "scalar") {
      keys.report("unknown", { key: name, path: attribute ? name : null });
    } else keys.attribute(schema, attribute, name);
  }
  keys.finish("fields");
}

/** In the order of the parameter. Expects one that `checkFields` has accepted. */
export function readFields(schema: Schema, parameter: unknown): readonly ScalarAttribute[] {
  const fields = withoutEmpty(parameter);
  if (fields === undefined || fields === null) return schema.defaultFields;
  if (fields === "") throw validationError("fields must name an attribute");
  if (typeof fields !== "string" && !(isStrings(fields) && fields.every((name) => !name.includes(",")))) {
    throw validationError("Invalid fields parameter. Expected a string or an array of strings");
  }
  return inOrder(schema, names(fields));
}

/** The attributes with these names; `*` stands for all others. */
function inOrder({ defaultFields }: Schema, wanted: readonly string[]): readonly ScalarAttribute[] {
  const attributes = new Map(defaultFields.map((attribute) => [attribute.name, attribute]));
  const all = wanted.includes("*") ? [...wanted, ...attributes.keys()] : wanted;
  return [...new Set(all)].flatMap((name) => attributes.get(name) ?? []);
}

/**
 * With other sort fields before these. Strapi selects them in queries that join other tables, and returns them as well; not so
 * when it sorts through relations.
 */
export function withSortedFields(
  schema: Schema,
  fields: readonly ScalarAttribute[],
  sort: readonly SortKey[],
): readonly ScalarAttribute[] {
  if (fields === schema.defaultFields || sort.some(({ path }) => path.length > 0)) return fields;
  const names = new Set(fields.map(({ name }) => name));
  const added = sort.flatMap(({ field }) => (field === "status" || names.has(field.name) ? [] : [field.name]));
  return added.length === 0 ? fields : [...inOrder(schema, added), ...fields];
}
