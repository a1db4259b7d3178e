/** The content-types and components that a server says it has, as far as loading needs them. */
import { type Api, isRecord, type Json } from "./api.ts";
import { LoadError } from "./load-error.ts";

export type Attributes = Readonly<Record<string, Json>>;

export interface ContentType {
  readonly uid: string;
  /** Its name in the data and in addresses. */
  readonly name: string;
  readonly isSingle: boolean;
  readonly attributes: Attributes;
}

export interface Schema {
  readonly types: readonly ContentType[];
  /** Attributes by the uid of the component. */
  readonly components: ReadonlyMap<string, Attributes>;
}

interface Described {
  readonly uid: string;
  readonly schema: Json;
  readonly attributes: Attributes;
}

function isDescription(item: unknown): item is { uid: string; schema: Json & { attributes: Attributes } } {
  if (!isRecord(item) || typeof item.uid !== "string" || !isRecord(item.schema)) return false;
  return isRecord(item.schema.attributes) && Object.values(item.schema.attributes).every(isRecord);
}

async function list(api: Api, path: string): Promise<Described[]> {
  const { body } = await api.send({ about: "the schema", path: `content-type-builder/${path}` });
  const items: unknown = isRecord(body) ? body.data : undefined;
  if (!Array.isArray(items) || !items.every(isDescription))
    throw new LoadError(`the schema: /api/content-type-builder/${path} answered something else`);
  return items.map(({ uid, schema }) => ({ uid, schema, attributes: schema.attributes }));
}

export async function readSchema(api: Api): Promise<Schema> {
  const [types, components] = [await list(api, "content-types"), await list(api, "components")];
  return {
    // users, roles and files have routes of their own
    types: types
      .filter(({ uid }) => uid.startsWith("api::"))
      .map(({ uid, schema, attributes }) => {
        const isSingle = schema.kind === "singleType";
        return { uid, name: String(isSingle ? schema.singularName : schema.pluralName), isSingle, attributes };
      }),
    components: new Map(components.map(({ uid, attributes }) => [uid, attributes])),
  };
}
