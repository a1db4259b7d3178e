/**
 * Finds the invalid key that Strapi would report. Strapi walks a parameter once per rule and stops at the
 * first violation. Here a single walk keeps the first violation of the earliest rule.
 */
import { type InvalidKey, invalidKeyError } from "../../lib/errors.ts";
import type { Attribute, Schema } from "../schema/model.ts";
import type { CanRead } from "./tree.ts";

/** Whether the caller may follow an attribute: relations need permission to find their target. */
export function isReadable(schema: Schema, attribute: Attribute, canRead: CanRead): boolean {
  if (attribute.kind !== "relation" || !attribute.target) return true;
  if (attribute.virtual === "creator" && schema.modelType === "contentType" && schema.populateCreatorFields)
    return true;
  return canRead(attribute.target, schema.uid);
}

/** Whether no caller may read an attribute, filter or sort by it. */
export const isSecret = (attribute: Attribute): boolean =>
  attribute.private || (attribute.kind === "scalar" && attribute.type.isSecret === true);

/** Whether an attribute must not appear in a caller's query. */
export const isHidden = (schema: Schema, attribute: Attribute, canRead: CanRead): boolean =>
  isSecret(attribute) || !isReadable(schema, attribute, canRead);

/** The rules in the order in which Strapi applies them. */
export const rules = ["unknown", "zone", "polymorphic", "secret", "private", "empty", "restricted"] as const;
export type Rule = (typeof rules)[number];

export type KeyAccess = ConstructorParameters<typeof KeyCheck>;

export class KeyCheck {
  /** The invalid key that Strapi would report, if there was one. */
  violation: { readonly rank: number; readonly key: string; readonly path: string | null } | undefined;
  readonly canRead: CanRead;
  readonly #readsSecrets: boolean;

  /** `readsSecrets`: passwords are valid keys. */
  constructor(canRead: CanRead, readsSecrets = false) {
    this.canRead = canRead;
    this.#readsSecrets = readsSecrets;
  }

  report(rule: Rule, { key, path = null }: InvalidKey): void {
    const rank = rules.indexOf(rule);
    if (!this.violation || rank < this.violation.rank) this.violation = { rank, key, path };
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
    if (this.violation) throw invalidKeyError(this.violation, { source: "query", param });
  }
}

export const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

export const joinPath = (path: string | null, key: string): string => (path === null ? key : `${path}.${key}`);
