/** The content manager's service `populate-builder`: parameters that populate all levels of a type. */
import type { Params } from "../../engine/query/parse.ts";
import { type Attribute, component, contentType, type Schema } from "../../engine/schema/model.ts";
import { toRecord } from "../../lib/is-record.ts";
import { strapiUtils } from "../packages/utils.ts";
import type { Runtime } from "../runtime.ts";

interface Options {
  readonly levels: number;
  /** Only the number of what relations lead to. */
  readonly counts: { readonly toOne: boolean; readonly toMany: boolean };
}

interface CountOptions {
  readonly toOne?: boolean;
  readonly toMany?: boolean;
}

export interface PopulateBuilder {
  readonly populateDeep: (levels?: number) => PopulateBuilder;
  readonly countRelations: (options?: CountOptions) => PopulateBuilder;
  /** Populates what a query names. */
  readonly populateFromQuery: (query: object) => PopulateBuilder;
  readonly withPopulateOverride: (populate: Params) => PopulateBuilder;
  /** Undefined unless levels are populated. */
  readonly build: () => Promise<Params | undefined>;
}

const PLACES: ReadonlySet<unknown> = new Set(["relation", "media", "component"]);

/** Components may contain themselves. */
const MAX_LEVELS = 10;

export function createPopulateBuilder(runtime: () => Runtime, uid: string): PopulateBuilder {
  const { model } = runtime().raw;
  const below = (schemaUid: string, levels: number, options: Options) => ({
    populate: deep(component(model, schemaUid), levels - 1, options),
  });

  function createPopulate(attribute: Attribute, levels: number, options: Options): unknown {
    if (attribute.kind === "media") return { populate: { folder: true } };
    if (attribute.kind === "component") return below(attribute.component, levels, options);
    if (attribute.kind === "zone")
      return { on: Object.fromEntries(attribute.components.map((name) => [name, below(name, levels, options)])) };
    if (attribute.kind !== "relation") return undefined;
    const isCounted = attribute.many ? options.counts.toMany : options.counts.toOne;
    return isCounted && !attribute.virtual ? { count: true } : true;
  }

  function deep(schema: Schema, levels: number, options: Options): Params {
    if (levels < 1) return {};
    const entries = [...schema.attributes.values()].map(
      (attribute) => [attribute.name, createPopulate(attribute, levels, options)] as const,
    );
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }

  /** Empty parameters for each relation, component and media that a query names. */
  async function namedIn(query: object): Promise<Params> {
    const { traverse } = strapiUtils();
    interface Named {
      populate?: Record<string, Named>;
    }
    const root: Named = {};
    await traverse.traverseQueryFilters(
      ({ attribute, path }) => {
        const { type, relation } = toRecord(attribute);
        if (!PLACES.has(type) || relation === "morphToOne" || relation === "morphToMany") return;
        let parent = root;
        for (const step of String(path.attribute).split(".")) {
          parent.populate ??= {};
          parent.populate[step] ??= {};
          parent = parent.populate[step];
        }
      },
      { schema: runtime().findSchema(uid), getModel: runtime().findSchema } as never,
      query,
    );
    return { ...root.populate };
  }

  const createBuilder = (options: Options, findOwn: () => Promise<Params | undefined>): PopulateBuilder => ({
    populateDeep: (levels = 1) => createBuilder({ ...options, levels: Math.min(levels, MAX_LEVELS) }, findOwn),
    countRelations: ({ toOne = true, toMany = true } = {}) =>
      createBuilder({ ...options, counts: { toOne, toMany } }, findOwn),
    populateFromQuery: (query) => createBuilder(options, () => namedIn(query)),
    withPopulateOverride: (populate) => createBuilder(options, async () => ({ ...(await findOwn()), ...populate })),
    build: async () => {
      const own = await findOwn();
      return options.levels < 1 ? own : { ...deep(contentType(model, uid), options.levels, options), ...own };
    },
  });
  return createBuilder({ levels: 0, counts: { toOne: false, toMany: false } }, async () => undefined);
}
