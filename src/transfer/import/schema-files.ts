/** Converts the schemas of an archive to schema files of a project, and compares them with a project's schemas. */

import { builtinTypes, USER } from "../../engine/schema/builtin/index.ts";
import { customFieldTypes, UNKNOWN_FIELD_TYPE } from "../../engine/schema/custom-fields.ts";
import type { RawSchema } from "../../engine/schema/definition.ts";
import { SYSTEM_ATTRIBUTES } from "../../engine/schema/system-attribute-names.ts";
import { ProjectError } from "../../lib/errors.ts";
import { hasDevice, sameFile } from "../../lib/file-names.ts";
import { pickBy } from "../../lib/records.ts";
import type { ArchiveSchema, Json } from "../archive/shapes.ts";

/** They are added on loading, and are not in files. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set(SYSTEM_ATTRIBUTES);

/** Options that may differ without loss of values. Strapi ignores them as well. */
const IGNORED_OPTIONS = new Set(["private", "required", "configurable", "default"]);

const API_TYPE = /^api::([a-z0-9][a-z0-9_-]*)\.([a-z0-9][a-z0-9_-]*)$/i;
const COMPONENT = /^([a-z0-9][a-z0-9_-]*)\.([a-z0-9][a-z0-9_-]*)$/i;

type FieldType = ReturnType<typeof customFieldTypes>;
type Attributes = Readonly<Record<string, Json>>;

function ownAttributes({ modelType, attributes }: ArchiveSchema): Attributes {
  if (modelType === "component") return attributes;
  return pickBy(attributes, (_, name) => !SYSTEM_NAMES.has(name));
}

/** The path of a schema's file in a project; undefined for built-in and plugin types. */
export function schemaPath({ uid, modelType }: ArchiveSchema): string | undefined {
  if (uid === USER) return "src/extensions/users-permissions/content-types/user/schema.json";
  const parts = (modelType === "component" ? COMPONENT : API_TYPE).exec(uid);
  if (!parts) return undefined;
  const [, first, second] = parts;
  return modelType === "component"
    ? `src/components/${first}/${second}.json`
    : `src/api/${first}/content-types/${second}/schema.json`;
}

export function createDefinition(schema: ArchiveSchema): Json {
  const { kind, collectionName, info, options, pluginOptions } = schema;
  const head = { kind, collectionName, info, options, pluginOptions };
  const present = Object.entries(head).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(present), attributes: ownAttributes(schema) };
}

const isExtended = (schema: ArchiveSchema): boolean =>
  Object.keys(ownAttributes(schema)).some((name) => !Object.hasOwn(builtinTypes[USER]!.attributes, name));

/**
 * Schema files by path in a project. Throws a ProjectError for paths that are invalid on this system, and if several schemas have
 * the same file.
 */
export function schemaFiles(
  schemas: Iterable<ArchiveSchema>,
  platform: NodeJS.Platform = process.platform,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const uids = new Map<string, string>();
  for (const schema of schemas) {
    const file = schemaPath(schema);
    if (file === undefined || (schema.uid === USER && !isExtended(schema))) continue;
    if (hasDevice(file, platform)) throw new ProjectError(file, undefined, "cannot be a file on Windows");
    const other = uids.get(sameFile(file, platform));
    if (other !== undefined)
      throw new ProjectError(file, undefined, `is one file for ${other} and ${schema.uid} on this system`);
    uids.set(sameFile(file, platform), schema.uid);
    files.set(file, `${JSON.stringify(createDefinition(schema), null, 2)}\n`);
  }
  return files;
}

/** A string to compare attributes by, independent of key order and undefined options. */
function comparable(attribute: Json | undefined): string {
  const entries = Object.entries(attribute ?? {}).filter(
    ([key, value]) => !IGNORED_OPTIONS.has(key) && value !== undefined,
  );
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An archive has custom fields with the type behind them. */
function resolved(attribute: Json | undefined, fieldType: FieldType): Json | undefined {
  if (attribute?.type !== "customField") return attribute;
  return { ...attribute, type: fieldType(String(attribute.customField)) ?? UNKNOWN_FIELD_TYPE };
}

function attributeDifferences(
  uid: string,
  archiveAttributes: Attributes,
  projectAttributes: Attributes,
  fieldType: FieldType,
): string[] {
  const lines: string[] = [];
  for (const name of new Set([...Object.keys(archiveAttributes), ...Object.keys(projectAttributes)])) {
    const [inArchive, inProject] = [
      resolved(archiveAttributes[name], fieldType),
      resolved(projectAttributes[name], fieldType),
    ];
    if (!inProject) lines.push(`${uid}: ${name} is in the archive only, so that its values are left out`);
    else if (!inArchive) lines.push(`${uid}: ${name} is in the project only, and has no values in the archive`);
    else if (inArchive.type !== inProject.type)
      lines.push(`${uid}: ${name} is ${inArchive.type} in the archive, ${inProject.type} here`);
    else if (comparable(inArchive) !== comparable(inProject))
      lines.push(`${uid}: ${name} has other options in the archive`);
  }
  return lines;
}

/**
 * Messages about differences between the archive's and the project's schemas. `declared`: types of custom fields, from
 * config/galley.json.
 */
export function schemaDifferences(
  schemas: ReadonlyMap<string, ArchiveSchema>,
  project: RawSchema,
  declared: Readonly<Record<string, string>> = {},
): string[] {
  const fieldType = customFieldTypes(declared, project.customFields);
  const own = new Map<string, Attributes>(
    [...project.types, ...project.components].map(({ uid, definition }) => [uid, definition.attributes as Attributes]),
  );
  const lines: string[] = [];
  for (const schema of schemas.values()) {
    if (schemaPath(schema) === undefined) continue;
    const projectAttributes = own.get(schema.uid);
    if (!projectAttributes) lines.push(`${schema.uid} is not in this project, so that its content is left out`);
    else lines.push(...attributeDifferences(schema.uid, ownAttributes(schema), projectAttributes, fieldType));
  }
  for (const uid of own.keys())
    if (!schemas.has(uid) && !uid.startsWith("plugin::")) lines.push(`${uid} is in the project only`);
  return lines;
}
