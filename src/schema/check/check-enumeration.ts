/** Rules about the values of enumerations, which become names in GraphQL. */
import { isGraphqlName, slugOf } from "../enum-names.ts";
import type { AttributeCheck } from "./attribute-check.ts";

/**
 * The reference refuses content-types with values that are no valid names, or have equal names. It does not check components:
 * there, the last value with a name is used.
 */
export function checkEnumeration({ definition, raw, refuse, warn }: AttributeCheck): void {
  const values = definition.enum as readonly string[];
  const isType = "folder" in raw;
  const invalid = values.find((value) => !isGraphqlName(slugOf(value)));
  if (invalid !== undefined) {
    if (isType) refuse("enum", `invalid value "${invalid}": a letter must come before the first number`);
    else warn("enum", `"${invalid}" is no name in GraphQL, where it gets an underscore in front`);
  }
  const duplicate = values.find((value, index) => values.findIndex((other) => slugOf(other) === slugOf(value)) < index);
  if (duplicate === undefined) return;
  const reason = `"${duplicate}" and another value have the same name in GraphQL, ${slugOf(duplicate)}`;
  if (isType) refuse("enum", reason);
  else warn("enum", `${reason}, which stands for the last of them`);
}
