/**
 * `conditions.visible` of an attribute: JSON logic over the data of the same object. Invisible values are not validated,
 * and stored if their column can hold them.
 */
import type { RulesLogic } from "json-logic-js";
import { toText } from "../../lib/coerce.ts";
import { validationError } from "../../lib/errors.ts";
import { holdsComponents, mapComponents } from "../schema/entries.ts";
import type { Attribute, Model, ScalarAttribute, Schema } from "../schema/model.ts";

type Data = Readonly<Record<string, unknown>>;

const conditionOf = ({ definition }: Attribute): unknown =>
  (definition.conditions as { visible?: unknown } | undefined)?.visible;

const logic = (): typeof import("json-logic-js") => require("json-logic-js");

/** The names of the attributes that decide whether this one is visible. */
export function decidingNames(attribute: Attribute): readonly string[] {
  const visible = conditionOf(attribute);
  const paths: readonly unknown[] = visible ? logic().uses_data(visible) : [];
  return paths.map((path) => String(path).split(".")[0]!);
}

/**
 * Strapi evaluates conditions on the data of the request only: without defaults, and without stored values in an
 * update. A condition that cannot be evaluated is true.
 */
export function isVisible(attribute: Attribute, data: Data): boolean {
  const visible = conditionOf(attribute);
  if (!visible) return true;
  try {
    return Boolean(logic().apply(visible as RulesLogic, data));
  } catch {
    return true;
  }
}

type Coercion = (value: unknown, name: string) => unknown;

/** By the name of the type's expected value; other types are stored without coercion. */
const coercions: Readonly<Record<string, Coercion>> = {
  string: toText,
  boolean: (value) => Boolean(value),
  number: (value, name) => {
    const number = typeof value === "object" ? Number.NaN : Number(value);
    if (Number.isNaN(number)) throw validationError(`${name} must be a number`);
    return number;
  },
};

function storable({ name, type }: ScalarAttribute, value: unknown): unknown {
  const { cast, expects } = type;
  const given = cast ? cast(value) : value;
  if (!expects || expects.is(given)) return given;
  return coercions[expects.name]?.(given, name) ?? given;
}

/** The values of one component or type in storable form. Throws a ValidationError for values that cannot be stored. */
function uncheckedData(model: Model, schema: Schema, data: Data): Data {
  const out: Record<string, unknown> = { ...data };
  for (const attribute of schema.attributes.values()) {
    if (data[attribute.name] !== undefined) out[attribute.name] = unchecked(model, attribute, data[attribute.name]);
  }
  return out;
}

/** The value of an invisible attribute in storable form. Throws a ValidationError for a value that cannot be stored. */
export function unchecked(model: Model, attribute: Attribute, value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (attribute.kind === "scalar") return storable(attribute, value);
  if (!holdsComponents(attribute)) return value;
  return mapComponents(model, attribute, value, (schema, entry) => uncheckedData(model, schema, entry));
}
