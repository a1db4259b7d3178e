/** Reads parameters of `strapi.db.query` as a query: `where`, `orderBy`, `select`, `limit`, `offset`, `_q` and `populate`. */

import { isOperator } from "../../engine/query/operators.ts";
import { type Params, readSearch } from "../../engine/query/parse.ts";
import { emptyQuery, type Populate, type Query } from "../../engine/query/tree.ts";
import {
  findTarget,
  hasPolymorphicTargets,
  isUnlinked,
  type Model,
  type PopulatableAttribute,
  type ScalarAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { parsePage, parseSort, parseWhere, selectedColumns } from "./query-params.ts";

/** Each level takes at least one statement. */
const MAX_DEPTH = 30;

function selectFields(schema: Schema, select: unknown): readonly ScalarAttribute[] {
  const names = selectedColumns(schema, select);
  if (!names) return schema.defaultFields;
  return [...new Set(names)].flatMap((name) => {
    const attribute = schema.attributes.get(name);
    return attribute?.kind === "scalar" ? [attribute] : [];
  });
}

/** Dotted names as nested ones. A name that occurs again adds its paths. */
function nestedNames(names: readonly unknown[]): Params {
  const nested: Record<string, true | { populate: unknown[] }> = {};
  for (const name of names) {
    if (typeof name !== "string")
      throw new TypeError("key.split is not a function or its return value is not iterable");
    const [root = "", ...rest] = name.split(".");
    const before = nested[root];
    const below = before === undefined || before === true ? [] : before.populate;
    nested[root] = rest.length > 0 ? { populate: [rest.join("."), ...below] } : (before ?? true);
  }
  return nested;
}

/** The options of each attribute, by its name; undefined: all attributes. */
export function populatedNames(populate: unknown): Params | undefined {
  if (populate === undefined || populate === null || populate === false) return {};
  if (populate === true) return undefined;
  if (Array.isArray(populate)) return nestedNames(populate);
  if (!isRecord(populate)) throw new Error("Populate must be an object");
  return populate;
}

const isPopulatable = (schema: Schema, name: string): boolean => {
  const attribute = schema.attributes.get(name);
  return attribute !== undefined && attribute.kind !== "scalar" && !isUnlinked(attribute);
};

/** The names that are populated. */
export const populatedIn = (schema: Schema, populate: unknown): string[] =>
  Object.keys(populatedNames(populate) ?? Object.fromEntries(schema.attributes)).filter((name) =>
    isPopulatable(schema, name),
  );

/** Without options, rows are returned as they are. */
const toOptions = (value: unknown): Params => toRecord(value);

/** Strapi counts neither virtual relations nor links to several types from their other side. */
const isCounted = (attribute: PopulatableAttribute): boolean =>
  attribute.kind !== "relation" ||
  !(attribute.virtual || (attribute.link.polymorphic && attribute.link.side === "inverse"));

const hasName = ({ attributes }: Schema, name: string): boolean => name === "id" || attributes.has(name);

/** The attributes that the conditions of a `where` are about. */
const conditionNames = (where: unknown): string[] => {
  if (Array.isArray(where)) return where.flatMap(conditionNames);
  if (!isRecord(where)) return [];
  return Object.entries(where).flatMap(([name, value]) => (isOperator(name) ? conditionNames(value) : [name]));
};

export function readRowQuery(model: Model, root: Schema, rootParams: Params): Query {
  function readQuery(schema: Schema, params: Params, depth: number): Query {
    const { where, filters, select, orderBy, populate, limit, offset, _q } = params;
    return {
      ...emptyQuery(schema),
      where: parseWhere(model, schema, where, filters),
      search: readSearch(_q),
      sort: parseSort(model, schema, orderBy),
      fields: selectFields(schema, select),
      populate: readPopulates(schema, populate, depth),
      ...parsePage(offset, limit),
    };
  }

  function readPopulates(schema: Schema, populate: unknown, depth: number): Populate[] {
    if (depth > MAX_DEPTH) throw new Error(`populate must not be nested deeper than ${MAX_DEPTH} levels`);
    const options = populatedNames(populate) ?? {};
    return populatedIn(schema, populate).map((name) =>
      readPopulate(schema.attributes.get(name) as PopulatableAttribute, toOptions(options[name]), depth + 1),
    );
  }

  function readPopulate(attribute: PopulatableAttribute, { _q: _, ...options }: Params, depth: number): Populate {
    const { on, count, ...query } = options;
    const target = findTarget(model, attribute);
    const isCount = count === true && isCounted(attribute);
    return {
      key: attribute.name,
      attribute,
      query: target && readQuery(target, isCount ? { ...query, limit: null, offset: null } : query, depth),
      count: isCount,
      on: hasPolymorphicTargets(attribute) ? readTargets(attribute, on, query, depth) : undefined,
    };
  }

  /** The query for each type; undefined: whole rows of all types. */
  function readTargets(attribute: PopulatableAttribute, on: unknown, shared: Params, depth: number): Populate["on"] {
    const { components, types } = model;
    if (!isRecord(on) && Object.keys(shared).length === 0) return undefined;
    const uids = isRecord(on)
      ? Object.keys(on)
      : [...components.keys(), ...(attribute.kind === "zone" ? [] : types.keys())];
    return new Map(
      uids.flatMap((uid) => {
        const target = components.get(uid) ?? types.get(uid);
        if (!target) return [];
        if (isRecord(on)) {
          const options = on[uid];
          // as in Strapi, a fragment without options leads to any version
          return [
            [uid, isRecord(options) ? readVersion(target, options, depth) : readQuery(target, {}, depth)] as const,
          ];
        }
        if (!conditionNames([shared.where, shared.filters]).every((name) => hasName(target, name))) return [];
        return [[uid, readVersion(target, pickApplicable(target, shared), depth)] as const];
      }),
    );
  }

  function readVersion(target: Schema, params: Params, depth: number): Query {
    return { ...readQuery(target, params, depth), isOfVersion: true };
  }

  /** Strapi asks only for types that are linked, which have the columns that code selects. */
  function pickApplicable(target: Schema, { select, orderBy: _, ...shared }: Params): Params {
    if (!Array.isArray(select)) return shared;
    return { ...shared, select: ["id", ...select].filter((name) => hasName(target, name)) };
  }

  return readQuery(root, rootParams, 0);
}
