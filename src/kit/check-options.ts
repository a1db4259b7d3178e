/** Checks what tests, which may be JavaScript or JSON, give as options. */
import { isRecord } from "../lib/is-record.ts";

export interface OptionRule {
  /** As in "must be a string". */
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

export const text: OptionRule = { expected: "a string", fits: (value) => typeof value === "string" };
export const flag: OptionRule = { expected: "a boolean", fits: (value) => typeof value === "boolean" };
export const anything: OptionRule = { expected: "anything", fits: () => true };
export const amount: OptionRule = {
  expected: "a number from 0",
  fits: (value) => typeof value === "number" && value >= 0,
};

/** Throws a TypeError that names an option without a rule, or one that is not as its rule says. */
export function checkOptions(name: string, value: unknown, rules: Readonly<Record<string, OptionRule>>): void {
  if (!isRecord(value)) throw new TypeError(`${name} must be an object`);
  for (const [key, option] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (!rule) throw new TypeError(`${name} has no ${key}; there are ${Object.keys(rules).join(", ")}`);
    if (option !== undefined && !rule.fits(option))
      throw new TypeError(`${name}.${key} must be ${rule.expected}, not ${Bun.inspect(option).slice(0, 100)}`);
  }
}
