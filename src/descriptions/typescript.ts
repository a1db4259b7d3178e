/** TypeScript types of a project's documents, inputs and populated results, as the text of one file. */
import { FILE, PERMISSION, ROLE, USER } from "../schema/builtin/index.ts";
import { type Attribute, apiTypes, type ContentType, type Model, type Schema } from "../schema/model.ts";
import { pascalCase } from "../schema/names.ts";
import generic from "./generic-types.txt" with { type: "text" };

const quoted = (text: string): string => JSON.stringify(text);

/** Whether a name can stand without quotes. */
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));

const numbers = new Set(["integer", "float", "decimal"]);

/** The type of a scalar value as it is answered and sent; null is not part of it. */
function scalarType({ definition }: Attribute): string {
  if (definition.type === "enumeration" && Array.isArray(definition.enum))
    return definition.enum.map(quoted).join(" | ");
  if (definition.type === "json") return "Json";
  if (definition.type === "blocks") return "BlocksNode[]";
  if (definition.type === "boolean") return "boolean";
  return numbers.has(definition.type) ? "number" : "string";
}

/** Of attributes whose values are more than their type says. */
const KNOWN_VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [FILE]: { formats: "FileFormats", focalPoint: "{ x: number; y: number }" },
};

/** Types that every document has, whatever its schema says. */
const systemLines = (type: ContentType): string[] => [
  "id: number;",
  "documentId: string;",
  "createdAt: string;",
  "updatedAt: string;",
  "publishedAt: string | null;",
  `locale${type.localized ? ": string" : "?: string | null"};`,
];

function answeredLines(schema: Schema): string[] {
  const own = schema.defaultFields.filter(({ system, name }) => !system && name !== "id" && name !== "documentId");
  const system = schema.modelType === "contentType" ? systemLines(schema) : ["id: number;"];
  const typeOf = (item: Attribute): string => KNOWN_VALUES[schema.uid]?.[item.name] ?? scalarType(item);
  return [...system, ...own.map((item) => `${key(item.name)}: ${typeOf(item)}${item.required ? "" : " | null"};`)];
}

function populatedType(attribute: Attribute, model: Model): string | undefined {
  if (attribute.kind === "scalar" || attribute.private) return undefined;
  if (attribute.kind === "component") return `${attribute.many ? "Many" : "One"}<${quoted(attribute.component)}>`;
  if (attribute.kind === "zone") return `Zone<${attribute.components.map(quoted).join(" | ") || "never"}>`;
  if (attribute.kind === "relation" && attribute.virtual && attribute.virtual !== "localizations") return undefined;
  const { target } = attribute;
  if (target === undefined) return "Mixed";
  return model.types.has(target) ? `${attribute.many ? "Many" : "One"}<${quoted(target)}>` : undefined;
}

function populatedLines(schema: Schema, model: Model): string[] {
  return [...schema.attributes.values()].flatMap((attribute) => {
    const type = populatedType(attribute, model);
    return type === undefined ? [] : [`${key(attribute.name)}: ${type};`];
  });
}

function inputType(attribute: Attribute): string {
  if (attribute.kind === "scalar") {
    const readonly = attribute.definition.type === "blocks" ? "readonly " : "";
    return `${readonly}${scalarType(attribute)} | null`;
  }
  if (attribute.kind === "relation") return "RelationInput";
  if (attribute.kind === "media") return attribute.many ? "readonly number[] | null" : "number | null";
  if (attribute.kind === "component")
    return `${attribute.many ? "readonly " : ""}Input<${quoted(attribute.component)}>${attribute.many ? "[]" : ""} | null`;
  const parts = attribute.components.map((uid) => `({ __component: ${quoted(uid)} } & Input<${quoted(uid)}>)`);
  return `readonly (${parts.join(" | ") || "never"})[]`;
}

function inputLines(schema: Schema): string[] {
  return [...schema.attributes.values()]
    .filter((item) => item.writable && !item.system && !(item.kind === "relation" && item.virtual))
    .map((item) => `${key(item.name)}?: ${inputType(item)};`);
}

const block = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [`    ${name}: {};`] : [`    ${name}: {`, ...lines.map((line) => `      ${line}`), "    };"];

const DECLARED = /^(?:export )?(?:type|interface) (\w+)/gm;
/** Names of types that the generic part of the file has, and globals. */
const TAKEN = new Set([
  ...[...generic.matchAll(DECLARED)].map(([, name]) => name),
  ..."Schemas Paths Array Record Promise".split(" "),
]);

const inputName = (name: string): string => `${name}Input`;

/** A type's own name; the uid's words where it, or that of its input, is taken. */
function typeNames(schemas: readonly Schema[]): ReadonlyMap<string, string> {
  const nameOf = (schema: Schema): string =>
    pascalCase(schema.modelType === "contentType" ? schema.singularName : schema.uid);
  const counts = new Map<string, number>();
  for (const name of schemas.map(nameOf).flatMap((name) => [name, inputName(name)]))
    counts.set(name, (counts.get(name) ?? 0) + 1);
  const isFree = (name: string): boolean => counts.get(name) === 1 && !TAKEN.has(name);
  return new Map(
    schemas.map((schema) => {
      const name = nameOf(schema);
      const isOwn = isFree(name) && isFree(inputName(name)) && /^[A-Z]/.test(name);
      return [schema.uid, isOwn ? name : `T${pascalCase(schema.uid)}`];
    }),
  );
}

/** The types of plugins that the Content API answers. */
const ANSWERED = new Set([FILE, PERMISSION, ROLE, USER]);

/** What is described: the project's own types, and those of plugins that front ends see. */
export const describedTypes = (model: Model): ContentType[] => [
  ...apiTypes(model),
  ...[...model.types.values()].filter(({ uid }) => ANSWERED.has(uid)),
];

export function typescriptTypes(model: Model): string {
  const types = describedTypes(model);
  const schemas: Schema[] = [...types, ...model.components.values()];
  const known = new Set(types.map(({ uid }) => uid));
  const described = { ...model, types: new Map([...model.types].filter(([uid]) => known.has(uid))) };
  const entries = schemas.flatMap((schema) => [
    `  ${quoted(schema.uid)}: {`,
    ...block("attributes", answeredLines(schema)),
    ...block("populated", populatedLines(schema, described)),
    ...block("input", inputLines(schema)),
    "  };",
  ]);
  const names = typeNames(schemas);
  const aliases = schemas.flatMap(({ uid }) => [
    `export type ${names.get(uid)}<P = undefined, F = undefined> = Result<${quoted(uid)}, P, F>;`,
    `export type ${inputName(names.get(uid)!)} = Input<${quoted(uid)}>;`,
  ]);
  const paths = apiTypes(model).map(
    (type) => `  ${key(type.kind === "singleType" ? type.singularName : type.pluralName)}: ${quoted(type.uid)};`,
  );
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
