/** The input schemas of `sort` and `filters` of a list: over scalar attributes. */
import { type ZodType, z } from "zod";
import type { ContentType, ScalarAttribute } from "../../../engine/schema/model.ts";

const OPERATORS = [
  ...["$eq", "$eqi", "$ne", "$nei", "$in", "$notIn", "$lt", "$lte", "$gt", "$gte", "$between"],
  ...["$contains", "$notContains", "$containsi", "$notContainsi"],
  ...["$startsWith", "$startsWithi", "$endsWith", "$endsWithi", "$null", "$notNull"],
] as const;

const NOT_COMPARED: ReadonlySet<string> = new Set(["json", "blocks"]);
const NUMBERS: ReadonlySet<string> = new Set(["integer", "biginteger", "decimal", "float"]);

/** The attributes that a list can be sorted and filtered by. */
export const comparedAttributes = (type: ContentType): readonly ScalarAttribute[] =>
  [...type.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === "scalar" &&
      !attribute.system &&
      attribute.definition.private !== true &&
      !NOT_COMPARED.has(attribute.type.name),
  );

const oneOrMany = (schema: ZodType): ZodType => z.union([schema, z.array(schema)]);

function operandOf({ type, definition }: ScalarAttribute): ZodType {
  if (NUMBERS.has(type.name)) return oneOrMany(z.number());
  if (type.name === "boolean") return z.boolean();
  if (type.name !== "enumeration") return z.union([z.string(), z.array(z.string()), z.null()]);
  const { enum: values = [] } = definition as { readonly enum?: readonly string[] };
  return oneOrMany(values.length > 0 ? z.enum(values) : z.string());
}

const quoted = (names: readonly string[]): string => names.join(", ");

export function sortInput(attributes: readonly ScalarAttribute[]): ZodType {
  if (attributes.length === 0) return z.never();
  const names = attributes.map(({ name }) => name);
  const direction = z.enum(["asc", "desc"]);
  const object = z.strictObject(Object.fromEntries(names.map((name) => [name, direction.optional()])));
  const expression = z.string().refine(
    (value) => {
      const [, name] = /^([^:]+):(asc|desc)$/.exec(value) ?? [];
      return name === undefined || names.includes(name);
    },
    { message: `Sort field must be one of: ${quoted(names)}` },
  );
  return z
    .union([expression, z.array(expression), object, z.array(object)])
    .optional()
    .describe(`"name:asc", or { name: "asc" }, or a list. Names: ${quoted(names)}`);
}

export function filtersInput(attributes: readonly ScalarAttribute[]): ZodType {
  if (attributes.length === 0) return z.never();
  const filters: ZodType = z.lazy(() => {
    const fields = attributes.map((attribute) => {
      const operand = operandOf(attribute);
      const operators = z.object(Object.fromEntries(OPERATORS.map((operator) => [operator, operand.optional()])));
      return [attribute.name, z.union([operand, operators]).optional()] as const;
    });
    const logic = {
      $and: z.array(filters).optional(),
      $or: z.array(filters).optional(),
      $not: filters.optional(),
    };
    return z.strictObject({ ...logic, ...Object.fromEntries(fields) });
  });
  const names = attributes.map(({ name }) => name);
  return filters
    .optional()
    .describe(`Values or operators ($eq, $in, $contains, …) by name; $and, $or, $not. Names: ${quoted(names)}`);
}
