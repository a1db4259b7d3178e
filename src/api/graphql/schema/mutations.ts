/** The fields that write documents. The response is read after the write, by the plan of the selection. */
import { type GraphQLFieldConfigArgumentMap, GraphQLID, GraphQLNonNull, GraphQLObjectType } from "graphql";
import type { Documents } from "../../../engine/documents/documents.ts";
import { isLinkable } from "../../../engine/documents/input-keys.ts";
import type { Params } from "../../../engine/query/parse.ts";
import type { Document } from "../../../engine/query/select.ts";
import type { CanRead } from "../../../engine/query/tree.ts";
import { holdsComponents, mapComponents } from "../../../engine/schema/entries.ts";
import type { Attribute, ContentType, Model, Schema } from "../../../engine/schema/model.ts";
import { notFound } from "../../../lib/errors.ts";
import { toRecord } from "../../../lib/is-record.ts";
import { visibleError } from "../format-error.ts";
import { typeName } from "../names.ts";
import { completeRows } from "../plan/complete-rows.ts";
import { readRow, versionParams } from "../plan/read.ts";
import type { RootField } from "../plan/root-field.ts";
import { documentId, locale, status } from "./arguments.ts";
import { dataInput } from "./inputs.ts";
import { rootFieldRules } from "./offers.ts";
import { type RootFields, rootField } from "./root-resolver.ts";
import type { Types } from "./types.ts";

type Data = Record<string, unknown>;

function inputValue(model: Model, attribute: Attribute, value: unknown, canRead: CanRead): unknown {
  if (!holdsComponents(attribute)) return value;
  return mapComponents(model, attribute, value, (part, entry) => inputData(model, part, entry, canRead));
}

/**
 * Unlike REST, silently drops relations to types that the caller may not find, and unknown keys, which are possible only in
 * dynamic zones. A null id is dropped as well.
 */
function inputData(model: Model, schema: Schema, input: Data, canRead: CanRead): Data {
  const data: Data = {};
  for (const [key, value] of Object.entries(input)) {
    const attribute = schema.attributes.get(key);
    if (attribute) {
      if (isLinkable(schema, attribute, value, canRead)) data[key] = inputValue(model, attribute, value, canRead);
    } else if (key === "__component" || (key === "id" && value !== null)) data[key] = value;
  }
  return data;
}

const deleted = new GraphQLObjectType({
  name: "DeleteMutationResponse",
  fields: { documentId: { type: new GraphQLNonNull(GraphQLID) } },
});

const getDocuments = ({ operation, type }: RootField): Documents =>
  operation.services.context.documents(type, operation.reader);

/** Status and locale of a write. Unlike in queries, null as the status means draft. */
const writeParams = (field: RootField, { interceptsWrites }: Documents): Params => ({
  ...versionParams({ locale: field.args.locale }),
  status: field.args.status === "published" ? "published" : "draft",
  // the response is read by the plan
  ...(interceptsWrites ? {} : { fields: [] }),
});

async function run<T>(service: Documents, work: (service: Documents) => Promise<T>): Promise<T> {
  try {
    return await work(service);
  } catch (error) {
    throw service.interceptsWrites ? visibleError(error) : error;
  }
}

type Write = (service: Documents, params: Params & { readonly data: Document }) => Promise<Document | null>;

const writeResolver =
  (write: Write) =>
  async (field: RootField): Promise<unknown> => {
    const { operation, type, args } = field;
    const { model } = operation.services.context;
    const data = inputData(model, type, toRecord(args.data), operation.ability.canRead);
    const documents = getDocuments(field);
    const params = writeParams(field, documents);
    const document = await run(documents, (service) => write(service, { ...params, data }));
    if (!document) return null;
    if (documents.interceptsWrites) return completeRows(field, document);
    // a type without drafts links to both versions of a document, and outside of queries both are returned
    const version = params.status === "published" ? "published" : "draft";
    return readRow(field, Number(document.id), { status: type.draftAndPublish ? version : undefined });
  };

const create = writeResolver((service, params) => service.create(params));
const createOrUpdate = writeResolver((service, params) => service.createOrUpdate(params));
const update = (field: RootField): Promise<unknown> =>
  writeResolver((service, params) => service.update({ ...params, documentId: String(field.args.documentId) }))(field);

async function remove(field: RootField): Promise<{ readonly documentId: string }> {
  const documentId = String(field.args.documentId);
  const { status: _, ...locales } = versionParams({ locale: field.args.locale });
  await run(getDocuments(field), (service) => service.delete({ ...locales, documentId }));
  return { documentId };
}

async function removeSingle(field: RootField): Promise<{ readonly documentId: string }> {
  const { status: _, ...locales } = versionParams({ locale: field.args.locale });
  const removed = await run(getDocuments(field), (service) => service.deleteSingle(locales));
  if (!removed) throw notFound("Document not found");
  return removed;
}

export function createMutations(types: Types, type: ContentType): RootFields {
  if (!rootFieldRules(type)?.writable) return {};
  const name = typeName(type);
  const isSingle = type.kind === "singleType";
  const id: GraphQLFieldConfigArgumentMap = isSingle ? {} : { documentId };
  const has = (action: "create" | "update" | "delete"): boolean => types.shadowCrud.hasAction(type.uid, action);
  const data = () => ({ data: { type: new GraphQLNonNull(dataInput(types, type)) } });
  const fields: RootFields = {};
  if (!isSingle && has("create")) {
    fields[`create${name}`] = {
      type: types.object(type),
      args: { status, ...data(), ...locale(type) },
      resolve: rootField(type, `${type.uid}.create`, create),
    };
  }
  if (has("update")) {
    fields[`update${name}`] = {
      type: types.object(type),
      args: { ...id, status, ...data(), ...locale(type) },
      resolve: rootField(type, `${type.uid}.update`, isSingle ? createOrUpdate : update),
    };
  }
  if (has("delete")) {
    fields[`delete${name}`] = {
      type: deleted,
      args: { ...id, ...locale(type) },
      resolve: rootField(type, `${type.uid}.delete`, isSingle ? removeSingle : remove),
    };
  }
  return fields;
}
