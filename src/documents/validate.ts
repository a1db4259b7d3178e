/**
 * Checks a document's data against its schema and collects every problem, in the reference's order and words. Answers the
 * data after casting, with defaults filled in where the reference fills them.
 */

import type { ScalarType } from "../attributes/index.ts";
import type { Budget } from "../budget.ts";
import { byDepth } from "../depth.ts";
import type { Problem } from "../errors.ts";
import { typeMessage } from "../print-value.ts";
import { isRecord } from "../query/key-check.ts";
import {
  type Attribute,
  type ComponentAttribute,
  component,
  type ScalarAttribute,
  type Schema,
  type ZoneAttribute,
} from "../schema/model.ts";
import { checkDepth, entryDepth } from "./check-depth.ts";
import { isVisible, unchecked } from "./conditions.ts";
import type { DocumentsContext } from "./context.ts";
import { checkRelationsExist } from "./relations-exist.ts";
import { leavesEmpty, targetsIn } from "./required-relations.ts";
import { isUnique, type UniqueScope } from "./unique.ts";

export interface Validation {
  /** Defaults are filled in and missing required values are refused; an update only refuses null. */
  readonly creating: boolean;
  /** Drafts may be incomplete. */
  readonly draft: boolean;
  readonly locale: string | null;
  /** The row whose own values do not count as duplicates. */
  readonly row?: number;
  /** Beyond it the data is refused, whatever else is wrong with it. */
  readonly budget: Budget;
}

type Data = Record<string, unknown>;

/** What is known on the way into components: how they are reached from the document, for the uniqueness of their values. */
interface Place {
  readonly path: string;
  readonly through: readonly (ComponentAttribute | ZoneAttribute)[];
  /** All entries of the outermost list, which must not repeat each other's unique values. */
  readonly siblings: readonly unknown[];
}

const isWritable = ({ writable }: Attribute): boolean => writable;

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

  /** One by one: there may be more than a call may have arguments. */
  #add(problems: readonly Problem[]): void {
    for (const problem of problems) this.problems.push(problem);
  }

  /**
   * Checks one level. The problems of its attributes are sorted as the reference does it: by the first attribute whose
   * name occurs in the path of the attribute that has them; where that is the same one, what is checked earlier comes
   * first, and else the later attribute, since it begins with the last.
   */
  level(schema: Schema, data: Data, place: Place, first: readonly string[] = []): Data {
    let names: readonly string[] | undefined;
    const found: { rank: number; depth: number; problems: Problem[] }[] = [];
    // without what objects inherit: an attribute may be called "constructor"
    const out: Data = Object.assign(Object.create(null), data);
    for (const attribute of schema.attributes.values()) {
      if (!isWritable(attribute)) continue;
      const before = this.problems.length;
      const given = out[attribute.name];
      const value = isVisible(attribute, data)
        ? this.#attribute(schema, attribute, given, place)
        : unchecked(this.#context.model, attribute, given);
      if (value !== undefined) out[attribute.name] = value;
      if (this.problems.length === before) continue;
      const path = joined(place.path, attribute.name);
      names ??= [...first, ...[...schema.attributes.values()].filter(isWritable).map(({ name }) => name)];
      const rank = names.findIndex((name) => path.includes(name));
      const depth = checkDepth(this.#context.model, attribute, given);
      found.unshift({ rank, depth, problems: this.problems.splice(before) });
    }
    found.sort((a, b) => a.rank - b.rank || a.depth - b.depth);
    for (const { problems } of found) this.#add(problems);
    return out;
  }

  #attribute(schema: Schema, attribute: Attribute, given: unknown, place: Place): unknown {
    const path = joined(place.path, attribute.name);
    if (attribute.kind === "relation" || attribute.kind === "media") {
      this.#options.budget.take("links", targetsIn(given));
      if (
        this.#context.strictRelations &&
        !this.#options.draft &&
        attribute.required &&
        leavesEmpty(attribute.many, given, this.#options.creating)
      ) {
        this.#report(path, `${path} must be defined.`, given);
      }
      return given;
    }
    const value = given === undefined && this.#options.creating ? this.#default(attribute) : given;
    if (attribute.kind === "scalar") return this.#scalar(schema, attribute, value, { ...place, path });
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

  #scalar(schema: Schema, attribute: ScalarAttribute, given: unknown, { path, through, siblings }: Place): unknown {
    const { type, definition } = attribute;
    const required = attribute.required && !this.#options.draft;
    if (given === undefined) {
      if (required) this.#missing(path, undefined);
      return undefined;
    }
    const allowsNull = !required || type.expects?.nullable === true;
    const value = given === null ? (allowsNull ? null : nullAs(type.expects?.name)) : cast(type, given);
    const at = { path, draft: this.#options.draft };
    // what cannot be cast is null, which an attribute that may be empty takes
    const fits = !type.expects || type.expects.is(value) || (value === null && allowsNull);
    if (!fits) this.#report(path, typeMessage(path, type.expects!.name, value, given), value);
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
    for (const problem of type.inside?.(value, path) ?? []) this.problems.push(problem);
    if (attribute.unique && !this.#options.draft && value !== "") {
      const scope: UniqueScope = {
        root: this.#root,
        through,
        schema,
        siblings,
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

  #list(attribute: ComponentAttribute | ZoneAttribute, value: unknown, place: Place): unknown {
    const { path } = place;
    if (value === undefined) {
      // even for drafts: a list is there from the beginning
      this.#missing(path, undefined);
      return undefined;
    }
    if (!Array.isArray(value)) {
      this.#report(path, typeMessage(path, "array", value, value), value);
      return value;
    }
    const before = this.problems.length;
    const found: { depth: number; problems: Problem[] }[] = [];
    const items = value.map((item, index) => {
      const checked = this.#item(attribute, item, { ...place, path: `${path}[${index}]` });
      if (this.problems.length > before) {
        found.push({ depth: entryDepth(this.#context.model, attribute, item), problems: this.problems.splice(before) });
      }
      return checked;
    });
    this.#add(byDepth(found));
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

  #item(attribute: ComponentAttribute | ZoneAttribute, item: unknown, place: Place): unknown {
    this.#options.budget.take("components", 1);
    const entry = entryOf(item);
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
    const uid = item.__component;
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
    return item;
  }
}

/** An entry of a list, which may be written as JSON; undefined for what is none. */
function entryOf(item: unknown): Data | undefined {
  if (typeof item !== "string") return isRecord(item) ? item : undefined;
  try {
    const value: unknown = JSON.parse(item);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const cast = (type: ScalarType, value: unknown): unknown => (type.cast ? type.cast(value) : value);

/** Null where a number is due is not a number. */
const nullAs = (expected: string | undefined): unknown => (expected === "number" ? Number.NaN : null);

/** Problems and the data after casting. `data` has its relations in normalised form. */
export function validate(
  context: DocumentsContext,
  schema: Schema,
  data: Data,
  options: Validation,
): { readonly data: Data; readonly problems: readonly Problem[] } {
  const validator = new Validator(context, schema, options);
  const out = validator.level(schema, data, { path: "", through: [], siblings: [] });
  const message = checkRelationsExist(context, schema, out);
  if (message !== undefined) validator.problems.push({ path: "", message, value: out });
  return { data: out, problems: validator.problems };
}
