/** What of a model breaks its clients if another one takes its place: those that read, and those that write. */
import { describedTypes, populatedType, scalarType } from "../../api/descriptions/typescript.ts";
import { type Attribute, type Model, routeName, type Schema } from "../../engine/schema/model.ts";

export interface SchemaChange {
  readonly uid: string;
  /** Missing: the type as a whole. */
  readonly attribute?: string;
  /** As in "is gone". */
  readonly change: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Types of TypeScript are the same, those of values are not. */
const TIMES: ReadonlySet<unknown> = new Set(["date", "time", "datetime", "timestamp"]);
/** Keys of definitions that list what a value may be. Without one, it may be anything. */
const LISTS = ["enum", "components", "allowedTypes"] as const;
const isHigher = (before: unknown, now: unknown): boolean =>
  now !== undefined && Number(now) > Number(before ?? -Infinity);
const isLower = (before: unknown, now: unknown): boolean =>
  now !== undefined && Number(now) < Number(before ?? Infinity);
/** Whether a rule of a definition refuses values that it accepted before. */
const isStricter: Readonly<Record<string, (before: unknown, now: unknown) => boolean>> = {
  min: isHigher,
  minLength: isHigher,
  max: isLower,
  maxLength: isLower,
  regex: (before, now) => now !== undefined && now !== before,
  unique: (before, now) => now === true && before !== true,
};

/** As in responses; undefined if it is in none. */
function clientType(attribute: Attribute | undefined, model: Model): string | undefined {
  if (!attribute || attribute.private) return undefined;
  // which components or values there are is another question
  if (attribute.kind === "zone") return "a dynamic zone";
  if (attribute.kind !== "scalar") return populatedType(attribute, model);
  const { type } = attribute.definition;
  if (attribute.type.isSecret) return undefined;
  return type === "enumeration" ? "string" : TIMES.has(type) ? String(type) : scalarType(attribute);
}

/** Perhaps it was renamed. */
function describeLoss({ definition }: Attribute, before: Schema, after: Schema): string {
  const added = [...after.attributes.values()].filter(({ name }) => !before.attributes.has(name));
  const other = added.find((attribute) => Bun.deepEquals(attribute.definition, definition));
  return other ? `is gone (${other.name} is new, and defined alike)` : "is gone";
}

function* ruleChanges(before: Attribute, now: Attribute): Generator<string> {
  if (now.required && !before.required) yield "is required now";
  if (before.required && !now.required) yield "is no longer required, so that it may be null";
  if (before.writable && !now.writable) yield "can no longer be written";
  const [old, current] = [before.definition, now.definition];
  for (const key of LISTS) {
    const [values, allowed] = [old[key], current[key]];
    if (!Array.isArray(allowed)) continue;
    if (!Array.isArray(values)) yield `allows only ${allowed.join(", ")} now`;
    else {
      const removed = values.filter((value) => !allowed.includes(value));
      if (removed.length > 0) yield `no longer allows ${removed.join(", ")}`;
    }
  }
  for (const [key, isNarrower] of Object.entries(isStricter))
    if (isNarrower(old[key], current[key])) yield `has ${key} ${JSON.stringify(current[key])} now`;
}

function* attributeChanges(
  before: Schema,
  after: Schema,
  models: readonly [Model, Model],
): Generator<[string, string]> {
  for (const attribute of before.attributes.values()) {
    const { name, system } = attribute;
    if (system) continue;
    const now = after.attributes.get(name);
    const [type, other] = [clientType(attribute, models[0]), clientType(now, models[1])];
    if (!now) {
      if (type !== undefined || attribute.writable) yield [name, describeLoss(attribute, before, after)];
    } else if (type !== undefined && other === undefined) yield [name, "is private, or has no target now"];
    else if (type !== other && type !== undefined) yield [name, `was ${type}, and is ${other} now`];
    else for (const change of ruleChanges(attribute, now)) yield [name, change];
  }
  for (const { name, required, definition } of after.attributes.values())
    if (required && !before.attributes.has(name) && (definition as unknown as Values).default === undefined)
      yield [name, "is new and required"];
}

function* typeChanges(before: Schema, after: Schema): Generator<string> {
  if (before.modelType !== "contentType" || after.modelType !== "contentType") return;
  if (before.kind !== after.kind) yield `was a ${before.kind}, and is a ${after.kind} now`;
  else if (routeName(before) !== routeName(after))
    yield `is at /${routeName(after)} now, no longer at /${routeName(before)}`;
  if (before.localized && !after.localized) yield "has no locales any more";
  if (before.draftAndPublish && !after.draftAndPublish) yield "has no drafts any more";
}

/** In the order of types and attributes. What is only added breaks nothing. */
export function breakingChanges(before: Model, after: Model): SchemaChange[] {
  const schemas: Schema[] = [...describedTypes(before), ...before.components.values()];
  return schemas.flatMap((schema): SchemaChange[] => {
    const { uid } = schema;
    const now = schema.modelType === "component" ? after.components.get(uid) : after.types.get(uid);
    if (!now) return [{ uid, change: "is gone" }];
    return [
      ...[...typeChanges(schema, now)].map((change) => ({ uid, change })),
      ...[...attributeChanges(schema, now, [before, after])].map(([attribute, change]) => ({ uid, attribute, change })),
    ];
  });
}
