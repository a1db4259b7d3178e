/** Everything that REST answers of a model's types, as URLs. */
import { stringify } from "qs";
import { apiTypes, type ContentType, component, type Model, type Schema } from "../../src/engine/schema/model.ts";

type Populate = true | { readonly populate?: PopulateMap; readonly on?: Readonly<Record<string, Populate>> };
type PopulateMap = { readonly [attribute: string]: Populate };

export const PAGE_SIZE = 100;
/** Relations of relations. */
const RELATION_DEPTH = 1;

/** Everything below a schema: components to their end, relations `depth` levels deep. */
function createPopulate(model: Model, schema: Schema, depth: number): PopulateMap {
  const entries = [...schema.attributes.values()].flatMap((attribute): [string, Populate][] => {
    if (attribute.kind === "scalar" || attribute.private) return [];
    if (attribute.kind === "media") return [[attribute.name, true]];
    if (attribute.kind === "component")
      return [[attribute.name, { populate: createPopulate(model, component(model, attribute.component), depth) }]];
    if (attribute.kind === "zone") {
      const on = attribute.components.map((uid) => {
        const populate = createPopulate(model, component(model, uid), depth);
        return [uid, Object.keys(populate).length === 0 ? true : { populate }] as const;
      });
      return [[attribute.name, { on: Object.fromEntries(on) }]];
    }
    const target = attribute.target === undefined ? undefined : model.types.get(attribute.target);
    if (!target || depth === 0 || attribute.virtual) return [[attribute.name, true]];
    return [[attribute.name, { populate: createPopulate(model, target, depth - 1) }]];
  });
  return Object.fromEntries(entries.map(([name, populate]) => [name, isEmpty(populate) ? true : populate]));
}

const isEmpty = (populate: Populate): boolean =>
  populate !== true && populate.on === undefined && Object.keys(populate.populate ?? {}).length === 0;

/** Each attribute on its own, so that no URL becomes too long for a server. */
function createQueries(model: Model, type: ContentType, locales: readonly string[]): object[] {
  const trees = Object.entries(createPopulate(model, type, RELATION_DEPTH)).map(([name, tree]) => ({ [name]: tree }));
  const list = type.kind === "singleType" ? {} : { sort: "id" };
  return [undefined, "*", ...trees].flatMap((populate) =>
    (type.draftAndPublish ? ["published", "draft"] : [undefined]).flatMap((status) =>
      (type.localized ? locales : [undefined]).map((locale) => ({ status, locale, populate, ...list })),
    ),
  );
}

export interface RestQuery {
  readonly path: string;
  /** Answered in pages. */
  readonly isList: boolean;
}

export const restQueries = (model: Model, locales: readonly string[]): RestQuery[] =>
  apiTypes(model).flatMap((type) => {
    const isList = type.kind !== "singleType";
    const name = isList ? type.pluralName : type.singularName;
    return createQueries(model, type, locales).map((query) => ({
      path: `/api/${name}?${stringify(query, { encodeValuesOnly: true })}`,
      isList,
    }));
  });
