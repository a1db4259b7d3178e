/**
 * Validates a document's data against its schema, and collects all problems with Strapi's order and messages.
 * Returns the data after casting, with Strapi's defaults.
 */

import { tryParseJson } from "../../lib/coerce.ts";
import { byDepth } from "../../lib/depth.ts";
import type { Problem } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { typeMessage } from "../../lib/print-value.ts";
import type { ScalarType } from "../attributes/index.ts";
import { type ComponentOrZoneAttribute, holdsComponents } from "../schema/entries.ts";
import {
  type Attribute,
  type ComponentAttribute,
  component,
  isLink,
  type Model,
  type ScalarAttribute,
  type Schema,
} from "../schema/model.ts";
import { isVisible, unchecked } from "./conditions.ts";
import type { DocumentsContext } from "./context.ts";
import { checkRelationsExist, countTargets, leavesEmpty } from "./relations-exist.ts";
import type { Validation } from "./row-store.ts";
import { isUnique, type UniqueScope } from "./unique.ts";

/** Only components and lists of them are nested. */
function checkDepth(model: Model, attribute: Attribute, value: unknown): number {
  if (!holdsComponents(attribute)) return 0;
  if (!attribute.many) return entryDepth(model, attribute, value);
  if (!Array.isArray(value)) return 0;
  return 1 + value.reduce((deepest: number, item) => Math.max(deepest, entryDepth(model, attribute, item)), 0);
}

/** The depth of one component, alone or in a list. */
function entryDepth(model: Model, attribute: ComponentOrZoneAttribute, entry: unknown): number {
  if (!isRecord(entry)) return 0;
  const uid = attribute.kind === "zone" ? entry.__component : attribute.component;
  const schema = typeof uid === "string" ? model.components.get(uid) : undefined;
  // an unknown component is refused before the rest of the entry is checked
  if (uid !== undefined && !schema) return 0.5;
  const depths = [...(schema?.attributes.values() ?? [])].map((inner) => checkDepth(model, inner, entry[inner.name]));
  return 1 + Math.max(0, ...depths);
}

type Data = Record<string, unknown>;

/** The position of a component in the document; uniqueness depends on it. */
interface Place {
  readonly path: string;
  readonly through: readonly ComponentOrZoneAttribute[];
  /** All entries of the outermost list, which must not repeat each other's unique values. */
  readonly siblings: readonly unknown[];
}

const writableBySchema = new WeakMap<Schema, readonly Attribute[]>();
const listWritable = (schema: Schema): readonly Attribute[] =>
  writableBySchema.getOrInsertComputed(schema, () =>
    [...schema.attributes.values()].filter(({ writable }) => writable),
  );

/** Strapi takes a component's attributes of these names for those of the server. */
const isServerTime = ({ name }: Attribute): boolean => name === "createdAt" || name === "updatedAt";

const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

/** An entry of a list, which may be a JSON string; undefined for an invalid entry. */
function parseEntry(item: unknown): Data | undefined {
  const value = typeof item === "string" ? tryParseJson(item) : item;
  return isRecord(value) ? value : undefined;
}

const cast = (type: ScalarType, value: unknown): unknown => (type.cast ? type.cast(value) : value);

/** Strapi prints NaN for null where a number is expected. */
const nullAs = (expected: string | undefined): unknown => (expected === "number" ? Number.NaN : null);

/** Returns problems and the data after casting. Relations in `data` must be normalised. */
export function validate(
  context: DocumentsContext,
  root: Schema,
  rootData: Data,
  { draft, creating, budget, locale, row, isStored }: Validation,
): { readonly data: Data; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];

  function report(path: string, message: string, value?: unknown): void {
    problems.push({ path, message, value });
  }

  /** One by one: there may be too many for the arguments of one `push`. */
  function add(found: readonly Problem[]): void {
    for (const problem of found) problems.push(problem);
  }

  /**
   * Validates one object. The problems of its attributes are sorted as in Strapi: by the first attribute whose name
   * is a substring of the attribute's path, then by the depth of checks, then the later attribute first.
   */
  function checkLevel(schema: Schema, data: Data, place: Place, first: readonly string[] = []): Data {
    let names: readonly string[] | undefined;
    const groups: { rank: number; depth: number; problems: Problem[] }[] = [];
    // no prototype: an attribute may be called "constructor"
    const out: Data = Object.assign(Object.create(null), data);
    for (const attribute of listWritable(schema)) {
      const before = problems.length;
      const given = out[attribute.name];
      const value =
        isVisible(attribute, data) && !isServerTime(attribute)
          ? checkAttribute(schema, attribute, given, place)
          : unchecked(context.model, attribute, given);
      if (value !== undefined) out[attribute.name] = value;
      if (problems.length === before) continue;
      const path = joined(place.path, attribute.name);
      names ??= [...first, ...listWritable(schema).map(({ name }) => name)];
      const rank = names.findIndex((name) => path.includes(name));
      const depth = checkDepth(context.model, attribute, given);
      groups.unshift({ rank, depth, problems: problems.splice(before) });
    }
    groups.sort((a, b) => a.rank - b.rank || a.depth - b.depth);
    for (const group of groups) add(group.problems);
    return out;
  }

  function checkAttribute(schema: Schema, attribute: Attribute, given: unknown, place: Place): unknown {
    const path = joined(place.path, attribute.name);
    if (isLink(attribute)) {
      budget.take("links", countTargets(given));
      if (context.strictRelations && !draft && attribute.required && leavesEmpty(attribute.many, given, creating)) {
        // without the path of the component, as in Strapi
        report(path, `${attribute.name} must be defined.`, given);
      }
      return given;
    }
    const value = given === undefined && creating ? defaultOf(attribute) : given;
    if (attribute.kind === "scalar") return checkScalar(schema, attribute, value, path, place);
    const next = { path, through: [...place.through, attribute] };
    if (attribute.kind === "component" && !attribute.many) {
      return checkSingle(attribute, value, { ...next, siblings: place.siblings });
    }
    const siblings = place.through.length === 0 && Array.isArray(value) ? value : place.siblings;
    return checkList(attribute, value, { ...next, siblings });
  }

  function defaultOf(attribute: Attribute): unknown {
    if (attribute.kind !== "scalar" && attribute.many && !attribute.required) return [];
    return attribute.definition.default ?? undefined;
  }

  function reportMissing(path: string, value: unknown): void {
    if (creating) report(path, `${path} must be defined.`, value);
    else if (value === null) report(path, `${path} cannot be null.`, value);
  }

  function checkScalar(
    schema: Schema,
    attribute: ScalarAttribute,
    given: unknown,
    path: string,
    place: Place,
  ): unknown {
    const { type, definition } = attribute;
    const required = attribute.required && !draft;
    if (given === undefined) {
      if (required) reportMissing(path, undefined);
      return undefined;
    }
    const allowsNull = !required || type.expects?.nullable === true;
    const value = given === null ? (allowsNull ? null : nullAs(type.expects?.name)) : cast(type, given);
    const at = { path, draft };
    // the cast of an invalid value is null, which is valid for an optional attribute
    const fits = !type.expects || type.expects.is(value) || (value === null && allowsNull);
    if (!fits) report(path, typeMessage(path, type.expects.name, value, given), value);
    const outside = value === null && allowsNull ? undefined : type.membership?.(value as never, definition, at);
    if (outside !== undefined) report(path, outside, value);
    if (!fits || outside !== undefined) return value;
    if (value === null) {
      if (required) reportMissing(path, null);
      return value;
    }
    for (const rule of type.rules ?? []) {
      const message = rule(value as never, definition, at);
      if (message !== undefined) report(path, message, value);
    }
    add(type.validateNested?.(value, path) ?? []);
    if (attribute.unique && !type.ignoresUnique && !draft && value !== "") {
      const { through, siblings } = place;
      const scope: UniqueScope = { root, through, schema, siblings, locale, row };
      if (!isUnique(context, scope, attribute, value)) report(path, "This attribute must be unique", value);
    }
    return value;
  }

  function checkSingle(attribute: ComponentAttribute, value: unknown, place: Place): unknown {
    const required = attribute.required && !draft;
    if (value === undefined) {
      if (required) reportMissing(place.path, undefined);
      return undefined;
    }
    if (value === null && !required) return null;
    if (!isRecord(value)) {
      report(place.path, typeMessage(place.path, "object", value, value), value);
      return value;
    }
    budget.take("components", 1);
    return checkLevel(component(context.model, attribute.component), value, place);
  }

  function checkList(attribute: ComponentOrZoneAttribute, value: unknown, place: Place): unknown {
    const { path } = place;
    if (value === undefined) {
      // also for drafts: a required list is never undefined
      reportMissing(path, undefined);
      return undefined;
    }
    if (!Array.isArray(value)) {
      report(path, typeMessage(path, "array", value, value), value);
      return value;
    }
    const before = problems.length;
    const groups: { depth: number; problems: Problem[] }[] = [];
    const items = value.map((item, index) => {
      const checked = checkItem(attribute, item, { ...place, path: `${path}[${index}]` });
      if (problems.length > before)
        groups.push({ depth: entryDepth(context.model, attribute, item), problems: problems.splice(before) });
      return checked;
    });
    add(byDepth(groups));
    if (draft) return items;
    const { min, max } = attribute.definition as { min?: number; max?: number };
    if (Number.isInteger(min) && items.length < min! && (attribute.required || items.length > 0)) {
      report(path, `${path} field must have at least ${min} items`, items);
    }
    if (Number.isInteger(max) && items.length > max!) {
      report(path, `${path} field must have less than or equal to ${max} items`, items);
    }
    return items;
  }

  function checkItem(attribute: ComponentOrZoneAttribute, item: unknown, place: Place): unknown {
    budget.take("components", 1);
    const entry = parseEntry(item);
    if (!entry) {
      report(place.path, typeMessage(place.path, "object", null, item), null);
      return null;
    }
    if (attribute.kind === "component") return checkLevel(component(context.model, attribute.component), entry, place);
    return checkZoneItem(entry, place);
  }

  function checkZoneItem(item: Data, place: Place): unknown {
    const path = `${place.path}.__component`;
    const input = item.__component;
    const uid = typeof input === "number" || typeof input === "boolean" ? String(input) : input;
    const known = [...context.model.components.keys()];
    if (uid === undefined || uid === "") {
      report(path, `${path} is a required field`, uid);
      if (uid === undefined) return item;
    }
    if (typeof uid === "string" && known.includes(uid)) {
      return checkLevel(component(context.model, uid), item, place, ["__component"]);
    }
    if (typeof uid !== "string") report(path, typeMessage(path, "string", uid, uid), uid);
    report(path, `${path} must be one of the following values: ${known.join(", ")}`, uid);
    return { ...item, __component: uid };
  }

  const out = checkLevel(root, rootData, { path: "", through: [], siblings: [] });
  const message = isStored ? undefined : checkRelationsExist(context, root, out);
  if (message !== undefined) report("", message, out);
  return { data: out, problems };
}
