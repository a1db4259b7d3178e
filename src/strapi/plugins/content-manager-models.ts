/** `strapi.contentTypes` and `strapi.components` as the content manager describes them. */
import { toRecord, type Values } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import type { SchemaView } from "../data/schemas.ts";
import type { Members } from "../loader/plugin.ts";
import { strapiUtils } from "../packages/utils.ts";
import type { Runtime } from "../runtime.ts";

const SENT = new Set("uid isDisplayed apiID kind category info options pluginOptions attributes".split(" "));

const isPolymorphic = ({ type, relation }: Values): boolean =>
  type === "relation" && String(relation).toLowerCase().includes("morph");

const describeAttribute = (attribute: Values): Values =>
  attribute.type === "relation"
    ? { ...attribute, targetModel: attribute.target, relationType: attribute.relation }
    : attribute;

function toModel(schema: SchemaView): Values {
  const { getVisibleAttributes, getTimestamps, getCreatorFields } = strapiUtils().contentTypes;
  const model = schema as never;
  const names = [...getVisibleAttributes(model), ...getTimestamps(model), ...getCreatorFields(model)];
  const attributes = names
    .map((name) => [name, toRecord(schema.attributes[name])] as const)
    .filter(([, attribute]) => !isPolymorphic(attribute))
    .map(([name, attribute]) => [name, describeAttribute(attribute)] as const);
  return {
    ...schema,
    apiID: schema.modelName,
    isDisplayed: (toRecord(toRecord(schema.pluginOptions)["content-manager"]).visible ?? true) === true,
    attributes: { id: { type: "integer" }, ...Object.fromEntries(attributes), documentId: { type: "string" } },
  };
}

type Schemas = Readonly<Record<"contentTypes" | "components", Readonly<Record<string, SchemaView>>>>;

const findModel = (schemas: Readonly<Record<string, SchemaView>>, uid: string): Values | undefined => {
  const schema = schemas[uid];
  return schema && toModel(schema);
};

export const dataMapper: Members = {
  toContentManagerModel: toModel,
  toDto: (model: Values) => pickBy(model, (_, key) => SENT.has(key)),
};

export function typeModels(runtime: () => Runtime): Members {
  const types = () => (runtime().strapi as Schemas).contentTypes;
  const findAllContentTypes = () => Object.values(types()).map(toModel);
  return {
    findAllContentTypes,
    findContentType: (uid: string) => findModel(types(), uid),
    findDisplayedContentTypes: () => findAllContentTypes().filter(({ isDisplayed }) => isDisplayed),
    findContentTypesByKind: (given?: string) => findAllContentTypes().filter(({ kind }) => !given || kind === given),
  };
}

export function componentModels(runtime: () => Runtime): Members {
  const components = () => (runtime().strapi as Schemas).components;
  return {
    findAllComponents: () => Object.values(components()).map(toModel),
    findComponent: (uid: string) => findModel(components(), uid),
  };
}
