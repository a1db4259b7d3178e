/** Rules about the values of enumerations, which become names in GraphQL. */
import { isGraphqlName, slugOf } from "../enum-names.ts";
import { tidyAttribute } from "../tidy.ts";
import type { AttributeCheck } from "./attribute-check.ts";

/**
 * Strapi refuses content-types with values that are no valid names, or have equal names. It does not check components:
 * there, the last value with a name is used.
 */
export function checkEnumeration({ definition, raw, refuse, warn }: AttributeCheck): void {
  const values = tidyAttribute(definition).enum as readonly string[];
  const isType = "folder" in raw;
  if (values.length === 0)
    warn("enum", "has no values, so that only null is valid; the attribute is not part of GraphQL");
  const names = values.map(slugOf);
  const invalid = values.find((_value, index) => !isGraphqlName(names[index]!));
  if (invalid !== undefined) {
    if (isType) refuse("enum", `invalid value "${invalid}": a letter must come before the first number`);
    else warn("enum", `"${invalid}" is no name in GraphQL, where it gets an underscore in front`);
  }
  const seen = new Set<string>();
  const duplicate = names.findIndex((name) => seen.size === seen.add(name).size);
  if (duplicate < 0) return;
  const reason = `"${values[duplicate]}" and another value have the same name in GraphQL, ${names[duplicate]}`;
  if (isType) refuse("enum", reason);
  else warn("enum", `${reason}, which stands for the last of them`);
}
