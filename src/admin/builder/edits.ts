/** Converts requests to the content-type builder to edits of the schema in memory. Throws if one is refused. */

import type { RawComponent } from "../../engine/schema/definition.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { applicationError } from "../../lib/errors.ts";
import { toRecord } from "../../lib/is-record.ts";
import type { JsonObject } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { BuilderError, BuilderRefusal } from "./builder-error.ts";
import {
  cleanAttributes,
  componentUid,
  putComponent,
  putNested,
  resolveTemporaryUids,
  toSlug,
  typeDefinition,
} from "./definitions.ts";
import { checkCategory, checkComponent, checkType, newUid } from "./input.ts";
import { SchemaEdit } from "./schema-edit.ts";

const withCleanAttributes = (body: JsonObject, key: "contentType" | "component"): JsonObject => {
  const input = body[key];
  if (input === undefined) return body;
  return { ...body, [key]: { ...toRecord(input), attributes: cleanAttributes(toRecord(input).attributes) } };
};

/** A change, and the uid that its type or component has afterwards. */
export interface Edit {
  readonly uid: string;
  readonly edit: SchemaEdit;
}

/** Renames attributes, which keep their values. */
export function renameAttributes(edit: SchemaEdit, uid: string, renames: unknown): void {
  for (const [from, to] of Object.entries(toRecord(renames))) {
    const problem = typeof to === "string" ? edit.renameAttribute(uid, from, to) : "must be a name";
    if (problem !== undefined) throw new BuilderError(`${from} cannot be renamed: ${problem}`);
  }
}

/** As in Strapi, components of dynamic zones are not looked at here: `applyEdit` refuses unknown ones. */
function refuseUnknownComponents(edit: SchemaEdit, attributes: JsonObject): void {
  for (const { type, component } of Object.values(attributes).map(toRecord)) {
    if (type === "component" && edit.component(String(component)) === undefined)
      throw new BuilderRefusal(400, "component.notFound");
  }
}

function saveType(edit: SchemaEdit, uid: string, file: string, folder: string, body: JsonObject): Edit {
  const uids = putNested(edit, body.components, uid);
  const input = toRecord(body.contentType);
  const attributes = resolveTemporaryUids(input.attributes, uids, uid);
  refuseUnknownComponents(edit, attributes);
  edit.put(
    { ...edit.type(uid), uid, file, folder, definition: typeDefinition(input, edit.type(uid)?.definition) },
    attributes,
  );
  return { uid, edit };
}

const TOO_MANY = "You cannot convert a collectionType to a singleType when having multiple entries in DB";

function refuseManyDocuments({ context: { storage, model } }: AdminServices, uid: string): void {
  const sql = `SELECT count(DISTINCT document_id) FROM ${quote(contentType(model, uid).table)}`;
  if ((storage.first(sql)![0] as number) > 1) throw new BuilderRefusal(400, TOO_MANY);
}

export function createType(services: AdminServices, body: JsonObject): Edit {
  checkType(services.schema, body);
  const name = String(toRecord(body.contentType).singularName);
  const uid = newUid({ singularName: name });
  const edit = new SchemaEdit(services.schema);
  if (edit.type(uid)) throw new BuilderRefusal(400, "contentType.alreadyExists");
  return saveType(edit, uid, `src/api/${name}/content-types/${name}/schema.json`, name, body);
}

/** `renames`: new names of attributes by their old ones. */
export function changeType(services: AdminServices, uid: string, input: JsonObject, renames?: unknown): Edit {
  const type = services.schema.types.find((item) => item.uid === uid);
  if (!type) throw new BuilderRefusal(404, "contentType.notFound");
  const body = withCleanAttributes(input, "contentType");
  checkType(services.schema, body, type.definition);
  const isSingle = toRecord(body.contentType).kind === "singleType";
  if (isSingle && type.definition.kind !== "singleType") refuseManyDocuments(services, uid);
  const edit = new SchemaEdit(services.schema);
  renameAttributes(edit, uid, renames);
  return saveType(edit, uid, type.file, type.folder, body);
}

export function removeType(services: AdminServices, uid: string): Edit {
  const edit = new SchemaEdit(services.schema);
  if (!edit.type(uid)) throw new BuilderRefusal(404, "contentType.notFound");
  if (!uid.startsWith("api::")) throw new BuilderRefusal(400, "contentType.cannotBeDeleted");
  edit.remove(uid);
  return { uid, edit };
}

function saveComponent(edit: SchemaEdit, uid: string, component: JsonObject, uids: ReadonlyMap<string, string>): Edit {
  const attributes = resolveTemporaryUids(component.attributes, uids);
  refuseUnknownComponents(edit, attributes);
  putComponent(edit, uid, { ...component, attributes });
  return { uid, edit };
}

export function createComponent(services: AdminServices, body: JsonObject): Edit {
  checkComponent(services.schema, body);
  const component = toRecord(body.component);
  const uid = componentUid(component);
  const edit = new SchemaEdit(services.schema);
  if (edit.component(uid)) throw new BuilderRefusal(400, "component.alreadyExists");
  return saveComponent(edit, uid, component, putNested(edit, body.components));
}

/** `renames` as in `changeType`. */
export function changeComponent(services: AdminServices, uid: string, input: JsonObject, renames?: unknown): Edit {
  const edit = new SchemaEdit(services.schema);
  if (!edit.component(uid)) throw new BuilderRefusal(404, "component.notFound");
  const body = withCleanAttributes(input, "component");
  checkComponent(services.schema, body, edit.component(uid)?.definition);
  const component = toRecord(body.component);
  const uids = putNested(edit, body.components);
  const category = toSlug(String(component.category));
  const next = movedUid(uid, category);
  if (next !== uid && edit.component(next)) throw new BuilderRefusal(400, "component.edit.alreadyExists");
  renameAttributes(edit, uid, renames);
  edit.moveComponent(uid, next, componentPath(next), category);
  // the request knows it by its uid until now
  return saveComponent(edit, next, component, new Map([...uids, [uid, next]]));
}

export function removeComponent(services: AdminServices, uid: string): Edit {
  const edit = new SchemaEdit(services.schema);
  if (!edit.component(uid)) throw new BuilderRefusal(404, "component.notFound");
  edit.remove(uid);
  return { uid, edit };
}

const movedUid = (uid: string, category: string): string => `${category}.${uid.slice(uid.indexOf(".") + 1)}`;
const componentPath = (uid: string): string => `src/components/${uid.replace(".", "/")}.json`;

/** The components of a category. Throws an ApplicationError where there are none. */
function componentsIn({ schema }: AdminServices, name: string): readonly RawComponent[] {
  const found = schema.components.filter(({ category }) => category === name);
  if (found.length === 0) throw applicationError("category not found");
  return found;
}

/** Undefined for an unchanged name. */
export function renameCategory(services: AdminServices, name: string, body: JsonObject): Edit | undefined {
  checkCategory(body);
  const category = toSlug(String(body.name));
  if (category === name) return undefined;
  const moved = componentsIn(services, name);
  if (services.schema.components.some((item) => item.category === category))
    throw applicationError("Name already taken");
  const edit = new SchemaEdit(services.schema);
  for (const { uid } of moved) {
    const next = movedUid(uid, category);
    edit.moveComponent(uid, next, componentPath(next), category);
  }
  return { uid: category, edit };
}

export function removeCategory(services: AdminServices, name: string): Edit {
  const edit = new SchemaEdit(services.schema);
  for (const { uid } of componentsIn(services, name)) edit.remove(uid);
  return { uid: name, edit };
}
