/**
 * Checks the keys of parameters. The paths in messages are those of Strapi: an unknown option of `populate` is reported with the
 * path of its relation, a key of a nested `populate` with all keys on the way.
 */
import { type InvalidKey, invalidKeyError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { FILE, USER } from "../schema/builtin/index.ts";
import {
  type Attribute,
  component,
  findTarget,
  hasPolymorphicTargets,
  hasVersions,
  type Model,
  type PopulatableAttribute,
  type Schema,
} from "../schema/model.ts";
import { isHidden, isReadable } from "./check-query.ts";
import { isPresent, isStrings, withoutEmpty } from "./list-params.ts";
import { isOperator } from "./operators.ts";
import { isPlanned } from "./populate-plans.ts";
import { type CanRead, isIdKey, joinPath } from "./tree.ts";
import { type Answer, isAnyField, isEmpty, isVisited, type Visited, visits } from "./visit-params.ts";
import { type Place, type PopulatedName, type PopulateVisitor, visitPath, visitPopulate } from "./visit-populate.ts";

/** The rules in the order in which Strapi applies them: the last one in its document service, which reports no parameter. */
const rules = ["unknown", "zone", "polymorphic", "secret", "private", "empty", "restricted", "wildcard"] as const;
type Rule = (typeof rules)[number];

export type KeyAccess = ConstructorParameters<typeof KeyCheck>;

export class KeyCheck {
  /** The invalid key that Strapi would report, if there was one. */
  violation: { readonly rule: Rule; readonly key: string; readonly path: string | null } | undefined;
  readonly canRead: CanRead;
  readonly #readsSecrets: boolean;

  /** `readsSecrets`: passwords are valid keys. */
  constructor(canRead: CanRead, readsSecrets = false) {
    this.canRead = canRead;
    this.#readsSecrets = readsSecrets;
  }

  report(rule: Rule, { key, path = null }: InvalidKey): void {
    if (!this.violation || rules.indexOf(rule) < rules.indexOf(this.violation.rule))
      this.violation = { rule, key, path };
  }

  /** Applies the rules for an attribute that is used as a key. */
  attribute(schema: Schema, attribute: Attribute, path: string): void {
    const at = { key: attribute.name, path };
    if (attribute.kind === "zone") this.report("zone", at);
    if (attribute.kind === "relation" && attribute.relation.startsWith("morphTo")) this.report("polymorphic", at);
    if (attribute.kind === "scalar" && attribute.type.isSecret && !this.#readsSecrets) this.report("secret", at);
    if (attribute.private) this.report("private", at);
    if (!isReadable(schema, attribute, this.canRead)) this.report("restricted", at);
  }

  /** Throws the violation, if there was one. */
  finish(param: string): void {
    if (!this.violation) return;
    throw invalidKeyError(this.violation, this.violation.rule === "wildcard" ? {} : { source: "query", param });
  }
}

/** Strapi does not check keys behind relations to several types. */
const below = (attribute: Attribute): Answer =>
  attribute.kind === "relation" && attribute.link.polymorphic ? "keep" : "visit";

const checks: Record<keyof typeof visits, (keys: KeyCheck, visited: Visited) => Answer> = {
  filters: (keys, { schema, key, attribute, path }) => {
    if (!attribute) {
      if (!isIdKey(key) && !isOperator(key)) keys.report("unknown", { key, path });
      return "visit";
    }
    keys.attribute(schema, attribute, joinPath(path, key));
    return below(attribute);
  },
  sort: (keys, { schema, key, attribute, value, path }) => {
    if (isIdKey(key)) return "keep";
    if (!attribute) {
      const isStatus = key === "status" && hasVersions(schema);
      // refused where nothing is searched
      if (key === "_relevance" && path === null) return "keep";
      if (!isStatus) keys.report("unknown", { key, path });
      else if (isEmpty(value)) keys.report("empty", { key, path });
      return "keep";
    }
    const here = joinPath(path, key);
    keys.attribute(schema, attribute, here);
    if (attribute.kind !== "scalar" && isEmpty(value)) keys.report("empty", { key, path: here });
    return below(attribute);
  },
  fields: (keys, { schema, key, attribute }) => {
    if (isAnyField(key)) return "keep";
    if (attribute?.kind === "scalar") keys.attribute(schema, attribute, key);
    else keys.report("unknown", { key, path: attribute ? key : null });
    return "keep";
  },
};

/** The keys of a parameter, checked. */
function checked(model: Model, schema: Schema, name: keyof typeof visits, value: unknown, access: KeyAccess): KeyCheck {
  const keys = new KeyCheck(...access);
  // `readFields` refuses other lists
  const isRefused = name === "fields" && Array.isArray(value) && !isStrings(withoutEmpty(value));
  if (!isRefused) visits[name](model, schema, value, (visited) => checks[name](keys, visited));
  return keys;
}

/** The spellings of booleans, as keys or values. */
const BOOLEANS: readonly unknown[] = [true, false, "true", "t", "1", 1, "false", "f", "0", 0];
export const isBooleanWord = (value: unknown): boolean => BOOLEANS.includes(value);

export const isPopulatable = (attribute: Attribute | undefined): attribute is PopulatableAttribute =>
  attribute !== undefined && attribute.kind !== "scalar";

class PopulateCheck implements PopulateVisitor {
  readonly #model: Model;
  readonly #canRead: CanRead;
  readonly #readsSecrets: boolean;
  readonly #takesWildcards: boolean;
  readonly keys = new KeyCheck(() => true);

  /** `takesWildcards`: `*` as the value of an attribute is true. */
  constructor(model: Model, canRead: CanRead, readsSecrets: boolean, takesWildcards: boolean) {
    this.#model = model;
    this.#canRead = canRead;
    this.#readsSecrets = readsSecrets;
    this.#takesWildcards = takesWildcards;
  }

  #unknown(key: string, path: string | null): void {
    this.keys.report("unknown", { key, path });
  }

  name(name: PopulatedName): unknown {
    const { schema, key, attribute, value, raw, path, rest } = name;
    if (!isPopulatable(attribute)) this.#unknown(key, raw);
    else {
      if (attribute.private) this.keys.report("private", { key, path });
      if (rest.length > 0) this.#rest(name, attribute);
      else if (hasPolymorphicTargets(attribute)) {
        if (isRecord(value) && isPresent(value.populate) && value.populate !== "*") this.#unknown("populate", raw);
      } else if (value === "*" && isReadable(schema, attribute, this.#canRead))
        this.#wildcard(path, findTarget(this.#model, attribute));
    }
    return value;
  }

  /** A path through a zone is valid when one of its components has the rest of the path. */
  #rest({ key, raw, rest }: PopulatedName, attribute: PopulatableAttribute): void {
    if (attribute.kind === "zone") {
      const fits = attribute.components.some((uid) => {
        const probe = new PopulateCheck(this.#model, this.#canRead, this.#readsSecrets, this.#takesWildcards);
        const isValid = (name: PopulatedName): boolean => {
          probe.name(name);
          return probe.keys.violation === undefined;
        };
        return visitPath(this.#model, component(this.#model, uid), rest, isValid);
      });
      if (!fits) this.#unknown(rest[0]!, `${raw}.${rest[0]}`);
    } else if (attribute.kind === "media" || !findTarget(this.#model, attribute)) this.#unknown(key, raw);
  }

  /** For `*` as the value of an attribute, Strapi reports the target's first relation as invalid. */
  #wildcard(path: string | null, target: Schema | undefined): void {
    const first = !this.#takesWildcards && target && shownIn(target, this.#canRead)[0];
    if (first) this.keys.report("wildcard", { key: first.name, path: joinPath(path, first.name) });
  }

  option({ schema, raw, path }: Place, key: string, value: unknown): unknown {
    if (key === "on") {
      if (typeof value !== "object" || value === null) this.#unknown(key, raw);
    } else if (key === "count") {
      if (!isBooleanWord(value)) this.#unknown(key, path);
    } else if (key === "populate") {
      // comma-separated lists and empty strings are valid at the top level only
      if (value === "" || (typeof value === "string" && value.includes(","))) this.#unknown(value, path);
    } else if (isVisited(key)) {
      // errors keep their path, but are reported as errors of `populate`
      const { violation } = checked(this.#model, schema, key, value, [() => true, this.#readsSecrets]);
      if (violation) this.#unknown(violation.key, violation.path);
    } else if (!isBooleanWord(key) && !(key === "" && value === "*")) this.#unknown(key, path);
    return value;
  }

  fragment({ path, raw }: Place, uid: string, schema: Schema | undefined, value: unknown): boolean {
    if (!schema) this.#unknown(uid, `${raw}.${uid}`);
    else if (value === "*") this.#wildcard(path, schema);
    return true;
  }
}

/** The attributes that `*` populates. */
export const shownIn = (schema: Schema, canRead: CanRead): PopulatableAttribute[] =>
  [...schema.attributes.values()].filter(isPopulatable).filter((attribute) => !isHidden(schema, attribute, canRead));

/** Checks the keys of every parameter. Throws "Invalid key" and nothing else. */
export function checkParams(
  model: Model,
  schema: Schema,
  params: Readonly<Record<string, unknown>>,
  ...access: KeyAccess
): void {
  for (const name of ["filters", "sort", "fields"] as const)
    if (params[name]) checked(model, schema, name, params[name], access).finish(name);
  const [canRead, readsSecrets = false] = access;
  if (!params.populate || isPlanned(schema, params.populate, { canRead, readsAll: readsSecrets })) return;
  // as for a caller who may read everything, and for types without a document service in Strapi
  const takesWildcards = readsSecrets || schema.uid === USER || schema.uid === FILE;
  const check = new PopulateCheck(model, canRead, readsSecrets, takesWildcards);
  visitPopulate(model, schema, params.populate, check);
  check.keys.finish("populate");
}
