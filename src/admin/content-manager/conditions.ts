/** The `filters` of the content manager. */

import { AttributeOperatorError, readFilters } from "../../engine/query/filters.ts";
import type { Condition, Field, SortKey } from "../../engine/query/tree.ts";
import type { ContentType, Model, Schema } from "../../engine/schema/model.ts";
import { invalidKeyError } from "../../lib/errors.ts";
import { hiddenAttributes } from "./hidden.ts";

/** Parses filters of the content manager. Throws a ValidationError for an unknown key. */
export function readCondition(model: Model, type: ContentType, filters: unknown): Condition | undefined {
  try {
    const condition = readFilters(model, type, filters);
    return condition && withoutSecrets(condition, type);
  } catch (error) {
    if (!(error instanceof AttributeOperatorError)) throw error;
    throw invalidKeyError({ key: error.operator, path: error.path });
  }
}

/** Whether the content manager never shows a field: passwords, tokens, and what schema files hide. */
const isConcealed = ({ name, type }: Field, schema: Schema): boolean =>
  type?.isSecret === true || (schema.modelType === "contentType" && hiddenAttributes(schema).has(name));

/** Removes conditions on fields that are never shown, as Strapi does: they would reveal the value. */
function withoutSecrets(condition: Condition, schema: Schema): Condition | undefined {
  switch (condition.kind) {
    case "compare":
      return isConcealed(condition.field, schema) ? undefined : condition;
    case "all":
    case "any": {
      const of = condition.of.map((part) => withoutSecrets(part, schema)).filter((part) => part !== undefined);
      return of.length === 0 && condition.of.length > 0 ? undefined : { ...condition, of };
    }
    case "not":
    case "related": {
      const of = withoutSecrets(condition.of, condition.kind === "related" ? condition.target : schema);
      return of && { ...condition, of };
    }
  }
}

/** Removes sort keys in the same way: the order of documents would reveal the order of the values. */
export const withoutSecretKeys = (keys: readonly SortKey[], type: ContentType): SortKey[] =>
  keys.filter(({ path, field }) => typeof field === "string" || !isConcealed(field, path.at(-1)?.target ?? type));
