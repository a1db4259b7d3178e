/**
 * Attributes as the reference takes them where a file does not say things in the form that is due: flags count as true or
 * false like any value in JavaScript, and limits may be written as texts. What cannot be used in any way is left out.
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
    // the check of the file has reported it
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

/** The same object where everything fits, which is nearly always. */
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
