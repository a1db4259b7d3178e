/**
 * Normalises attributes of schema files as the reference does: flags are converted to booleans, and limits may be strings.
 * Unusable values are dropped.
 */
import type { AttributeDefinition } from "../attributes/index.ts";

const flag = (value: unknown): unknown => Boolean(value);
const limit = (value: unknown): unknown => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && !Number.isNaN(number) ? number : undefined;
};
function pattern(value: unknown): unknown {
  if (value === null) return undefined;
  try {
    new RegExp(String(value));
    return String(value);
  } catch {
    // reported by the check of the file
    return undefined;
  }
}

interface Rule {
  readonly fits: (value: unknown) => boolean;
  readonly tidy: (value: unknown) => unknown;
}

const flagRule: Rule = { fits: (value) => typeof value === "boolean", tidy: flag };
const limitRule: Rule = { fits: (value) => typeof value === "number", tidy: limit };

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
  regex: { fits: () => false, tidy: pattern },
};

/** Returns the same object if nothing changes, which is the normal case. */
export function tidyAttribute(definition: AttributeDefinition): AttributeDefinition {
  let tidied: Record<string, unknown> | undefined;
  for (const key in definition) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    const value = definition[key];
    if (!rule || value === undefined || rule.fits(value)) continue;
    const next = rule.tidy(value);
    if (next === value) continue;
    tidied ??= { ...definition };
    tidied[key] = next;
  }
  return (tidied as AttributeDefinition | undefined) ?? definition;
}
