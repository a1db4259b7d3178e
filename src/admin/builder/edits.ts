/** What requests to the content-type builder ask for, as changes of the schema in memory. Refusals are thrown. */
import type slugify from "@sindresorhus/slugify";
import type { Problem } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import type { ComponentDefinition, ContentTypeDefinition } from "../../schema/definition.ts";
import { isKebabCase } from "../../schema/names.ts";
import type { AdminServices } from "../services.ts";
import { BuilderError, BuilderRefusal, builderProblems } from "./builder-error.ts";
import { isReserved, reservedNames } from "./reserved-names.ts";
import { SchemaEdit } from "./schema-edit.ts";

export type Given = Readonly<Record<string, unknown>>;

const KINDS = ["singleType", "collectionType"];

const slugOf = (name: string): string => (require("@sindresorhus/slugify") as typeof slugify)(name);
const tableName = (name: string): string => slugOf(name).replaceAll("-", "_");
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
export const recordOf = (value: unknown): Given => (isRecord(value) ? value : {});

function requireTexts(given: unknown, prefix: string, keys: readonly string[]): Problem[] {
  const values = recordOf(given);
  return keys.flatMap((key) => {
    const value = values[key];
    if (textOf(value) !== undefined) return [];
    const path = `${prefix}.${key}`;
    return [{ path, message: `${path} is a required field`, value }];
  });
}

function attributeProblems(given: Given, prefix: string): Problem[] {
  const { attributes } = given;
  const path = `${prefix}.attributes`;
  if (!isRecord(attributes)) return [{ path, message: `${path} is a required field`, value: attributes }];
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    const at = `${path}.${name}`;
    if (isReserved(name, reservedNames.attributes))
      return [
        { path, message: `Attribute keys cannot be one of ${reservedNames.attributes.join(", ")}`, value: attributes },
      ];
    if (!isRecord(attribute)) return [{ path: at, message: `${at} must be an object`, value: attribute }];
    return textOf(attribute.type)
      ? []
      : [{ path: `${at}.type`, message: `${at}.type is a required field`, value: attribute.type }];
  });
}

/** Checks what the schema's own check does not see: the request. Throws a BuilderError. */
function checkType(services: AdminServices, given: unknown, isNew: boolean): void {
  const values = recordOf(given);
  const problems = requireTexts(
    given,
    "contentType",
    isNew ? ["displayName", "singularName", "pluralName"] : ["displayName"],
  );
  if (values.kind !== undefined && !KINDS.includes(values.kind as string)) {
    const message = `contentType.kind must be one of the following values: ${KINDS.join(", ")}`;
    problems.push({ path: "contentType.kind", message, value: values.kind });
  }
  problems.push(...attributeProblems(values, "contentType"));
  for (const key of isNew ? ["singularName", "pluralName"] : []) {
    const name = textOf(values[key]);
    if (name === undefined) continue;
    const path = `contentType.${key}`;
    const isTaken = services.schema.types.some(
      ({ uid, definition: { info } }) =>
        uid.startsWith("api::") && (info.singularName === name || info.pluralName === name),
    );
    if (!isKebabCase(name))
      problems.push({ path, message: `${path} is not in kebab case (an-example-of-kebab-case)`, value: name });
    else if (isTaken) {
      const message = `contentType: name \`${name}\` is already being used by another content type.`;
      problems.push({ path, message, value: name });
    } else if (isReserved(name, reservedNames.models)) {
      const message = `Content Type name cannot be one of ${reservedNames.models.join(", ")}`;
      problems.push({ path, message, value: name });
    }
  }
  if (isNew && values.singularName !== undefined && values.singularName === values.pluralName) {
    const message = "contentType: singularName and pluralName should be different";
    problems.push({ path: "contentType.pluralName", message, value: values.pluralName });
  }
  if (problems.length > 0) throw builderProblems(problems);
}

/** The file of a type: what requests do not say stays as it is. */
function typeDefinition(given: Given, before: ContentTypeDefinition | undefined): ContentTypeDefinition {
  const singularName = before?.info.singularName ?? String(given.singularName);
  const pluralName = before?.info.pluralName ?? String(given.pluralName);
  const description = textOf(given.description) ?? before?.info.description;
  return {
    ...before,
    kind: textOf(given.kind) ?? before?.kind ?? "collectionType",
    collectionName: before?.collectionName ?? textOf(given.collectionName) ?? pluralName.replaceAll("-", "_"),
    info: {
      ...before?.info,
      singularName,
      pluralName,
      displayName: String(given.displayName ?? before?.info.displayName),
      ...(description === undefined ? {} : { description }),
    },
    options: {
      ...before?.options,
      ...recordOf(given.options),
      draftAndPublish: Boolean(given.draftAndPublish ?? before?.options?.draftAndPublish ?? false),
    },
    pluginOptions: recordOf(given.pluginOptions ?? before?.pluginOptions),
    attributes: {},
  };
}

const componentUid = ({ category, displayName }: Given): string =>
  `${slugOf(String(category))}.${slugOf(String(displayName))}`;

/** Throws a BuilderError for a name that no file can have. */
function putComponent(edit: SchemaEdit, uid: string, given: Given): void {
  const before = edit.component(uid);
  const [category = "", name = ""] = uid.split(".");
  if (!before && !(isKebabCase(category) && isKebabCase(name)))
    throw new BuilderError("component.category and component.displayName must have letters or digits");
  const file = edit.componentFile(uid) ?? `src/components/${category}/${name}.json`;
  if (!file.endsWith(".json")) throw new BuilderError(`${file} is code, which the builder cannot change`);
  const definition: ComponentDefinition = {
    ...before,
    collectionName: before?.collectionName ?? `components_${tableName(category)}_${tableName(name)}s`,
    info: {
      ...before?.info,
      displayName: String(given.displayName ?? before?.info?.displayName ?? name),
      ...(textOf(given.icon) ? { icon: String(given.icon) } : {}),
      ...(textOf(given.description) ? { description: String(given.description) } : {}),
    },
    options: before?.options ?? {},
    ...(isRecord(given.pluginOptions) ? { pluginOptions: given.pluginOptions } : {}),
    attributes: {},
  };
  edit.putComponent(uid, file, category, definition, recordOf(given.attributes));
}

/** Components that come along: new ones are named by a uid that holds for the request alone. */
function putNested(edit: SchemaEdit, components: unknown): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const list = (Array.isArray(components) ? components : []).filter(isRecord);
  for (const given of list) if (typeof given.tmpUID === "string") names.set(given.tmpUID, componentUid(given));
  for (const given of list) {
    const known = textOf(given.uid);
    const uid = known !== undefined && edit.component(known) ? known : componentUid(given);
    putComponent(edit, uid, { ...given, attributes: withNames(given.attributes, names) });
  }
  return names;
}

function withNames(attributes: unknown, names: ReadonlyMap<string, string>): Given {
  const nameOf = (uid: unknown): unknown => names.get(uid as string) ?? uid;
  return Object.fromEntries(
    Object.entries(recordOf(attributes)).map(([key, attribute]) => {
      const { component, components } = recordOf(attribute);
      const own = component === undefined ? {} : { component: nameOf(component) };
      const zone = Array.isArray(components) ? { components: components.map(nameOf) } : {};
      return [key, { ...recordOf(attribute), ...own, ...zone }];
    }),
  );
}

/** A change, and the uid that its type or component has afterwards. */
export interface Edit {
  readonly uid: string;
  readonly edit: SchemaEdit;
}

/** Attributes get other names, and keep what they hold. */
function rename(edit: SchemaEdit, uid: string, renames: unknown): void {
  for (const [from, to] of Object.entries(recordOf(renames))) {
    const problem = typeof to === "string" ? edit.renameAttribute(uid, from, to) : "must be a name";
    if (problem !== undefined) throw new BuilderError(`${from} cannot be renamed: ${problem}`);
  }
}

function saveType(edit: SchemaEdit, uid: string, file: string, folder: string, body: Given): Edit {
  const names = putNested(edit, body.components);
  const given = recordOf(body.contentType);
  edit.putType(uid, file, folder, typeDefinition(given, edit.type(uid)), withNames(given.attributes, names));
  return { uid, edit };
}

export function createType(services: AdminServices, body: Given): Edit {
  checkType(services, body.contentType, true);
  const name = String(recordOf(body.contentType).singularName);
  const uid = `api::${name}.${name}`;
  const edit = new SchemaEdit(services.schema);
  if (edit.type(uid)) throw new BuilderRefusal(400, "contentType.alreadyExists");
  return saveType(edit, uid, `src/api/${name}/content-types/${name}/schema.json`, name, body);
}

export function changeType(services: AdminServices, uid: string, body: Given): Edit {
  const type = services.schema.types.find((item) => item.uid === uid);
  if (!type) throw new BuilderRefusal(404, "contentType.notFound");
  checkType(services, body.contentType, false);
  const edit = new SchemaEdit(services.schema);
  rename(edit, uid, body.renames);
  return saveType(edit, uid, type.file, type.folder, body);
}

export function removeType(services: AdminServices, uid: string): Edit {
  const edit = new SchemaEdit(services.schema);
  if (!edit.type(uid)) throw new BuilderRefusal(404, "contentType.notFound");
  if (!uid.startsWith("api::")) throw new BuilderRefusal(400, "contentType.cannotBeDeleted");
  edit.removeType(uid);
  return { uid, edit };
}

function checkComponent(component: Given): void {
  const problems = requireTexts(component, "component", ["displayName", "category"]);
  problems.push(...attributeProblems(component, "component"));
  if (problems.length > 0) throw builderProblems(problems);
}

function saveComponent(edit: SchemaEdit, uid: string, component: Given, names: ReadonlyMap<string, string>): Edit {
  putComponent(edit, uid, { ...component, attributes: withNames(component.attributes, names) });
  return { uid, edit };
}

export function createComponent(services: AdminServices, body: Given): Edit {
  const component = recordOf(body.component);
  checkComponent(component);
  const uid = componentUid(component);
  const edit = new SchemaEdit(services.schema);
  if (edit.component(uid)) throw new BuilderRefusal(400, "component.alreadyExists");
  return saveComponent(edit, uid, component, putNested(edit, body.components));
}

export function changeComponent(services: AdminServices, uid: string, body: Given): Edit {
  const edit = new SchemaEdit(services.schema);
  if (!edit.component(uid)) throw new BuilderRefusal(404, "component.notFound");
  const component = recordOf(body.component);
  checkComponent(component);
  const names = putNested(edit, body.components);
  const category = slugOf(String(component.category));
  const next = `${category}.${uid.slice(uid.indexOf(".") + 1)}`;
  if (next !== uid && edit.component(next)) throw new BuilderRefusal(400, "component.edit.alreadyExists");
  rename(edit, uid, body.renames);
  edit.moveComponent(uid, next, `src/components/${category}/${next.slice(next.indexOf(".") + 1)}.json`, category);
  return saveComponent(edit, next, component, names);
}

export function removeComponent(services: AdminServices, uid: string): Edit {
  const edit = new SchemaEdit(services.schema);
  if (!edit.component(uid)) throw new BuilderRefusal(404, "component.notFound");
  edit.removeComponent(uid);
  return { uid, edit };
}
