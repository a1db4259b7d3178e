/** `/content-type-builder/schema` and `update-schema`: all types and components at once. */

import { withAdministration } from "../../engine/schema/builtin/administration.ts";
import type { RawComponent, RawContentType } from "../../engine/schema/definition.ts";
import { describeAttribute, isVisible, parsePlugin, relationsAllowedTo } from "../../engine/schema/describe.ts";
import { componentGlobalId, typeGlobalId } from "../../engine/schema/global-id.ts";
import { ApiError, applicationError } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import { type AdminResponse, type AdminRoute, type JsonObject, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { applyEdit } from "./apply.ts";
import { BuilderError, BuilderRefusal } from "./builder-error.ts";
import { putComponent, resolveTemporaryUids, typeDefinition } from "./definitions.ts";
import { renameAttributes } from "./edits.ts";
import { SchemaEdit } from "./schema-edit.ts";
import { readUpdate } from "./update-input.ts";

const PATH = "/content-type-builder";

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
    plugin: parsePlugin(uid),
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

function editType(services: AdminServices, edit: SchemaEdit, input: JsonObject): void {
  const uid = String(input.uid);
  const raw = services.schema.types.find((type) => type.uid === uid);
  if (input.action === "delete") {
    if (!raw) throw applicationError("contentType.notFound");
    if (!uid.startsWith("api::")) throw applicationError("contentType.cannotBeDeleted");
    return edit.remove(uid);
  }
  const isNew = input.action === "create";
  // a type that exists names itself by its uid
  const attributes = isNew ? resolveTemporaryUids(input.attributes, new Map(), uid) : toRecord(input.attributes);
  const name = String(input.singularName);
  const file = raw?.file ?? `src/api/${name}/content-types/${name}/schema.json`;
  // as in Strapi, missing options of plugins are none
  const definition = typeDefinition({ pluginOptions: {}, ...input }, raw?.definition);
  edit.put({ ...raw, uid, file, folder: raw?.folder ?? name, definition }, attributes);
}

function editComponent({ schema }: AdminServices, edit: SchemaEdit, input: JsonObject): void {
  const uid = String(input.uid);
  if (input.action !== "create" && !schema.components.some((component) => component.uid === uid))
    throw applicationError("component.notFound");
  if (input.action === "delete") return edit.remove(uid);
  putComponent(edit, uid, input);
}

/**
 * The edit that a body of `update-schema` describes, on attributes that are renamed first. Throws an ApplicationError with the first problem.
 */
export function editOfUpdate(
  services: AdminServices,
  body: unknown,
  renames: readonly (readonly [uid: string, names: JsonObject])[] = [],
): SchemaEdit {
  const edit = new SchemaEdit(services.schema);
  for (const [uid, names] of renames) renameAttributes(edit, uid, names);
  const { contentTypes, components } = readUpdate(edit.result, body);
  for (const type of contentTypes) editType(services, edit, type);
  for (const component of components) editComponent(services, edit, component);
  return edit;
}

async function update(services: AdminServices, body: unknown): Promise<AdminResponse> {
  try {
    const edit = editOfUpdate(services, body);
    if (edit.changes.length === 0) return ok({});
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
    route("GET", `${PATH}/schema`, () =>
      ok({
        data: {
          contentTypes: Object.fromEntries(withAdministration(types).map((type) => [type.uid, schemaOfType(type)])),
          components: Object.fromEntries(components.map((item) => [item.uid, schemaOfComponent(item)])),
        },
      }),
    ),
    route("GET", `${PATH}/update-schema-status`, () => ok({ data: { isUpdating: updating.has(root) } })),
    route("POST", `${PATH}/update-schema`, async ({ rawBody }) => {
      const input = await rawBody();
      if (updating.has(root)) return { status: 409, body: { data: null, error: CONFLICT } };
      updating.add(root);
      try {
        // requests that were sent at the same time are read, and refused, before the thread is busy
        await Bun.sleep(CONCURRENT_MS);
        return await update(services, input);
      } finally {
        // requests received in the meantime have not seen the change: they are refused, too
        setImmediate(() => updating.delete(root));
      }
    }),
  ];
}

const CONCURRENT_MS = 20;

const CONFLICT = {
  status: 409,
  name: "ConflictError",
  message: "Schema update is already in progress.",
  details: {},
};
