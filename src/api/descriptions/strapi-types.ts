/** Generates types in the form of Strapi's `types/generated`. */
import type { Attribute, Model, Schema } from "../../engine/schema/model.ts";
import { pascalCase } from "../../engine/schema/names.ts";
import { byUid } from "./typescript.ts";

/** Strapi's names of attribute types. */
const names: Readonly<Record<string, string>> = {
  biginteger: "BigInteger",
  datetime: "DateTime",
  richtext: "RichText",
  uid: "UID",
  json: "JSON",
};

const quote = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name));

/** A value as a literal type, with sorted keys. */
function literal(value: unknown, indent: string): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const inner = `${indent}  `;
  const lines = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, item]) => `${inner}${key(name)}: ${literal(item, inner)};`);
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}

function baseType(attribute: Attribute): string {
  const { definition } = attribute;
  const list = (items: readonly unknown[]): string => `[${items.map((item) => quote(String(item))).join(", ")}]`;
  if (attribute.kind === "relation") {
    const target = attribute.target ?? (attribute.virtual === "creator" ? "admin::user" : undefined);
    return `Relation<${[attribute.relation, ...(target === undefined ? [] : [target])].map(quote).join(", ")}>`;
  }
  if (attribute.kind === "media") {
    const allowed = Array.isArray(definition.allowedTypes) ? definition.allowedTypes : [];
    const kinds = allowed.length === 0 ? "undefined" : allowed.map((item) => quote(String(item))).join(" | ");
    if (allowed.length === 0 && !attribute.many) return "Media";
    return `Media<${kinds}${attribute.many ? ", true" : ""}>`;
  }
  if (attribute.kind === "component") return `Component<${quote(attribute.component)}, ${attribute.many}>`;
  if (attribute.kind === "zone") return `DynamicZone<${list(attribute.components)}>`;
  const { name } = attribute.type;
  if (name === "enumeration") return `Enumeration<${list((definition.enum as unknown[]) ?? [])}>`;
  if (name === "uid" && typeof definition.targetField === "string") return `UID<${quote(definition.targetField)}>`;
  return names[name] ?? pascalCase(name);
}

/** Options of an attribute, as intersected types in Strapi's order. */
function modifiers({ definition, private: isPrivate }: Attribute): string[] {
  const { required, unique, default: defaultValue, pluginOptions, customField, options: fieldOptions } = definition;
  const field = quote(String(customField));
  const fieldArguments = fieldOptions
    ? `\n        ${field},\n        ${literal(fieldOptions, "        ")}\n      `
    : field;
  const bounds = (min: unknown, max: unknown, name: string, rest = ""): string[] => {
    if (min === undefined && max === undefined) return [];
    const options = Object.fromEntries(
      [
        [name === "SetMinMaxLength" ? "minLength" : "min", min],
        [name === "SetMinMaxLength" ? "maxLength" : "max", max],
      ].filter(([, value]) => value !== undefined),
    );
    return [`${name}<\n      ${literal(options, "      ")}${rest}\n    >`];
  };
  return [
    ...(required ? ["Required"] : []),
    ...(isPrivate ? ["Private"] : []),
    ...(unique ? ["Unique"] : []),
    ...(customField ? [`CustomField<${fieldArguments}>`] : []),
    ...(pluginOptions ? [`SetPluginOptions<${literal(pluginOptions, "    ")}>`] : []),
    ...bounds(
      definition.min,
      definition.max,
      "SetMinMax",
      typeof definition.min === "string" ? ",\n      string" : ",\n      number",
    ),
    ...bounds(definition.minLength, definition.maxLength, "SetMinMaxLength"),
    ...(defaultValue === undefined ? [] : [`DefaultTo<${literal(defaultValue, "    ")}>`]),
  ];
}

function attributeLine(attribute: Attribute): string {
  const types = [baseType(attribute), ...modifiers(attribute)].map((name) => `Schema.Attribute.${name}`);
  return `    ${key(attribute.name)}: ${types.join(" &\n      ")};`;
}

const sortedAttributes = ({ attributes }: Schema): Attribute[] =>
  [...attributes.values()]
    .filter(({ name }) => name !== "id" && name !== "documentId")
    .sort((a, b) => (a.name < b.name ? -1 : 1));

function renderInterface(
  name: string,
  base: string,
  schema: Schema,
  properties: Readonly<Record<string, unknown>>,
): string {
  const lines = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `  ${field}: ${literal(value, "  ")};`);
  return [
    `export interface ${name} extends Struct.${base} {`,
    ...lines,
    "  attributes: {",
    ...sortedAttributes(schema).map(attributeLine),
    "  };",
    "}",
  ].join("\n");
}

function renderFile(interfaces: readonly string[], kind: string, names: ReadonlyMap<string, string>): string {
  const entries = [...names].map(([uid, name]) => `      ${quote(uid)}: ${name};`);
  return `${[
    "import type { Schema, Struct } from '@strapi/strapi';",
    ...interfaces,
    [
      "declare module '@strapi/strapi' {",
      "  export namespace Public {",
      `    export interface ${kind} {`,
      ...entries,
      "    }",
      "  }",
      "}",
    ].join("\n"),
  ].join("\n\n")}\n`;
}

const typeName = ({ uid }: Schema): string => pascalCase(uid);

/** Returns the texts of `contentTypes.d.ts` and `components.d.ts`, without the types of Strapi's admin. */
export function strapiTypes(model: Model): Readonly<Record<string, string>> {
  const types = byUid(model.types.values());
  const components = byUid(model.components.values());
  const typeTexts = types.map((type) => {
    const { info, options, pluginOptions: declaredOptions } = type.definition;
    const pluginOptions = declaredOptions && Object.keys(declaredOptions).length > 0 ? declaredOptions : undefined;
    const base = type.kind === "singleType" ? "SingleTypeSchema" : "CollectionTypeSchema";
    return renderInterface(typeName(type), base, type, { collectionName: type.table, info, options, pluginOptions });
  });
  const componentTexts = components.map((component) =>
    renderInterface(typeName(component), "ComponentSchema", component, {
      collectionName: component.table,
      info: { displayName: component.displayName },
    }),
  );
  return {
    "contentTypes.d.ts": renderFile(
      typeTexts,
      "ContentTypeSchemas",
      new Map(types.map((type) => [type.uid, typeName(type)])),
    ),
    "components.d.ts": renderFile(
      componentTexts,
      "ComponentSchemas",
      new Map(components.map(({ uid }) => [uid, pascalCase(uid)])),
    ),
  };
}
