/** The input schema of a document's data, as Strapi derives it from the attributes. */
import { type ZodObject, type ZodType, z } from "zod";
import type { Attribute, ContentType, Model } from "../../../engine/schema/model.ts";
import { blocksInput } from "./blocks-schema.ts";
import { fieldsOf } from "./fields.ts";

/** The rules of an attribute that an input schema has. */
interface Rules {
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
  readonly repeatable?: boolean;
  readonly multiple?: boolean;
  readonly component?: string;
  readonly relation?: string;
}

type Bounded<T> = { min(value: number): T; max(value: number): T };

function bounded<T extends Bounded<T>>(schema: T, min: number | undefined, max: number | undefined): T {
  const withMin = min === undefined ? schema : schema.min(min);
  return max === undefined ? withMin : withMin.max(max);
}

const text = ({ minLength, maxLength }: Rules): ZodType => bounded(z.string(), minLength, maxLength);
const plain = (): ZodType => z.string();
const decimal = ({ min, max }: Rules): ZodType => bounded(z.number(), min, max);

/** By the type of the attribute. Others, such as unknown custom fields, take any value. */
const inputs: Readonly<Record<string, (rules: Rules, build: Components) => ZodType>> = {
  string: text,
  text,
  richtext: text,
  password: text,
  email: () => z.string().email(),
  uid: plain,
  biginteger: plain,
  date: plain,
  datetime: plain,
  time: plain,
  timestamp: plain,
  integer: ({ min, max }) => bounded(z.number().int(), min, max),
  decimal,
  float: decimal,
  boolean: () => z.boolean(),
  enumeration: ({ enum: values = [] }) => (values.length > 0 ? z.enum(values) : z.string()),
  json: () => z.any(),
  blocks: () => blocksInput,
  media: ({ multiple }) => (multiple ? z.array(z.any()) : z.any()),
  dynamiczone: ({ min, max }) => bounded(z.array(z.any()), min, max),
  component: ({ component, repeatable, min, max }, build) => {
    const entry = build(component);
    return repeatable ? bounded(z.array(entry), min, max) : entry;
  },
  relation: ({ relation = "" }) => (relation.endsWith("ToMany") ? toMany() : toOne()),
};

const documentId = () => z.string().min(1);
const status = () => z.enum(["draft", "published"]).optional();
const locale = () => z.string().optional();
const reference = () => z.strictObject({ documentId: documentId(), locale: locale(), status: status() });

const toOne = (): ZodType => z.union([documentId(), reference(), z.null()]);

function toMany(): ZodType {
  const entry = z.union([documentId(), reference()]);
  const position = z.strictObject({
    before: z.string().optional(),
    after: z.string().optional(),
    start: z.boolean().optional(),
    end: z.boolean().optional(),
  });
  const connected = z.strictObject({
    documentId: documentId(),
    locale: locale(),
    status: status(),
    position: position.optional(),
  });
  return z
    .strictObject({
      connect: z.array(z.union([documentId(), connected])).optional(),
      disconnect: z.array(entry).optional(),
      set: z.union([z.array(entry), z.null()]).optional(),
    })
    .refine((value) => value.set === undefined || (value.connect === undefined && value.disconnect === undefined), {
      message: "set is mutually exclusive with connect and disconnect",
      path: ["set"],
    });
}

/** The schema of a component's entry. */
type Components = (uid: string | undefined) => ZodType;

/** `ancestors`: components that contain themselves take any values. */
const componentInputs =
  (model: Model, ancestors: readonly string[] = []): Components =>
  (uid = "") => {
    const component = ancestors.includes(uid) ? undefined : model.components.get(uid);
    if (!component) return z.record(z.string(), z.unknown());
    const attributes = [...component.attributes.values()].filter(({ system }) => !system);
    return z.strictObject(shapeOf(attributes, componentInputs(model, [...ancestors, uid])));
  };

/** The attribute type whose rules count: that of a custom field is the type that it is stored as. */
const typeName = (attribute: Attribute): string =>
  attribute.kind === "scalar" ? attribute.type.name : String(attribute.definition.type);

const shapeOf = (attributes: readonly Attribute[], build: Components): Record<string, ZodType> =>
  Object.fromEntries(
    attributes.map((attribute) => {
      const rules = attribute.definition as Rules;
      const name = typeName(attribute);
      if (!Object.hasOwn(inputs, name)) return [attribute.name, z.unknown()];
      const schema = inputs[name]!(rules, build);
      return [attribute.name, rules.required === true ? schema : schema.optional()];
    }),
  );

/** Unknown keys and private attributes are refused. */
export function dataInput(model: Model, type: ContentType): ZodObject {
  const writable = fieldsOf(type).filter((attribute) => attribute.writable && !attribute.private);
  return z.strictObject(shapeOf(writable, componentInputs(model))).describe("The document's values");
}
