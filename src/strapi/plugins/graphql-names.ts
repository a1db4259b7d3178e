/** `service("utils")` and `service("constants")` of GraphQL: the names of generated types and fields, as code sees schemas. */
import { type ScalarTypeName, scalarTypes } from "../../engine/attributes/index.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Members } from "../loader/plugin.ts";
import { strapiError } from "../packages/utils.ts";

export interface CodeSchema {
  readonly plugin?: string;
  readonly modelType?: string;
  readonly modelName?: string;
  readonly globalId?: string;
  readonly info?: { readonly singularName?: string; readonly pluralName?: string };
  readonly attributes?: Readonly<Record<string, unknown>>;
}

interface NameOptions {
  readonly prefix?: string;
  readonly suffix?: string;
  readonly plurality?: string;
  readonly firstLetterCase?: string;
}

const { camelCase, upperFirst, lowerFirst } = require("lodash") as typeof import("lodash");
const pascalCase = (name = ""): string => upperFirst(camelCase(name));

const typeName = (type: CodeSchema, { plurality = "singular" }: NameOptions = {}): string => {
  const name = plurality === "singular" ? type.info?.singularName : type.info?.pluralName;
  return pascalCase(type.plugin) + pascalCase(name || type.modelName);
};

/** Creates a function from a schema to a name. Throws an ApplicationError for an unknown plurality. */
function nameGenerator({ prefix = "", suffix = "", plurality = "singular", firstLetterCase = "upper" }: NameOptions) {
  if (plurality !== "singular" && plurality !== "plural")
    throw strapiError(
      "ApplicationError",
      `"plurality" param must be either "plural" or "singular", but got: "${plurality}"`,
    );
  const toCase = firstLetterCase === "upper" ? upperFirst : lowerFirst;
  return (type: CodeSchema): string => prefix + toCase(typeName(type, { plurality })) + suffix;
}

const schemaName = (schema: CodeSchema): string =>
  schema.modelType === "component" ? String(schema.globalId) : typeName(schema);

const attributeName = (suffix: string) => (schema: CodeSchema, attribute: string) =>
  typeName(schema) + pascalCase(attribute) + suffix;

const findName = nameGenerator({ plurality: "plural", firstLetterCase: "lower" });

/** `components`: by uid. */
const naming = (components: () => Readonly<Record<string, CodeSchema>>): Members => ({
  getTypeName: typeName,
  getEnumName: (schema: CodeSchema, attribute: string) =>
    (schema.attributes?.[attribute] as { readonly enumName?: string } | undefined)?.enumName ||
    `ENUM_${schemaName(schema).toUpperCase()}_${attribute.toUpperCase()}`,
  getEntityName: nameGenerator({ suffix: "Entity" }),
  getEntityMetaName: nameGenerator({ suffix: "EntityMeta" }),
  getEntityResponseName: nameGenerator({ suffix: "EntityResponse" }),
  getEntityResponseCollectionName: nameGenerator({ suffix: "EntityResponseCollection" }),
  getRelationResponseCollectionName: nameGenerator({ suffix: "RelationResponseCollection" }),
  getEntityQueriesTypeName: nameGenerator({ suffix: "EntityQueries" }),
  getEntityMutationsTypeName: nameGenerator({ suffix: "EntityMutations" }),
  getContentTypeInputName: nameGenerator({ suffix: "Input" }),
  getFiltersInputTypeName: (schema: CodeSchema) => `${schemaName(schema)}FiltersInput`,
  getComponentName: ({ globalId }: CodeSchema) => globalId,
  getComponentInputName: ({ globalId }: CodeSchema) => `${globalId}Input`,
  getComponentNameFromAttribute: ({ component }: { readonly component: string }) => components()[component]!.globalId,
  getDynamicZoneName: attributeName("DynamicZone"),
  getDynamicZoneInputName: attributeName("DynamicZoneInput"),
  getMorphRelationTypeName: attributeName("Morph"),
  getScalarFilterInputTypeName: (scalar: string) => `${scalar}FilterInput`,
  getFindQueryName: findName,
  getFindConnectionQueryName: (type: CodeSchema) => `${findName(type)}_connection`,
  getFindOneQueryName: nameGenerator({ firstLetterCase: "lower" }),
  getCreateMutationTypeName: nameGenerator({ prefix: "create" }),
  getUpdateMutationTypeName: nameGenerator({ prefix: "update" }),
  getDeleteMutationTypeName: nameGenerator({ prefix: "delete" }),
  buildCustomTypeNameGenerator: nameGenerator,
});

/** The GraphQL scalar of each scalar type of attribute. */
export const SCALARS: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "uid email password text boolean integer string enumeration richtext blocks biginteger float decimal json date time " +
    "datetime timestamp"
  )
    .split(" ")
    .map((name) => [name, scalarTypes[name as ScalarTypeName].graphqlName]),
);

const GRAPHQL_SCALARS = ["ID", "Boolean", "Int", "String", "Long", "Float", "JSON", "Date", "Time", "DateTime"];

export const graphqlConstants = (): Members => ({
  PAGINATION_TYPE_NAME: "Pagination",
  DELETE_MUTATION_RESPONSE_TYPE_NAME: "DeleteMutationResponse",
  PUBLICATION_STATUS_TYPE_NAME: "PublicationStatus",
  PUBLICATION_FILTER_TYPE_NAME: "PublicationFilter",
  ERROR_TYPE_NAME: "Error",
  RESPONSE_COLLECTION_META_TYPE_NAME: "ResponseCollectionMeta",
  GENERIC_MORPH_TYPENAME: "GenericMorph",
  GRAPHQL_SCALARS,
  STRAPI_SCALARS: Object.keys(SCALARS),
  SCALARS_ASSOCIATIONS: SCALARS,
});

const isOfType = (name: string) => (attribute: unknown) => isRecord(attribute) && attribute.type === name;

const attributes: Members = {
  isStrapiScalar: ({ type }: { readonly type: string }) => Object.hasOwn(SCALARS, type),
  isGraphQLScalar: ({ type }: { readonly type: string }) => GRAPHQL_SCALARS.includes(type),
  isMorphRelation: ({ type, relation = "" }: { readonly type: string; readonly relation?: string }) =>
    type === "relation" && relation.includes("morph"),
  isMedia: isOfType("media"),
  isRelation: isOfType("relation"),
  isEnumeration: isOfType("enumeration"),
  isComponent: isOfType("component"),
  isDynamicZone: isOfType("dynamiczone"),
};

/** `components`: by uid. */
export function graphqlUtils(components: () => Readonly<Record<string, CodeSchema>>): Members {
  let isEnabled = false;
  const playground = {
    setEnabled: (value: boolean) => {
      isEnabled = value;
    },
    isEnabled: () => isEnabled,
  };
  return { naming: naming(components), attributes, playground };
}
