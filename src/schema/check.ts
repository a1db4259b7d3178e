/** The rules that refuse a start: every schema file is checked before anything is built from it. */
import { Type } from "@sinclair/typebox";
import { Value, type ValueError } from "@sinclair/typebox/value";
import { type AttributeDefinition, isScalarTypeName, scalarTypes } from "../attributes/index.ts";
import { ProjectError } from "../errors.ts";
import { customFieldType } from "./custom-fields.ts";
import type { RawComponent, RawContentType, RawSchema } from "./definition.ts";
import { relationKinds } from "./model.ts";
import { isKebabCase } from "./names.ts";

const Text = Type.String({ minLength: 1 });
const Options = Type.Object({
  draftAndPublish: Type.Optional(Type.Boolean()),
  privateAttributes: Type.Optional(Type.Array(Type.String())),
  populateCreatorFields: Type.Optional(Type.Boolean()),
});
const PluginOptions = Type.Object({ i18n: Type.Optional(Type.Object({ localized: Type.Optional(Type.Boolean()) })) });

const ContentTypeFile = Type.Object({
  kind: Type.Optional(Type.Union([Type.Literal("collectionType"), Type.Literal("singleType")])),
  collectionName: Type.Optional(Text),
  info: Type.Object({ singularName: Text, pluralName: Text, displayName: Text }),
  options: Type.Optional(Options),
  pluginOptions: Type.Optional(PluginOptions),
  attributes: Type.Record(Type.String(), Type.Object({ type: Text })),
});
const ComponentFile = Type.Object({
  collectionName: Text,
  info: Type.Object({ displayName: Text }),
  options: Type.Optional(Options),
  attributes: Type.Record(Type.String(), Type.Object({ type: Text })),
});

const Flag = Type.Optional(Type.Boolean());
const Count = Type.Optional(Type.Integer({ minimum: 0 }));
const common = { required: Flag, unique: Flag, private: Flag, configurable: Flag, writable: Flag, searchable: Flag };

/** The keys of the attribute types that hold rows instead of a value. */
const linkedShapes = {
  media: {
    multiple: Flag,
    allowedTypes: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Array(Type.Union(["images", "videos", "files", "audios"].map((name) => Type.Literal(name)))),
      ]),
    ),
  },
  relation: {
    relation: Type.Union(relationKinds.map((kind) => Type.Literal(kind))),
    target: Type.Optional(Text),
    inversedBy: Type.Optional(Type.Union([Text, Type.Null()])),
    mappedBy: Type.Optional(Type.Union([Text, Type.Null()])),
    morphBy: Type.Optional(Text),
  },
  component: { component: Text, repeatable: Flag, min: Count, max: Count },
  dynamiczone: { components: Type.Array(Text), min: Count, max: Count },
  customField: { customField: Text },
} as const;

const isLinkedType = (type: string): type is keyof typeof linkedShapes => Object.hasOwn(linkedShapes, type);

/** The first difference between a value and its shape, as a person would say it. */
function firstError(
  schema: Parameters<typeof Value.Errors>[0],
  value: unknown,
): { key: string; reason: string } | undefined {
  const error: ValueError | undefined = Value.Errors(schema, value).First();
  if (!error) return undefined;
  const key = error.path.slice(1).replaceAll("/", ".");
  if (error.value === undefined) return { key, reason: "is missing" };
  const choices = (error.schema as { anyOf?: { const?: unknown }[] }).anyOf?.map((choice) => choice.const);
  if (choices?.every((choice) => typeof choice === "string")) {
    return { key, reason: `must be one of ${choices.join(", ")}, not ${JSON.stringify(error.value)}` };
  }
  return { key, reason: `${error.message}, not ${JSON.stringify(error.value)}` };
}

type Raw = RawContentType | RawComponent;

interface Context {
  readonly types: ReadonlyMap<string, RawContentType>;
  readonly components: ReadonlyMap<string, RawComponent>;
  readonly customFields: Readonly<Record<string, string>>;
}

const ENUM_NAME = /^[_A-Za-z][_0-9A-Za-z]*$/;
const normaliseEnum = (value: string): string =>
  value
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^_0-9A-Za-z]+/g, "_");

function checkEnumeration(raw: Raw, name: string, definition: AttributeDefinition): void {
  const names = (definition.enum as string[]).map(normaliseEnum);
  const key = `attributes.${name}.enum`;
  const bad = names.findIndex((value) => !ENUM_NAME.test(value));
  if (bad >= 0) {
    const value = (definition.enum as string[])[bad];
    throw new ProjectError(raw.file, key, `invalid value "${value}": a letter must come before the first number`);
  }
  if (new Set(names).size < names.length) {
    throw new ProjectError(raw.file, key, "some values collide when they are made into names");
  }
}

function checkRelation(raw: Raw, name: string, definition: AttributeDefinition, context: Context): void {
  const refuse = (key: string, reason: string): never => {
    throw new ProjectError(raw.file, `attributes.${name}.${key}`, reason);
  };
  const kind = String(definition.relation);
  if (kind.startsWith("morphTo")) return;
  const target = context.types.get(String(definition.target));
  if (!target) {
    if (definition.target === "admin::user") refuse("target", "admin users do not exist here; remove the attribute");
    return refuse("target", `there is no content-type ${definition.target}`);
  }
  for (const key of ["inversedBy", "mappedBy", "morphBy"] as const) {
    const other = definition[key];
    if (other === undefined || other === null) continue;
    const attribute = target.definition.attributes[String(other)];
    if (attribute?.type !== "relation") refuse(key, `${target.uid} has no relation named ${other}`);
    if (key === "inversedBy" && attribute?.mappedBy !== name) {
      refuse(key, `${target.uid}.${other} must say "mappedBy": "${name}"`);
    }
    if (key === "mappedBy" && attribute?.inversedBy !== name) {
      refuse(key, `${target.uid}.${other} must say "inversedBy": "${name}"`);
    }
    if (key === "morphBy" && !String(attribute?.relation).startsWith("morphTo")) {
      refuse(key, `${target.uid}.${other} must be a morphToOne or morphToMany relation`);
    }
  }
  if (kind.startsWith("morph") && !definition.morphBy) refuse("morphBy", "is missing");
}

function checkAttribute(raw: Raw, name: string, definition: AttributeDefinition, context: Context): void {
  const key = `attributes.${name}`;
  const refuse = (suffix: string, reason: string): never => {
    throw new ProjectError(raw.file, suffix ? `${key}.${suffix}` : key, reason);
  };
  if (!/^[A-Za-z][_0-9A-Za-z]*$/.test(name)) {
    refuse("", "a name must begin with a letter and hold only letters, digits and underscores");
  }
  const shape = isLinkedType(definition.type)
    ? linkedShapes[definition.type]
    : isScalarTypeName(definition.type)
      ? (scalarTypes[definition.type].options?.(Type) ?? {})
      : refuse("type", `unknown attribute type "${definition.type}"`);
  const error = firstError(Type.Object({ ...common, ...shape }), definition);
  if (error) refuse(error.key, error.reason);
  checks[definition.type]?.(raw, name, definition, context);
}

type Check = (raw: Raw, name: string, definition: AttributeDefinition, context: Context) => void;

const checks: Readonly<Record<string, Check>> = {
  enumeration: checkEnumeration,
  relation: checkRelation,
  component: (raw, name, definition, { components }) => {
    if (components.has(String(definition.component))) return;
    throw new ProjectError(raw.file, `attributes.${name}.component`, `there is no component ${definition.component}`);
  },
  dynamiczone: (raw, name, definition, { components }) => {
    const missing = (definition.components as string[]).find((uid) => !components.has(uid));
    if (missing) throw new ProjectError(raw.file, `attributes.${name}.components`, `there is no component ${missing}`);
  },
  uid: (raw, name, definition) => {
    if (definition.targetField === undefined) return;
    const target = raw.definition.attributes[String(definition.targetField)];
    if (target?.type === "string" || target?.type === "text") return;
    throw new ProjectError(raw.file, `attributes.${name}.targetField`, "must name a string or text attribute");
  },
  customField: (raw, name, definition, { customFields }) => {
    const type = customFieldType(definition, customFields);
    if (type && isScalarTypeName(type)) return;
    const reason = `the type behind ${definition.customField} is not known: declare it under "customFields" in config/galley.json`;
    throw new ProjectError(raw.file, `attributes.${name}.customField`, reason);
  },
};

for (const type of ["string", "text", "richtext", "email", "password"]) {
  (checks as Record<string, Check>)[type] = (raw, name, definition) => {
    try {
      if (definition.regex !== undefined) new RegExp(String(definition.regex));
    } catch (cause) {
      throw new ProjectError(raw.file, `attributes.${name}.regex`, (cause as Error).message);
    }
  };
}

function checkNames(types: readonly RawContentType[]): void {
  const taken = new Map<string, string>();
  for (const { file, folder, uid, definition } of types) {
    const { singularName = "", pluralName = "" } = definition.info;
    if (folder !== singularName) {
      const reason = `the type's folder must be called as its singularName; found ${folder} and ${singularName}`;
      throw new ProjectError(file, "info.singularName", reason);
    }
    if (uid.startsWith("plugin::")) continue;
    for (const [key, name] of [
      ["singularName", singularName],
      ["pluralName", pluralName],
    ] as const) {
      if (!isKebabCase(name)) throw new ProjectError(file, `info.${key}`, `must be in kebab-case, not "${name}"`);
      const other = taken.get(name);
      if (other) throw new ProjectError(file, `info.${key}`, `"${name}" must be unique; ${other} uses it too`);
      taken.set(name, file);
    }
  }
}

function checkTables(raws: readonly Raw[]): void {
  const taken = new Map<string, string>();
  for (const { file, definition } of raws) {
    const table = definition.collectionName ?? definition.info.singularName ?? "";
    if (/^(sqlite|galley)_/i.test(table)) {
      throw new ProjectError(file, "collectionName", `"${table}" begins with a reserved prefix`);
    }
    const other = taken.get(table.toLowerCase());
    if (other) throw new ProjectError(file, "collectionName", `"${table}" must be unique; ${other} uses it too`);
    taken.set(table.toLowerCase(), file);
  }
}

function checkUids(raws: readonly Raw[]): void {
  const taken = new Map<string, string>();
  for (const { uid, file } of raws) {
    const other = taken.get(uid);
    if (other) throw new ProjectError(file, undefined, `has the same uid ${uid} as ${other}`);
    taken.set(uid, file);
  }
}

/** Throws a ProjectError that names file, key and reason of the first rule that is broken. */
export function checkSchema(raw: RawSchema, customFields: Readonly<Record<string, string>>): void {
  for (const type of raw.types) {
    const error = firstError(ContentTypeFile, type.definition);
    if (error) throw new ProjectError(type.file, error.key, error.reason);
  }
  for (const item of raw.components) {
    const error = firstError(ComponentFile, item.definition);
    if (error) throw new ProjectError(item.file, error.key, error.reason);
  }
  const raws = [...raw.types, ...raw.components];
  checkUids(raws);
  checkNames(raw.types);
  checkTables(raws);
  const context: Context = {
    types: new Map(raw.types.map((type) => [type.uid, type])),
    components: new Map(raw.components.map((item) => [item.uid, item])),
    customFields,
  };
  for (const item of raws) {
    for (const [name, definition] of Object.entries(item.definition.attributes)) {
      checkAttribute(item, name, definition, context);
    }
  }
}
