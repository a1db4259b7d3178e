/** Generates TypeScript types of documents, inputs and populated results, as one file. */
import { FILE, PERMISSION, ROLE, USER } from "../../engine/schema/builtin/index.ts";
import {
  type Attribute,
  apiTypes,
  type ContentType,
  type Model,
  routeName,
  type ScalarAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { upperFirst } from "../../engine/schema/names.ts";
import generic from "./generic-types.txt" with { type: "text" };

const quote = (text: string): string => JSON.stringify(text);

/** A property name, quoted if necessary. */
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name));

/** The type of a scalar value in requests and responses, without null. */
export function scalarType({ definition, type }: ScalarAttribute): string {
  if (type.name === "enumeration" && Array.isArray(definition.enum)) return definition.enum.map(quote).join(" | ");
  if (type.name === "json") return "Json";
  if (type.name === "blocks") return "BlocksNode[]";
  const expected = type.expects?.name;
  return expected === "number" || expected === "boolean" ? expected : "string";
}

/** Types of attributes that are more precise than their attribute type. */
const PRECISE_TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [FILE]: { formats: "FileFormats", focalPoint: "{ x: number; y: number }" },
};

/** Properties that every document has. */
const systemLines = (type: ContentType): string[] => [
  "id: number;",
  "documentId: string;",
  "createdAt: string;",
  "updatedAt: string;",
  "publishedAt: string | null;",
  `locale${type.localized ? ": string" : "?: string | null"};`,
];

function responseLines(schema: Schema): string[] {
  const attributes = schema.defaultFields.filter(
    ({ system, name }) => !system && name !== "id" && name !== "documentId",
  );
  const system = schema.modelType === "contentType" ? systemLines(schema) : ["id: number;"];
  const formatType = (item: ScalarAttribute): string => PRECISE_TYPES[schema.uid]?.[item.name] ?? scalarType(item);
  return [
    ...system,
    ...attributes.map((item) => `${key(item.name)}: ${formatType(item)}${item.required ? "" : " | null"};`),
  ];
}

export function populatedType(attribute: Attribute, model: Model): string | undefined {
  if (attribute.kind === "scalar" || attribute.private) return undefined;
  if (attribute.kind === "component") return `${attribute.many ? "Many" : "One"}<${quote(attribute.component)}>`;
  if (attribute.kind === "zone") return `Zone<${attribute.components.map(quote).join(" | ") || "never"}>`;
  if (attribute.kind === "relation" && attribute.virtual && attribute.virtual !== "localizations") return undefined;
  const { target } = attribute;
  if (target === undefined) return "Mixed";
  return model.types.has(target) ? `${attribute.many ? "Many" : "One"}<${quote(target)}>` : undefined;
}

function populatedLines(schema: Schema, model: Model): string[] {
  return [...schema.attributes.values()].flatMap((attribute) => {
    const type = populatedType(attribute, model);
    return type === undefined ? [] : [`${key(attribute.name)}: ${type};`];
  });
}

function inputType(attribute: Attribute): string {
  if (attribute.kind === "scalar") {
    const readonly = attribute.type.name === "blocks" ? "readonly " : "";
    return `${readonly}${scalarType(attribute)} | null`;
  }
  if (attribute.kind === "relation") return "RelationInput";
  if (attribute.kind === "media") return attribute.many ? "readonly number[] | null" : "number | null";
  if (attribute.kind === "component")
    return `${attribute.many ? "readonly " : ""}Input<${quote(attribute.component)}>${attribute.many ? "[]" : ""} | null`;
  const parts = attribute.components.map((uid) => `({ __component: ${quote(uid)} } & Input<${quote(uid)}>)`);
  return `readonly (${parts.join(" | ") || "never"})[]`;
}

function inputLines(schema: Schema): string[] {
  return [...schema.attributes.values()]
    .filter((item) => item.writable && !item.system && !(item.kind === "relation" && item.virtual))
    .map((item) => `${key(item.name)}?: ${inputType(item)};`);
}

const renderBlock = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [`    ${name}: {};`] : [`    ${name}: {`, ...lines.map((line) => `      ${line}`), "    };"];

const DECLARED = /^(?:export )?(?:type|interface) (\w+)/gm;
/** Names that are already in use: types of the generic part, and globals. */
const RESERVED = new Set([
  ...[...generic.matchAll(DECLARED)].map(([, name]) => name),
  ..."Schemas Paths Array Record Promise".split(" "),
]);

/** A name or uid as the name of a type: `api::my-tag.my-tag` is `ApiMyTagMyTag`. */
const capitalize = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map(upperFirst)
    .join("");

const inputName = (name: string): string => `${name}Input`;

/** Type names by uid: the singular name, or a name from the uid if that (or its input type's) is already in use. */
function typeNames(schemas: readonly Schema[]): ReadonlyMap<string, string> {
  const toTypeName = (schema: Schema): string =>
    capitalize(schema.modelType === "contentType" ? schema.singularName : schema.uid);
  const counts = new Map<string, number>();
  for (const name of schemas.map(toTypeName).flatMap((name) => [name, inputName(name)]))
    counts.set(name, (counts.get(name) ?? 0) + 1);
  const isAvailable = (name: string): boolean => counts.get(name) === 1 && !RESERVED.has(name);
  return new Map(
    schemas.map((schema) => {
      const name = toTypeName(schema);
      const isUnique = isAvailable(name) && isAvailable(inputName(name)) && /^[A-Z]/.test(name);
      return [schema.uid, isUnique ? name : `T${capitalize(schema.uid)}`];
    }),
  );
}

/** Plugin types that the Content API returns. */
const PLUGIN_TYPES = new Set([FILE, PERMISSION, ROLE, USER]);

/** The types to describe: the project's own, and those of plugins that front ends see. */
export const byUid = <T extends Schema>(schemas: Iterable<T>): T[] =>
  [...schemas].sort((a, b) => (a.uid < b.uid ? -1 : 1));

export const describedTypes = (model: Model): ContentType[] => [
  ...apiTypes(model),
  ...[...model.types.values()].filter(({ uid }) => PLUGIN_TYPES.has(uid)),
];

export function typescriptTypes(model: Model): string {
  const types = describedTypes(model);
  const schemas: Schema[] = [...types, ...byUid(model.components.values())];
  const describedUids = new Set(types.map(({ uid }) => uid));
  const described = { ...model, types: new Map([...model.types].filter(([uid]) => describedUids.has(uid))) };
  const entries = schemas.flatMap((schema) => [
    `  ${quote(schema.uid)}: {`,
    ...renderBlock("attributes", responseLines(schema)),
    ...renderBlock("populated", populatedLines(schema, described)),
    ...renderBlock("input", inputLines(schema)),
    "  };",
  ]);
  const names = typeNames(schemas);
  const aliases = schemas.flatMap(({ uid }) => [
    `export type ${names.get(uid)}<P = undefined, F = undefined> = Result<${quote(uid)}, P, F>;`,
    `export type ${inputName(names.get(uid)!)} = Input<${quote(uid)}>;`,
  ]);
  const paths = apiTypes(model).map((type) => `  ${key(routeName(type))}: ${quote(type.uid)};`);
  return [
    "// Written by galley types. Changes are lost.",
    "",
    "export interface Schemas {",
    ...entries,
    "}",
    "",
    "/** Content-types by their paths below /api. */",
    "export interface Paths {",
    ...paths,
    "}",
    "",
    ...aliases,
    "",
    generic,
  ].join("\n");
}
