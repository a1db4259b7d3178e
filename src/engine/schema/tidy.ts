/**
 * Normalises attributes of schema files as Strapi does: flags are converted to booleans, and limits may be strings.
 * Unusable values are dropped.
 */
import type { AttributeDefinition } from "../attributes/index.ts";

const toFlag = (value: unknown): unknown => Boolean(value);
const toLimit = (value: unknown): unknown => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && !Number.isNaN(number) ? number : undefined;
};
function toPattern(value: unknown): unknown {
  if (value === null) return undefined;
  try {
    new RegExp(String(value));
    return String(value);
  } catch {
    // reported by the check of the file
    return undefined;
  }
}

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");
/** Strapi starts with lists that are none, of the values of components' enumerations and of zones. */
const toValues = (value: unknown): unknown => [value].flat().filter((item) => typeof item === "string");

interface Rule {
  readonly fits: (value: unknown) => boolean;
  readonly tidy: (value: unknown) => unknown;
}

const flagRule: Rule = { fits: (value) => typeof value === "boolean", tidy: toFlag };
const limitRule: Rule = { fits: (value) => typeof value === "number", tidy: toLimit };

const rules: Readonly<Record<string, Rule>> = {
  required: flagRule,
  unique: flagRule,
  private: flagRule,
  multiple: flagRule,
  repeatable: flagRule,
  min: limitRule,
  max: limitRule,
  minLength: limitRule,
  maxLength: limitRule,
  enum: { fits: isTextList, tidy: toValues },
  components: { fits: isTextList, tidy: toValues },
  regex: { fits: () => false, tidy: toPattern },
};

/** Returns the same object if nothing changes, which is the normal case. */
export function tidyAttribute(definition: AttributeDefinition): AttributeDefinition {
  let changed: Record<string, unknown> | undefined;
  for (const key in definition) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    const value = definition[key];
    if (!rule || value === undefined || rule.fits(value)) continue;
    const next = rule.tidy(value);
    if (next === value) continue;
    changed ??= { ...definition };
    changed[key] = next;
  }
  return (changed as AttributeDefinition | undefined) ?? definition;
}
