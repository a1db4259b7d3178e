/** Reads the schemas of a running Strapi over REST, as its content-type-builder describes them. */
import { ProjectError } from "../../../lib/errors.ts";
import { isRecord, toRecord } from "../../../lib/is-record.ts";
import { pick, pickBy } from "../../../lib/records.ts";
import { type ArchiveSchema, isSchema, type Json } from "../../archive/shapes.ts";
import type { RestClient } from "./client.ts";

const PATHS = { contentType: "content-types", component: "components" } as const;
const OPTIONS = ["draftAndPublish", "privateAttributes", "populateCreatorFields"];
const INFO = ["singularName", "pluralName", "displayName", "description", "icon"];

/** Without the keys that are in descriptions only, and flags that are not set. */
function attributeDefinition({ targetAttribute: _, ...attribute }: Json): Json {
  return pickBy(attribute, (value, name) => !((name === "required" || name === "private") && !value));
}

function parseSchema(modelType: ArchiveSchema["modelType"], described: unknown): ArchiveSchema | undefined {
  if (!isRecord(described) || !isRecord(described.schema)) return undefined;
  const { schema } = described;
  const attributes = toRecord(schema.attributes);
  const found = {
    uid: described.uid,
    modelType,
    ...pick(schema, ["collectionName", "pluginOptions", ...(modelType === "contentType" ? ["kind"] : [])]),
    info: pick(schema, INFO),
    options: pick(schema, OPTIONS),
    attributes: Object.fromEntries(
      Object.entries(attributes).flatMap(([name, value]) =>
        isRecord(value) ? [[name, attributeDefinition(value)]] : [],
      ),
    ),
  };
  return isSchema(found) ? found : undefined;
}

/** By uid. Rejects with a ProjectError, also if the token may not read them. */
export async function readSchemas(client: RestClient): Promise<ReadonlyMap<string, ArchiveSchema>> {
  const schemas = new Map<string, ArchiveSchema>();
  for (const modelType of ["contentType", "component"] as const) {
    const { status, body } = await client.get(`/content-type-builder/${PATHS[modelType]}`);
    if (status === 401) throw client.failure("does not accept the token");
    if (status !== 200 || !isRecord(body) || !Array.isArray(body.data))
      throw new ProjectError(
        client.root,
        undefined,
        `does not show its schemas to this token (${status}): name the folder of its project after the URL, or use a token of type ` +
          "full access, or a custom one with getContentTypes and getComponents of content-type-builder, and find of each type",
      );
    for (const described of body.data) {
      const schema = parseSchema(modelType, described);
      if (schema) schemas.set(schema.uid, schema);
    }
  }
  return schemas;
}
