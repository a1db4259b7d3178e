/**
 * Checks the keys of `populate` in all its forms. The paths in messages are those of Strapi: an unknown option is
 * reported with the path of its relation, a key of a nested `populate` with all keys on the way.
 */
import { invalidKeyError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import {
  type Attribute,
  component,
  hasMixedTargets,
  type Model,
  type PopulatableAttribute,
  type Schema,
  targetOf,
} from "../schema/model.ts";
import { isReadable, joinPath, KeyCheck } from "./key-check.ts";
import { checkFields } from "./list-params.ts";
import type { CanRead } from "./tree.ts";
import { checkFilters, checkSort } from "./visit-params.ts";

/** The spellings of booleans, as keys or values. */
const BOOLEANS: readonly unknown[] = [true, false, "true", "t", "1", 1, "false", "f", "0", 0];
export const isBooleanWord = (value: unknown): boolean => BOOLEANS.includes(value);

export const isPopulatable = (attribute: Attribute | undefined): attribute is PopulatableAttribute =>
  attribute !== undefined && attribute.kind !== "scalar";

export const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");

interface Place {
  readonly schema: Schema;
  /** All keys on the way. */
  readonly raw: string | null;
  /** Attributes only. */
  readonly path: string | null;
  /** The attribute whose options are checked, if any. */
  readonly owner: Attribute | undefined;
}

class PopulateCheck {
  readonly #model: Model;
  readonly #canRead: CanRead;
  readonly #readsSecrets: boolean;
  readonly #keys: KeyCheck;

  constructor(model: Model, canRead: CanRead, readsSecrets: boolean) {
    this.#model = model;
    this.#canRead = canRead;
    this.#readsSecrets = readsSecrets;
    this.#keys = new KeyCheck(() => true, readsSecrets);
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

  /** `dotted`: strings are paths instead of keys. */
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

  /** `outer`: the path before this parameter; only private attributes are reported with it. */
  #steps(schema: Schema, [name, ...rest]: readonly string[], before: string, outer: string | null): void {
    const path = before === "" ? name! : `${before}.${name}`;
    const attribute = schema.attributes.get(name!);
    if (!isPopulatable(attribute)) return this.#unknown(name!, path);
    if (attribute.private) this.#keys.report("private", { key: name!, path: joinPath(outer, path) });
    if (rest.length === 0) return;
    if (attribute.kind === "zone") return this.#zoneSteps(attribute.components, rest, path, outer);
    const target =
      attribute.kind === "media" || hasMixedTargets(attribute) ? undefined : targetOf(this.#model, attribute);
    if (!target) return this.#unknown(name!, path);
    this.#steps(target, rest, path, outer);
  }

  /** A path through a zone is valid when one of its components has the rest of the path. */
  #zoneSteps(components: readonly string[], rest: readonly string[], before: string, outer: string | null): void {
    const fits = components.some((uid) => {
      const probe = new PopulateCheck(this.#model, this.#canRead, this.#readsSecrets);
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
      hasMixedTargets(attribute) &&
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
    if (hasMixedTargets(attribute)) {
      if (isRecord(value) && value.on) this.#object(at, { on: value.on });
      return;
    }
    const target = targetOf(this.#model, attribute);
    // for a caller who may read everything, it is just true
    if (value === "*" && !this.#readsSecrets && isReadable(at.schema, attribute, this.#canRead))
      this.#wildcard(at, target);
    if (target) this.#value({ ...at, schema: target }, value, false);
  }

  /** For `*` as the value of an attribute, Strapi reports the target's first relation as invalid. */
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
    if (key === "sort")
      return this.#nested(() => checkSort(this.#model, at.schema, value, () => true, this.#readsSecrets));
    if (key === "filters")
      return this.#nested(() => checkFilters(this.#model, at.schema, value, () => true, this.#readsSecrets));
    if (key === "fields") return this.#nested(() => checkFields(at.schema, value, this.#readsSecrets));
    if (key !== "populate") return this.#unknown(key, at.path);
    this.#value({ ...at, owner: undefined }, value, true);
    // comma-separated lists and empty strings are valid at the top level only
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

  /** Errors of nested parameters keep their path, but are reported as errors of `populate`. */
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

export function checkPopulate(
  model: Model,
  schema: Schema,
  populate: unknown,
  canRead: CanRead,
  readsSecrets: boolean,
): void {
  if (populate !== "*") new PopulateCheck(model, canRead, readsSecrets).run(schema, populate);
}
