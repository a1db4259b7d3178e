/** `/content-type-builder/schema` and `update-schema`: all types and components at once. */
import { ApiError, type Problem } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import type { RawComponent, RawContentType } from "../../schema/definition.ts";
import { describeAttribute, isVisible, relationsAllowedTo } from "../../schema/describe.ts";
import { componentGlobalId, typeGlobalId } from "../../schema/global-id.ts";
import { isKebabCase } from "../../schema/names.ts";
import { checkShape, type Shape } from "../../shape.ts";
import { type AdminResponse, type AdminRoute, type JsonObject, ok } from "../call.ts";
import { typeName } from "../content-manager/type-name.ts";
import type { AdminServices } from "../services.ts";
import { applyEdit } from "./apply.ts";
import { type AttributeRules, attributeShape } from "./attribute-shapes.ts";
import { BuilderError, BuilderRefusal, refusalAsResponse } from "./builder-error.ts";
import { cleanAttributes, putComponent, resolveTemporaryUids, typeDefinition } from "./definitions.ts";
import { checkType, componentRules, recordOf, typeRules } from "./input.ts";
import { isReserved, reservedNames } from "./reserved-names.ts";
import { SchemaEdit } from "./schema-edit.ts";

const PATH = "/content-type-builder";
const MAX_PARTS = 1_000;
const ACTIONS = ["create", "update", "delete"];
const NAME = /^[A-Za-z][_0-9A-Za-z]*$/;

const attributeList = (raw: RawContentType | RawComponent): unknown[] =>
  Object.entries(raw.definition.attributes)
    .filter(([, { visible }]) => visible !== false)
    .map(([name, attribute]) => ({ ...describeAttribute(attribute as unknown as JsonObject, false), name }));

const schemaOfType = (type: RawContentType): JsonObject => {
  const { uid, folder, definition } = type;
  const { kind = "collectionType", options, pluginOptions, collectionName, info } = definition;
  return {
    uid,
    modelName: folder,
    kind,
    globalId: typeGlobalId(uid),
    options: { draftAndPublish: false, ...options },
    pluginOptions,
    plugin: /^plugin::(.*)\./.exec(uid)?.[1],
    collectionName,
    info,
    modelType: "contentType",
    attributes: attributeList(type),
    visible: isVisible(type),
    restrictRelationsTo: relationsAllowedTo(type),
  };
};

const schemaOfComponent = (component: RawComponent): JsonObject => {
  const { uid, category, definition } = component;
  return {
    uid,
    modelName: uid.slice(uid.indexOf(".") + 1),
    globalId: componentGlobalId(uid),
    modelType: "component",
    collectionName: definition.collectionName,
    category,
    info: definition.info,
    attributes: attributeList(component),
  };
};

const text: Shape = { type: "string", strict: true, required: true };
const entryShape = (fields: Readonly<Record<string, Shape>>): Shape => ({
  type: "object",
  strict: true,
  required: true,
  fields: { action: { ...text, oneOf: ACTIONS }, ...fields },
});

const reservedWord = (value: string): string | undefined =>
  isReserved(value, reservedNames.attributes) ? "Attribute name is reserved" : undefined;

/** An entry of a list of attributes. Removed ones have a name only. */
function listedAttribute(input: unknown, attributes: JsonObject, rules: AttributeRules): Shape {
  const { action, name, properties } = recordOf(input);
  const isRemoved = action === "delete";
  const nameShape: Shape =
    action === "create"
      ? {
          ...text,
          tests: [
            (value: string) => (NAME.test(value) ? reservedWord(value) : `Invalid string: must match pattern ${NAME}`),
          ],
        }
      : text;
  const shape = isRecord(properties)
    ? attributeShape(String(name), properties, attributes, rules)
    : { ...entryShape({}), fields: {} };
  return entryShape({ name: nameShape, ...(isRemoved ? {} : { properties: { ...shape, tests: [], required: true } }) });
}

/** The attributes of a list by name, without removed ones. */
const attributesOf = (list: unknown): JsonObject =>
  Object.fromEntries(
    (Array.isArray(list) ? list : [])
      .map(recordOf)
      .filter(({ action }) => action !== "delete")
      .map(({ name, properties }) => [String(name), properties]),
  );

/** A missing list is an empty one. */
function listOf(shapeOf: (item: JsonObject) => Readonly<Record<string, Shape>>, rules: AttributeRules): Shape {
  return {
    type: "array",
    strict: true,
    tests: [
      (list: unknown[], path) => (list.length > MAX_PARTS ? `${path} must have at most ${MAX_PARTS} items` : undefined),
    ],
    item: (item) => {
      const values = recordOf(item);
      if (values.action === "delete") return entryShape({ uid: text });
      const attributes = attributesOf(values.attributes);
      const list: Shape = {
        type: "array",
        strict: true,
        required: true,
        item: (one) => listedAttribute(one, attributes, rules),
      };
      return entryShape({ uid: text, displayName: text, ...shapeOf(values), attributes: list });
    },
  };
}

interface Update {
  readonly contentTypes?: readonly JsonObject[];
  readonly components?: readonly JsonObject[];
}

/** The `data` of a body. Throws an ApplicationError if it is no object. */
function dataOf(body: unknown): JsonObject {
  if (body === undefined) throw invalid("Schema is required");
  if (!isRecord(body)) throw invalid("Invalid schema, expected an object with a data property");
  const { data } = body;
  if (isRecord(data)) return data;
  throw invalid(`Invalid input: expected object, received ${typeName(data)}`);
}

/** Types, members and required values only. */
const withoutTests = ({ fields, item, ...shape }: Shape): Shape => ({
  ...shape,
  tests: [],
  ...(fields && {
    fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withoutTests(field)])),
  }),
  ...(item && { item: (value: unknown) => withoutTests(item(value)) }),
});

/** Throws an ApplicationError. As in the reference, it names no place, and what is wrong only in values of the right form. */
function readUpdate({ schema }: AdminServices, body: unknown): Update {
  const data = dataOf(body);
  for (const list of [data.contentTypes, data.components])
    if (list !== undefined && !Array.isArray(list))
      throw invalid(`Invalid input: expected array, received ${typeName(list)}`);
  const { contentTypes } = data;
  const newUids = (Array.isArray(contentTypes) ? contentTypes : []).map(recordOf).map(({ uid }) => String(uid));
  const kebab = {
    ...text,
    tests: [(value: string) => (isKebabCase(value) ? undefined : "Must be kebab case")],
  };
  const typeFields = ({ action }: JsonObject): Readonly<Record<string, Shape>> =>
    action === "create" ? { singularName: kebab, pluralName: kebab } : {};
  const fields = {
    contentTypes: listOf(typeFields, { ...typeRules(schema), targets: undefined }),
    components: listOf(() => ({ category: text }), { ...componentRules(schema), targets: undefined }),
  };
  const shape: Shape = { type: "object", strict: true, fields };
  const wrongForms: Problem[] = [];
  checkShape(withoutTests(shape), data, "data", wrongForms);
  if (wrongForms.length > 0) throw invalid("Invalid input");
  const problems: Problem[] = [];
  checkShape(shape, data, "data", problems);
  if (problems.length > 0) throw invalid(problems[0]!.message);
  const update = data as unknown as Update;
  checkTargets(update, new Set([...schema.types.map(({ uid }) => uid), ...typeRules(schema, newUids).targets]));
  return update;
}

/** Throws an ApplicationError for the first relation that leads to no type. */
function checkTargets({ contentTypes = [], components = [] }: Update, known: ReadonlySet<string>): void {
  const attributes = [...components, ...contentTypes].flatMap((input) => Object.values(attributesOf(input.attributes)));
  for (const { type, target } of attributes.map(recordOf))
    if (type === "relation" && typeof target === "string" && !known.has(target))
      throw invalid(`Content type ${target} not found`);
}

const invalid = (message: string): ApiError => new ApiError("ApplicationError", message);

function editType(services: AdminServices, edit: SchemaEdit, input: JsonObject): void {
  const uid = String(input.uid);
  const raw = services.schema.types.find((type) => type.uid === uid);
  const { action } = input;
  if (action === "create" && raw) throw invalid(`contentType.alreadyExists`);
  if (action !== "create" && !raw) throw invalid(`contentType.notFound`);
  if (action === "delete") {
    if (!uid.startsWith("api::")) throw invalid("contentType.cannotBeDeleted");
    return edit.removeType(uid);
  }
  const name = String(input.singularName);
  if (action === "create" && uid !== `api::${name}.${name}`) throw invalid(`${uid} must be api::${name}.${name}`);
  const cleaned = cleanAttributes(attributesOf(input.attributes)) as JsonObject;
  // a type that exists names itself by its uid
  const attributes = action === "create" ? resolveTemporaryUids(cleaned, new Map(), uid) : cleaned;
  if (action === "create") checkType(services.schema, { contentType: { ...input, attributes: {} } }, true);
  const file = raw?.file ?? `src/api/${name}/content-types/${name}/schema.json`;
  // as in the reference, missing options of plugins are none
  const definition = typeDefinition({ pluginOptions: {}, ...input }, raw?.definition);
  edit.putType(uid, file, raw?.folder ?? name, definition, attributes);
}

function editComponent(services: AdminServices, edit: SchemaEdit, input: JsonObject): void {
  const uid = String(input.uid);
  const isThere = services.schema.components.some((component) => component.uid === uid);
  if (input.action === "create" && isThere) throw invalid("component.alreadyExists");
  if (input.action !== "create" && !isThere) throw invalid("component.notFound");
  if (input.action === "delete") return edit.removeComponent(uid);
  putComponent(edit, uid, { ...input, attributes: cleanAttributes(attributesOf(input.attributes)) });
}

async function update(services: AdminServices, body: unknown): Promise<AdminResponse> {
  try {
    const { contentTypes = [], components = [] } = readUpdate(services, body);
    if (contentTypes.length + components.length === 0) return ok({});
    const edit = new SchemaEdit(services.schema);
    for (const input of components) editComponent(services, edit, input);
    for (const input of contentTypes) editType(services, edit, input);
    await applyEdit(services, edit);
    return ok({});
  } catch (error) {
    if (error instanceof BuilderError || (error instanceof ApiError && error.httpStatus === 400))
      throw new BuilderRefusal(400, error.message);
    throw error;
  }
}

/** Folders of projects whose types are being changed. Kept here since each change creates new routes. */
const updating = new Set<string>();

export function schemaRoutes(services: AdminServices): AdminRoute[] {
  const { types, components } = services.schema;
  const { root } = services;
  return [
    {
      method: "GET",
      path: `${PATH}/schema`,
      handle: () =>
        ok({
          data: {
            contentTypes: Object.fromEntries(types.map((type) => [type.uid, schemaOfType(type)])),
            components: Object.fromEntries(components.map((item) => [item.uid, schemaOfComponent(item)])),
          },
        }),
    },
    {
      method: "GET",
      path: `${PATH}/update-schema-status`,
      handle: () => ok({ data: { isUpdating: updating.has(root) } }),
    },
    {
      method: "POST",
      path: `${PATH}/update-schema`,
      handle: async ({ rawBody }) => {
        const input = await rawBody();
        if (updating.has(root)) return { status: 409, body: { data: null, error: CONFLICT } };
        updating.add(root);
        try {
          // requests that were sent at the same time are read, and refused, before the thread is busy
          await Bun.sleep(CONCURRENT_MS);
          return await refusalAsResponse(() => update(services, input));
        } finally {
          // requests received in the meantime have not seen the change: they are refused, too
          setImmediate(() => updating.delete(root));
        }
      },
    },
  ];
}

const CONCURRENT_MS = 20;

const CONFLICT = {
  status: 409,
  name: "ConflictError",
  message: "Schema update is already in progress.",
  details: {},
};
