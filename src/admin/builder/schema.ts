/** `/content-type-builder/schema` and `update-schema`: all types and components at once. */
import { ApiError, type Problem, problemsError } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import type { RawComponent, RawContentType } from "../../schema/definition.ts";
import { describeAttribute, isVisible, relationsAllowedTo } from "../../schema/describe.ts";
import { isKebabCase } from "../../schema/names.ts";
import { checkShape, type Shape } from "../../shape.ts";
import { type AdminResponse, type AdminRoute, ok } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { applyEdit } from "./apply.ts";
import { attributeShape, type Place } from "./attribute-shapes.ts";
import { BuilderError, BuilderRefusal, refusalAsResponse } from "./builder-error.ts";
import { putComponent, tidied, typeDefinition } from "./definitions.ts";
import { checkType, componentPlace, type Given, recordOf, typePlace } from "./input.ts";
import { isReserved, reservedNames } from "./reserved-names.ts";
import { SchemaEdit } from "./schema-edit.ts";

const PATH = "/content-type-builder";
const MAX_PARTS = 1_000;
const ACTIONS = ["create", "update", "delete"];
const NAME = /^[A-Za-z][_0-9A-Za-z]*$/;

const attributeList = (raw: RawContentType | RawComponent): unknown[] =>
  Object.entries(raw.definition.attributes)
    .filter(([, { visible }]) => visible !== false)
    .map(([name, attribute]) => ({ ...describeAttribute(attribute as unknown as Given), name }));

const schemaOfType = (type: RawContentType): Given => {
  const { uid, folder, definition } = type;
  const { kind = "collectionType", options, pluginOptions, collectionName, info } = definition;
  return {
    uid,
    modelName: folder,
    kind,
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

const schemaOfComponent = (component: RawComponent): Given => {
  const { uid, category, definition } = component;
  return {
    uid,
    modelName: uid.slice(uid.indexOf(".") + 1),
    modelType: "component",
    collectionName: definition.collectionName,
    category,
    info: definition.info,
    attributes: attributeList(component),
  };
};

const text: Shape = { type: "string", strict: true, required: true };
const part = (fields: Readonly<Record<string, Shape>>): Shape => ({
  type: "object",
  strict: true,
  required: true,
  fields: { action: { ...text, oneOf: ACTIONS }, ...fields },
});

const reservedWord = (value: string): string | undefined =>
  isReserved(value, reservedNames.attributes) ? "Attribute name is reserved" : undefined;

/** An entry of a list of attributes. Removed ones have a name only. */
function listedAttribute(given: unknown, attributes: Given, place: Place): Shape {
  const { action, name, properties } = recordOf(given);
  const isGone = action === "delete";
  const named: Shape =
    action === "create"
      ? {
          ...text,
          tests: [(value: string) => (NAME.test(value) ? reservedWord(value) : `${value} is no name of an attribute`)],
        }
      : text;
  const shape = isRecord(properties)
    ? attributeShape(String(name), properties, attributes, place)
    : { ...part({}), fields: {} };
  return part({ name: named, ...(isGone ? {} : { properties: { ...shape, tests: [], required: true } }) });
}

/** The attributes of a list by name, without removed ones. */
const attributesOf = (list: unknown): Given =>
  Object.fromEntries(
    (Array.isArray(list) ? list : [])
      .map(recordOf)
      .filter(({ action }) => action !== "delete")
      .map(({ name, properties }) => [String(name), properties]),
  );

function listOf(shapeOf: (item: Given) => Readonly<Record<string, Shape>>, place: Place): Shape {
  return {
    type: "array",
    strict: true,
    required: true,
    tests: [
      (list: unknown[], path) => (list.length > MAX_PARTS ? `${path} must have at most ${MAX_PARTS} items` : undefined),
    ],
    item: (item) => {
      const values = recordOf(item);
      if (values.action === "delete") return part({ uid: text });
      const attributes = attributesOf(values.attributes);
      const list: Shape = {
        type: "array",
        strict: true,
        required: true,
        item: (one) => listedAttribute(one, attributes, place),
      };
      return part({ uid: text, displayName: text, ...shapeOf(values), attributes: list });
    },
  };
}

interface Update {
  readonly contentTypes: readonly Given[];
  readonly components: readonly Given[];
}

/** Throws a ValidationError with every problem. */
function readUpdate({ schema }: AdminServices, body: Given): Update {
  const problems: Problem[] = [];
  const { contentTypes } = recordOf(body.data);
  const news = (Array.isArray(contentTypes) ? contentTypes : []).map(recordOf).map(({ uid }) => String(uid));
  const kebab = {
    ...text,
    tests: [(value: string, path: string) => (isKebabCase(value) ? undefined : `${path} must be in kebab case`)],
  };
  const typeFields = ({ action }: Given): Readonly<Record<string, Shape>> =>
    action === "create" ? { singularName: kebab, pluralName: kebab } : {};
  const fields = {
    contentTypes: listOf(typeFields, typePlace(schema, news)),
    components: listOf(() => ({ category: text }), componentPlace(schema, news)),
  };
  checkShape(
    { type: "object", strict: true, fields: { data: { type: "object", strict: true, required: true, fields } } },
    body,
    "",
    problems,
  );
  if (problems.length > 0) throw problemsError(problems);
  return recordOf(body.data) as unknown as Update;
}

const invalid = (message: string): ApiError => new ApiError("ApplicationError", message);

function editType(services: AdminServices, edit: SchemaEdit, given: Given): void {
  const uid = String(given.uid);
  const raw = services.schema.types.find((type) => type.uid === uid);
  const { action } = given;
  if (action === "create" && raw) throw invalid(`contentType.alreadyExists`);
  if (action !== "create" && !raw) throw invalid(`contentType.notFound`);
  if (action === "delete") {
    if (!uid.startsWith("api::")) throw invalid("contentType.cannotBeDeleted");
    return edit.removeType(uid);
  }
  const name = String(given.singularName);
  if (action === "create" && uid !== `api::${name}.${name}`) throw invalid(`${uid} must be api::${name}.${name}`);
  const attributes = tidied(attributesOf(given.attributes)) as Given;
  if (action === "create") checkType(services.schema, { contentType: { ...given, attributes: {} } }, true);
  const file = raw?.file ?? `src/api/${name}/content-types/${name}/schema.json`;
  edit.putType(uid, file, raw?.folder ?? name, typeDefinition(given, raw?.definition), attributes);
}

function editComponent(services: AdminServices, edit: SchemaEdit, given: Given): void {
  const uid = String(given.uid);
  const isThere = services.schema.components.some((component) => component.uid === uid);
  if (given.action === "create" && isThere) throw invalid("component.alreadyExists");
  if (given.action !== "create" && !isThere) throw invalid("component.notFound");
  if (given.action === "delete") return edit.removeComponent(uid);
  putComponent(edit, uid, { ...given, attributes: tidied(attributesOf(given.attributes)) });
}

async function update(services: AdminServices, body: Given): Promise<AdminResponse> {
  try {
    const { contentTypes, components } = readUpdate(services, body);
    if (contentTypes.length + components.length === 0) return ok({});
    const edit = new SchemaEdit(services.schema);
    for (const given of components) editComponent(services, edit, given);
    for (const given of contentTypes) editType(services, edit, given);
    await applyEdit(services, edit);
    return ok({});
  } catch (error) {
    if (error instanceof BuilderError || (error instanceof ApiError && error.status === 400))
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
      handle: async ({ body }) => {
        const given = await body();
        if (updating.has(root)) return { status: 409, body: { data: null, error: CONFLICT } };
        updating.add(root);
        try {
          return await refusalAsResponse(() => update(services, given));
        } finally {
          // requests that came in meanwhile have not seen the change: they are refused, too
          setImmediate(() => updating.delete(root));
        }
      },
    },
  ];
}

const CONFLICT = {
  status: 409,
  name: "ConflictError",
  message: "Schema update is already in progress.",
  details: {},
};
