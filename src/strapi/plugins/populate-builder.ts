/** The content manager's service `populate-builder`: parameters that populate all levels of a type. */
import type { Params } from "../../engine/query/parse.ts";
import { type Attribute, component, contentType, type Schema } from "../../engine/schema/model.ts";
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
  readonly withPopulateOverride: (populate: Params) => PopulateBuilder;
  /** Undefined unless levels are populated. */
  readonly build: () => Promise<Params | undefined>;
}

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

  const createBuilder = (options: Options, own: Params): PopulateBuilder => ({
    populateDeep: (levels = 1) => createBuilder({ ...options, levels: Math.min(levels, MAX_LEVELS) }, own),
    countRelations: ({ toOne = true, toMany = true } = {}) =>
      createBuilder({ ...options, counts: { toOne, toMany } }, own),
    withPopulateOverride: (populate) => createBuilder(options, { ...own, ...populate }),
    build: async () =>
      options.levels < 1 && Object.keys(own).length === 0
        ? undefined
        : { ...deep(contentType(model, uid), options.levels, options), ...own },
  });
  return createBuilder({ levels: 0, counts: { toOne: false, toMany: false } }, {});
}
