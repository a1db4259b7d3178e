/**
 * Checks the keys of `populate` in each of its forms. The paths in the messages follow the reference's walk: a key that
 * is no option of a relation is reported at the relation, a key of a nested `populate` with the words in between.
 */
import { invalidKeyError } from "../errors.ts";
import {
  type Attribute,
  component,
  type Model,
  type PopulatableAttribute,
  type Schema,
  targetOf,
} from "../schema/model.ts";
import { checkFields } from "./fields.ts";
import { checkFilters } from "./filters-check.ts";
import { isRecord, joinPath, KeyCheck } from "./key-check.ts";
import { checkSort } from "./sort.ts";
import type { CanRead } from "./tree.ts";
import { isReadable } from "./visibility.ts";

/** The words that mean yes or no, as keys or values. */
const BOOLEANS: readonly unknown[] = [true, false, "true", "t", "1", 1, "false", "f", "0", 0];
export const isBooleanWord = (value: unknown): boolean => BOOLEANS.includes(value);

export const isPopulatable = (attribute: Attribute | undefined): attribute is PopulatableAttribute =>
  attribute !== undefined && attribute.kind !== "scalar";

const isMorphLike = (attribute: Attribute): boolean =>
  attribute.kind === "zone" || (attribute.kind === "relation" && attribute.target === undefined);

export const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");

interface Place {
  readonly schema: Schema;
  /** With every key on the way. */
  readonly raw: string | null;
  /** Attributes only. */
  readonly path: string | null;
  /** The attribute whose options are looked at, if any. */
  readonly owner: Attribute | undefined;
}

export class PopulateCheck {
  readonly #model: Model;
  readonly #canRead: CanRead;
  readonly #keys: KeyCheck;

  constructor(model: Model, canRead: CanRead) {
    this.#model = model;
    this.#canRead = canRead;
    this.#keys = new KeyCheck(() => true);
  }

  /** Throws "Invalid key" for the first key that cannot be populated. */
  run(schema: Schema, populate: unknown): void {
    this.#value({ schema, raw: null, path: null, owner: undefined }, populate, true);
    this.#keys.finish("populate");
  }

  #unknown(key: string, path: string | null): void {
    this.#keys.report("unknown", { key, path });
  }

  #schemaOf(uid: string): Schema | undefined {
    return this.#model.components.get(uid) ?? this.#model.types.get(uid);
  }

  /** `dotted`: texts are paths from this schema on, rather than keys. */
  #value(at: Place, value: unknown, dotted: boolean): void {
    if (value === "*") return;
    if (dotted && (typeof value === "string" || isStrings(value))) {
      for (const path of [value].flat().flatMap((item) => item.split(","))) {
        const steps = path
          .split(".")
          .map((step) => step.trim())
          .filter((step) => step !== "");
        if (steps.length > 0) this.#steps(at.schema, steps, "", at.path);
      }
      return;
    }
    if (typeof value === "string") return this.#object(at, { [value]: true });
    if (isStrings(value)) return this.#object(at, Object.fromEntries(value.map((key) => [key, true])));
    if (isRecord(value)) this.#object(at, value);
  }

  /** `outer`: where the path begins; only private attributes are reported with it. */
  #steps(schema: Schema, [name, ...rest]: readonly string[], before: string, outer: string | null): void {
    const path = before === "" ? name! : `${before}.${name}`;
    const attribute = schema.attributes.get(name!);
    if (!isPopulatable(attribute)) return this.#unknown(name!, path);
    if (attribute.private) this.#keys.report("private", { key: name!, path: joinPath(outer, path) });
    if (rest.length === 0) return;
    if (attribute.kind === "zone") return this.#zoneSteps(attribute.components, rest, path, outer);
    const target = attribute.kind === "media" || isMorphLike(attribute) ? undefined : targetOf(this.#model, attribute);
    if (!target) return this.#unknown(name!, path);
    this.#steps(target, rest, path, outer);
  }

  /** A path goes through a zone when one of the zone's components has all of the rest. */
  #zoneSteps(components: readonly string[], rest: readonly string[], before: string, outer: string | null): void {
    const fits = components.some((uid) => {
      const probe = new PopulateCheck(this.#model, this.#canRead);
      probe.#steps(component(this.#model, uid), rest, before, outer);
      return probe.#keys.error("populate") === undefined;
    });
    if (!fits) this.#unknown(rest[0]!, `${before}.${rest[0]}`);
  }

  #object(at: Place, value: Record<string, unknown>): void {
    for (const [key, inner] of Object.entries(value)) {
      const attribute = at.schema.attributes.get(key);
      const here: Place = {
        schema: at.schema,
        raw: joinPath(at.raw, key),
        path: attribute ? joinPath(at.path, key) : at.path,
        owner: attribute,
      };
      if (attribute && !at.owner) this.#attribute(here, attribute, key, inner);
      else this.#option({ ...here, owner: at.owner }, key, inner);
    }
  }

  #attribute(at: Place, attribute: Attribute, key: string, value: unknown): void {
    if (
      isMorphLike(attribute) &&
      isRecord(value) &&
      value.populate !== undefined &&
      value.populate !== null &&
      value.populate !== "*"
    ) {
      this.#unknown("populate", at.raw);
    }
    if (!isPopulatable(attribute)) return this.#unknown(key, at.raw);
    if (attribute.private) this.#keys.report("private", { key, path: at.path });
    if (value === null || value === undefined) return;
    if (isMorphLike(attribute)) {
      if (isRecord(value) && value.on) this.#object(at, { on: value.on });
      return;
    }
    const target = targetOf(this.#model, attribute);
    if (value === "*" && isReadable(at.schema, attribute, this.#canRead)) this.#wildcard(at, target);
    if (target) this.#value({ ...at, schema: target }, value, false);
  }

  /** A star as the value itself is not understood by the reference: it trips over the target's first relation. */
  #wildcard(at: Place, target: Schema | undefined): void {
    const first = [...(target?.attributes.values() ?? [])].find(
      (attribute) => isPopulatable(attribute) && !attribute.private && isReadable(target!, attribute, this.#canRead),
    );
    if (first) throw invalidKeyError({ key: first.name, path: joinPath(at.path, first.name) });
  }

  #option(at: Place, key: string, value: unknown): void {
    if (key === "on") return this.#fragments(at, value);
    if (key === "" && value === "*") return;
    if (key === "count") {
      if (!isBooleanWord(value)) this.#unknown(key, at.path);
      return;
    }
    if (isBooleanWord(key)) return;
    if (key === "sort") return this.#nested(() => checkSort(this.#model, at.schema, value, () => true));
    if (key === "filters") return this.#nested(() => checkFilters(this.#model, at.schema, value, () => true));
    if (key === "fields") return this.#nested(() => checkFields(at.schema, value));
    if (key !== "populate") return this.#unknown(key, at.path);
    this.#value({ ...at, owner: undefined }, value, true);
    // lists in one text are taken apart at the top of the parameter only, and only there may it be empty
    if (value === "" || (typeof value === "string" && value.includes(","))) this.#unknown(value, at.path);
  }

  #fragments(at: Place, value: unknown): void {
    if (typeof value !== "object" || value === null) return this.#unknown("on", at.raw);
    for (const [uid, fragment] of Object.entries(value)) {
      const schema = this.#schemaOf(uid);
      if (!schema) this.#unknown(uid, `${at.raw}.${uid}`);
      else if (fragment === "*") this.#wildcard(at, schema);
      else this.#value({ ...at, schema, raw: `${at.raw}[${uid}]` }, fragment, false);
    }
  }

  /** Errors of nested parameters have paths of their own, but are reported as errors of `populate`. */
  #nested(check: () => void): void {
    try {
      check();
    } catch (error) {
      const { key, path } = (error as { details?: { key?: string; path?: string | null } }).details ?? {};
      if (key === undefined) throw error;
      this.#unknown(key, path ?? null);
    }
  }
}

export function checkPopulate(model: Model, schema: Schema, populate: unknown, canRead: CanRead): void {
  if (populate !== "*") new PopulateCheck(model, canRead).run(schema, populate);
}
