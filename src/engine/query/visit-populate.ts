/** Visits the names in `populate`, in all its forms, for checks, which throw, and for sanitizers, which remove: both see the same names. */
import { isRecord } from "../../lib/is-record.ts";
import { type Attribute, findTarget, hasPolymorphicTargets, type Model, type Schema } from "../schema/model.ts";
import { isStrings } from "./list-params.ts";
import { joinPath } from "./tree.ts";
import { mapEntries } from "./visit-params.ts";

export interface Place {
  readonly schema: Schema;
  /** All keys on the way. */
  readonly raw: string | null;
  /** Attributes only. */
  readonly path: string | null;
  /** The attribute whose options are visited, if any. */
  readonly owner?: Attribute | undefined;
}

export interface PopulatedName extends Place {
  readonly key: string;
  readonly attribute: Attribute | undefined;
  /** Of a name in a path: true, as in Strapi. */
  readonly value: unknown;
  /** The next names of a path. */
  readonly rest: readonly string[];
}

export interface PopulateVisitor {
  /** The value to be visited; undefined: the name is removed, and of a path all others with it. */
  readonly name: (name: PopulatedName) => unknown;
  /** What is left of `*`; by default, all of it. */
  readonly all?: (schema: Schema) => unknown;
  /** What is left of an option; what is in `populate` and `on` has been visited. */
  readonly option: (at: Place, key: string, value: unknown) => unknown;
  /** Whether a type in `on` is kept. */
  readonly fragment: (at: Place, uid: string, schema: Schema | undefined, value: unknown) => boolean;
}

/** Whether `keep` keeps all names of a path. */
export function visitPath(
  model: Model,
  schema: Schema,
  [key, ...rest]: readonly string[],
  keep: (name: PopulatedName) => boolean,
  at: Pick<Place, "raw" | "path"> = { raw: null, path: null },
): boolean {
  if (key === undefined) return true;
  const attribute = schema.attributes.get(key);
  const here = { raw: joinPath(at.raw, key), path: joinPath(at.path, key) };
  if (!keep({ ...here, schema, key, attribute, value: true, rest })) return false;
  const target = attribute && findTarget(model, attribute);
  return !target || visitPath(model, target, rest, keep, here);
}

const NONE: readonly string[] = [];

/** What is left of `populate`; undefined: nothing. */
export function visitPopulate(model: Model, root: Schema, populate: unknown, visitor: PopulateVisitor): unknown {
  function visit(at: Place, value: unknown): unknown {
    if (value === "*") return visitor.all?.(at.schema) ?? value;
    if (typeof value === "string") return visitPaths(at, value);
    if (isStrings(value)) return value.flatMap((paths) => visitPaths(at, paths) ?? []);
    return isRecord(value) ? visitEntries(at, value) : value;
  }

  /** What is left of comma-separated paths; undefined: nothing. */
  function visitPaths({ schema, path }: Place, paths: string): string | undefined {
    const keep = (name: PopulatedName): boolean => visitor.name(name) !== undefined;
    const left = paths.split(",").filter((text) => {
      const steps = text.split(".").map((step) => step.trim());
      return visitPath(model, schema, steps.filter(Boolean), keep, { raw: null, path });
    });
    return left.length > 0 ? left.join(",") : undefined;
  }

  const visitEntries = (at: Place, value: object): Record<string, unknown> =>
    mapEntries(value, (key, inner) => visitEntry(at, key, inner));

  function visitEntry({ schema, raw, path, owner }: Place, key: string, value: unknown): unknown {
    const attribute = schema.attributes.get(key);
    const here = { raw: joinPath(raw, key), path: attribute ? joinPath(path, key) : path };
    // an option may have the name of an attribute
    if (!attribute || owner) return visitOption({ schema, owner, ...here }, key, value);
    const visited = visitor.name({ schema, key, attribute, value, rest: NONE, ...here });
    const below: Place = { schema, owner: attribute, ...here };
    if (hasPolymorphicTargets(attribute))
      return isRecord(visited) && visited.on ? { ...visited, ...visitEntries(below, { on: visited.on }) } : visited;
    const target = findTarget(model, attribute);
    return target ? visitOptions({ ...below, schema: target }, visited) : visited;
  }

  /** Strings are names of options. */
  function visitOptions(at: Place, value: unknown): unknown {
    if (isRecord(value)) return visitEntries(at, value);
    if (value !== "*" && (typeof value === "string" || isStrings(value)))
      for (const key of [value].flat()) visitEntry(at, key, true);
    return value;
  }

  function visitOption(at: Place, key: string, value: unknown): unknown {
    if (key === "populate") return visitor.option(at, key, visit({ ...at, owner: undefined }, value));
    return visitor.option(at, key, key === "on" ? visitFragments(at, value) : value);
  }

  function visitFragments(at: Place, value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    return mapEntries(value, (uid, fragment) => {
      const schema = model.components.get(uid) ?? model.types.get(uid);
      if (!visitor.fragment(at, uid, schema, fragment)) return undefined;
      return schema ? visitOptions({ ...at, schema, raw: `${at.raw}[${uid}]` }, fragment) : fragment;
    });
  }

  return visit({ schema: root, raw: null, path: null }, populate);
}
