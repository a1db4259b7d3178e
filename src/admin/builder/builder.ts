/** `/content-type-builder`: content-types and components, written into the project's files and served at once. */
import type slugify from "@sindresorhus/slugify";
import type { Problem } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import type { ComponentDefinition, ContentTypeDefinition } from "../../schema/definition.ts";
import { describeComponent, describeType, isVisible } from "../../schema/describe.ts";
import { isKebabCase } from "../../schema/names.ts";
import { type AdminAnswer, type AdminCall, type AdminRoute, ok } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { applyEdit } from "./apply.ts";
import { BuilderError, builderProblems } from "./builder-error.ts";
import { isReserved, reservedNames } from "./reserved-names.ts";
import { SchemaEdit } from "./schema-edit.ts";

type Given = Readonly<Record<string, unknown>>;

const KINDS = ["singleType", "collectionType"];

const failed = (status: number, error: string): AdminAnswer => ({ status, body: { error } });
const slugOf = (name: string): string => (require("@sindresorhus/slugify") as typeof slugify)(name);
const tableName = (name: string): string => slugOf(name).replaceAll("-", "_");
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const recordOf = (value: unknown): Given => (isRecord(value) ? value : {});

/** A refusal of its own shape is an answer; anything else goes to the server's formatting. */
async function answering(run: () => Promise<AdminAnswer>): Promise<AdminAnswer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof BuilderError) return error.answer;
    throw error;
  }
}

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

export function builderRoutes(services: AdminServices): AdminRoute[] {
  const { types, components } = services.schema;
  const route = (
    method: AdminRoute["method"],
    path: string,
    handle: (call: AdminCall) => AdminAnswer | Promise<AdminAnswer>,
  ): AdminRoute => ({
    method,
    path: `/content-type-builder/${path}`,
    handle: (call) => answering(async () => handle(call)),
  });
  const isOwn = (uid: string | undefined): uid is string => types.some((type) => type.uid === uid);
  const isComponent = (uid: string | undefined): uid is string => components.some((item) => item.uid === uid);
  const saveType = async (uid: string, file: string, folder: string, body: Given): Promise<void> => {
    const edit = new SchemaEdit(services.schema);
    const names = putNested(edit, body.components);
    const given = recordOf(body.contentType);
    edit.putType(uid, file, folder, typeDefinition(given, edit.type(uid)), withNames(given.attributes, names));
    await applyEdit(services, edit);
  };
  return [
    route("GET", "reserved-names", () => ok(reservedNames)),
    route("GET", "update-schema-status", () => ok({ data: { isUpdating: false } })),
    route("GET", "content-types", ({ query }) => {
      const { kind } = query();
      const found = types.filter(({ definition }) => !kind || (definition.kind ?? "collectionType") === kind);
      return ok({ data: found.map(describeType) });
    }),
    route("GET", "content-types/:uid", ({ params: { uid } }) => {
      const type = types.find((item) => item.uid === uid);
      return type && isVisible(type) ? ok({ data: describeType(type) }) : failed(404, "contentType.notFound");
    }),
    route("POST", "content-types", async ({ body }) => {
      const given = await body();
      checkType(services, given.contentType, true);
      const name = String(recordOf(given.contentType).singularName);
      const uid = `api::${name}.${name}`;
      if (isOwn(uid)) return failed(400, "contentType.alreadyExists");
      await saveType(uid, `src/api/${name}/content-types/${name}/schema.json`, name, given);
      return { status: 201, body: { data: { uid } } };
    }),
    route("PUT", "content-types/:uid", async ({ params: { uid }, body }) => {
      const type = types.find((item) => item.uid === uid);
      if (!type) return failed(404, "contentType.notFound");
      const given = await body();
      checkType(services, given.contentType, false);
      await saveType(type.uid, type.file, type.folder, given);
      return { status: 201, body: { data: { uid } } };
    }),
    route("DELETE", "content-types/:uid", async ({ params: { uid } }) => {
      if (!isOwn(uid)) return failed(404, "contentType.notFound");
      if (!uid.startsWith("api::")) return failed(400, "contentType.cannotBeDeleted");
      const edit = new SchemaEdit(services.schema);
      edit.removeType(uid);
      await applyEdit(services, edit);
      return ok({ data: { uid } });
    }),
    route("GET", "components", () => ok({ data: components.map(describeComponent) })),
    route("GET", "components/:uid", ({ params: { uid } }) => {
      const found = components.find((item) => item.uid === uid);
      return found ? ok({ data: describeComponent(found) }) : failed(404, "component.notFound");
    }),
    route("POST", "components", async ({ body }) => {
      const given = await body();
      const component = recordOf(given.component);
      const problems = requireTexts(component, "component", ["displayName", "category"]);
      problems.push(...attributeProblems(component, "component"));
      if (problems.length > 0) throw builderProblems(problems);
      const uid = componentUid(component);
      if (isComponent(uid)) return failed(400, "component.alreadyExists");
      const edit = new SchemaEdit(services.schema);
      const names = putNested(edit, given.components);
      putComponent(edit, uid, { ...component, attributes: withNames(component.attributes, names) });
      await applyEdit(services, edit);
      return { status: 201, body: { data: { uid } } };
    }),
    route("PUT", "components/:uid", async ({ params: { uid }, body }) => {
      if (!isComponent(uid)) return failed(404, "component.notFound");
      const given = await body();
      const component = recordOf(given.component);
      const problems = requireTexts(component, "component", ["displayName", "category"]);
      problems.push(...attributeProblems(component, "component"));
      if (problems.length > 0) throw builderProblems(problems);
      const edit = new SchemaEdit(services.schema);
      const names = putNested(edit, given.components);
      const category = slugOf(String(component.category));
      const next = `${category}.${uid.slice(uid.indexOf(".") + 1)}`;
      if (next !== uid && isComponent(next)) return failed(400, "component.edit.alreadyExists");
      edit.moveComponent(uid, next, `src/components/${category}/${next.slice(next.indexOf(".") + 1)}.json`, category);
      putComponent(edit, next, { ...component, attributes: withNames(component.attributes, names) });
      await applyEdit(services, edit);
      return ok({ data: { uid: next } });
    }),
    route("DELETE", "components/:uid", async ({ params: { uid } }) => {
      if (!isComponent(uid)) return failed(404, "component.notFound");
      const edit = new SchemaEdit(services.schema);
      edit.removeComponent(uid);
      await applyEdit(services, edit);
      return ok({ data: { uid } });
    }),
  ];
}
