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

class Validator {
  readonly problems: Problem[] = [];
  readonly #context: DocumentsContext;
  readonly #root: Schema;
  readonly #options: Validation;

  constructor(context: DocumentsContext, root: Schema, options: Validation) {
    this.#context = context;
    this.#root = root;
    this.#options = options;
  }

  #report(path: string, message: string, value?: unknown): void {
    this.problems.push({ path, message, value });
  }

  /** One by one: there may be too many for the arguments of one `push`. */
  #add(problems: readonly Problem[]): void {
    for (const problem of problems) this.problems.push(problem);
  }

  /**
   * Validates one object. The problems of its attributes are sorted as in Strapi: by the first attribute whose name
   * is a substring of the attribute's path, then by the depth of checks, then the later attribute first.
   */
  level(schema: Schema, data: Data, place: Place, first: readonly string[] = []): Data {
    let names: readonly string[] | undefined;
    const groups: { rank: number; depth: number; problems: Problem[] }[] = [];
    // no prototype: an attribute may be called "constructor"
    const out: Data = Object.assign(Object.create(null), data);
    for (const attribute of listWritable(schema)) {
      const before = this.problems.length;
      const given = out[attribute.name];
      const value =
        isVisible(attribute, data) && !isServerTime(attribute)
          ? this.#attribute(schema, attribute, given, place)
          : unchecked(this.#context.model, attribute, given);
      if (value !== undefined) out[attribute.name] = value;
      if (this.problems.length === before) continue;
      const path = joined(place.path, attribute.name);
      names ??= [...first, ...listWritable(schema).map(({ name }) => name)];
      const rank = names.findIndex((name) => path.includes(name));
      const depth = checkDepth(this.#context.model, attribute, given);
      groups.unshift({ rank, depth, problems: this.problems.splice(before) });
    }
    groups.sort((a, b) => a.rank - b.rank || a.depth - b.depth);
    for (const { problems } of groups) this.#add(problems);
    return out;
  }

  #attribute(schema: Schema, attribute: Attribute, given: unknown, place: Place): unknown {
    const path = joined(place.path, attribute.name);
    if (isLink(attribute)) {
      this.#options.budget.take("links", countTargets(given));
      if (
        this.#context.strictRelations &&
        !this.#options.draft &&
        attribute.required &&
        leavesEmpty(attribute.many, given, this.#options.creating)
      ) {
        // without the path of the component, as in Strapi
        this.#report(path, `${attribute.name} must be defined.`, given);
      }
      return given;
    }
    const value = given === undefined && this.#options.creating ? this.#default(attribute) : given;
    if (attribute.kind === "scalar") return this.#scalar(schema, attribute, value, path, place);
    const next = { path, through: [...place.through, attribute] };
    if (attribute.kind === "component" && !attribute.many) {
      return this.#single(attribute, value, { ...next, siblings: place.siblings });
    }
    const siblings = place.through.length === 0 && Array.isArray(value) ? value : place.siblings;
    return this.#list(attribute, value, { ...next, siblings });
  }

  #default(attribute: Attribute): unknown {
    if (attribute.kind !== "scalar" && attribute.many && !attribute.required) return [];
    return attribute.definition.default ?? undefined;
  }

  #missing(path: string, value: unknown): void {
    if (this.#options.creating) this.#report(path, `${path} must be defined.`, value);
    else if (value === null) this.#report(path, `${path} cannot be null.`, value);
  }

  #scalar(schema: Schema, attribute: ScalarAttribute, given: unknown, path: string, place: Place): unknown {
    const { type, definition } = attribute;
    const required = attribute.required && !this.#options.draft;
    if (given === undefined) {
      if (required) this.#missing(path, undefined);
      return undefined;
    }
    const allowsNull = !required || type.expects?.nullable === true;
    const value = given === null ? (allowsNull ? null : nullAs(type.expects?.name)) : cast(type, given);
    const at = { path, draft: this.#options.draft };
    // the cast of an invalid value is null, which is valid for an optional attribute
    const fits = !type.expects || type.expects.is(value) || (value === null && allowsNull);
    if (!fits) this.#report(path, typeMessage(path, type.expects.name, value, given), value);
    const outside = value === null && allowsNull ? undefined : type.membership?.(value as never, definition, at);
    if (outside !== undefined) this.#report(path, outside, value);
    if (!fits || outside !== undefined) return value;
    if (value === null) {
      if (required) this.#missing(path, null);
      return value;
    }
    for (const rule of type.rules ?? []) {
      const message = rule(value as never, definition, at);
      if (message !== undefined) this.#report(path, message, value);
    }
    for (const problem of type.validateNested?.(value, path) ?? []) this.problems.push(problem);
    if (attribute.unique && !type.ignoresUnique && !this.#options.draft && value !== "") {
      const scope: UniqueScope = {
        root: this.#root,
        through: place.through,
        schema,
        siblings: place.siblings,
        locale: this.#options.locale,
        row: this.#options.row,
      };
      if (!isUnique(this.#context, scope, attribute, value)) this.#report(path, "This attribute must be unique", value);
    }
    return value;
  }

  #single(attribute: ComponentAttribute, value: unknown, place: Place): unknown {
    const required = attribute.required && !this.#options.draft;
    if (value === undefined) {
      if (required) this.#missing(place.path, undefined);
      return undefined;
    }
    if (value === null && !required) return null;
    if (!isRecord(value)) {
      this.#report(place.path, typeMessage(place.path, "object", value, value), value);
      return value;
    }
    this.#options.budget.take("components", 1);
    return this.level(component(this.#context.model, attribute.component), value, place);
  }

  #list(attribute: ComponentOrZoneAttribute, value: unknown, place: Place): unknown {
    const { path } = place;
    if (value === undefined) {
      // also for drafts: a required list is never undefined
      this.#missing(path, undefined);
      return undefined;
    }
    if (!Array.isArray(value)) {
      this.#report(path, typeMessage(path, "array", value, value), value);
      return value;
    }
    const before = this.problems.length;
    const groups: { depth: number; problems: Problem[] }[] = [];
    const items = value.map((item, index) => {
      const checked = this.#item(attribute, item, { ...place, path: `${path}[${index}]` });
      if (this.problems.length > before) {
        groups.push({
          depth: entryDepth(this.#context.model, attribute, item),
          problems: this.problems.splice(before),
        });
      }
      return checked;
    });
    this.#add(byDepth(groups));
    if (this.#options.draft) return items;
    const { min, max } = attribute.definition as { min?: number; max?: number };
    if (Number.isInteger(min) && items.length < min! && (attribute.required || items.length > 0)) {
      this.#report(path, `${path} field must have at least ${min} items`, items);
    }
    if (Number.isInteger(max) && items.length > max!) {
      this.#report(path, `${path} field must have less than or equal to ${max} items`, items);
    }
    return items;
  }

  #item(attribute: ComponentOrZoneAttribute, item: unknown, place: Place): unknown {
    this.#options.budget.take("components", 1);
    const entry = parseEntry(item);
    if (!entry) {
      this.#report(place.path, typeMessage(place.path, "object", null, item), null);
      return null;
    }
    if (attribute.kind === "component")
      return this.level(component(this.#context.model, attribute.component), entry, place);
    return this.#zoneItem(entry, place);
  }

  #zoneItem(item: Data, place: Place): unknown {
    const path = `${place.path}.__component`;
    const input = item.__component;
    const uid = typeof input === "number" || typeof input === "boolean" ? String(input) : input;
    const known = [...this.#context.model.components.keys()];
    if (uid === undefined || uid === "") {
      this.#report(path, `${path} is a required field`, uid);
      if (uid === undefined) return item;
    }
    if (typeof uid === "string" && known.includes(uid)) {
      return this.level(component(this.#context.model, uid), item, place, ["__component"]);
    }
    if (typeof uid !== "string") this.#report(path, typeMessage(path, "string", uid, uid), uid);
    this.#report(path, `${path} must be one of the following values: ${known.join(", ")}`, uid);
    return { ...item, __component: uid };
  }
}

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
  schema: Schema,
  data: Data,
  options: Validation,
): { readonly data: Data; readonly problems: readonly Problem[] } {
  const validator = new Validator(context, schema, options);
  const out = validator.level(schema, data, { path: "", through: [], siblings: [] });
  const message = options.isStored ? undefined : checkRelationsExist(context, schema, out);
  if (message !== undefined) validator.problems.push({ path: "", message, value: out });
  return { data: out, problems: validator.problems };
}
