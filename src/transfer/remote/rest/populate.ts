/** Builds the `populate` of a type: all of its components and media, and the document ids of its relations. */
import { stringify } from "qs";
import { type Attribute, component, type Model, type Schema } from "../../../engine/schema/model.ts";
import { pickBy } from "../../../lib/records.ts";

/** Fields of a relation's target: enough to identify the document. */
const TARGET_FIELDS = ["documentId", "locale"];
/** Limit for components that contain themselves. */
const MAX_DEPTH = 12;
/** Length of a query string in characters. Servers and proxies accept at least twice as many. */
const MAX_QUERY_LENGTH = 4_000;

export type PopulateNode = true | { readonly [key: string]: unknown };
export type PopulateTree = Readonly<Record<string, PopulateNode>>;

/** `isHidden`: whether the token may not read an attribute, given as "uid.attribute". */
export function populateTree(
  model: Model,
  schema: Schema,
  isHidden: (name: string) => boolean,
  depth = 0,
): PopulateTree {
  const nodes = [...schema.attributes.values()].flatMap((attribute): [string, PopulateNode][] => {
    if (attribute.kind === "scalar" || attribute.private || isHidden(`${schema.uid}.${attribute.name}`)) return [];
    const node = createNode(model, attribute, isHidden, depth);
    return node === undefined ? [] : [[attribute.name, node]];
  });
  return Object.fromEntries(nodes);
}

function createNode(
  model: Model,
  attribute: Exclude<Attribute, { kind: "scalar" }>,
  isHidden: (name: string) => boolean,
  depth: number,
): PopulateNode | undefined {
  const below = (uid: string): PopulateNode => {
    const populate = populateTree(model, component(model, uid), isHidden, depth + 1);
    return Object.keys(populate).length === 0 ? true : { populate };
  };
  if (attribute.kind === "media") return true;
  if (attribute.kind === "component") return depth < MAX_DEPTH ? below(attribute.component) : undefined;
  if (attribute.kind === "zone")
    return { on: Object.fromEntries(attribute.components.map((uid) => [uid, below(uid)])) };
  if (attribute.virtual) return undefined;
  if (attribute.target === undefined) return true;
  const target = model.types.get(attribute.target);
  return target && { fields: target.localized ? TARGET_FIELDS : TARGET_FIELDS.slice(0, 1) };
}

/** Splits the attributes of a tree into groups, so that query strings stay short. */
export function splitGroups(tree: PopulateTree): string[][] {
  const groups: string[][] = [[]];
  for (const name of Object.keys(tree)) {
    const longer = [...groups.at(-1)!, name];
    const isTooLong = longer.length > 1 && queryString({ populate: pick(tree, longer) }).length > MAX_QUERY_LENGTH;
    if (isTooLong) groups.push([name]);
    else groups[groups.length - 1] = longer;
  }
  return groups;
}

export const pick = (tree: PopulateTree, names: readonly string[]): PopulateTree =>
  pickBy(tree, (_, name) => names.includes(name));

export const queryString = (params: object): string => stringify(params, { encodeValuesOnly: true });
