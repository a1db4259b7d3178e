/** The `filters` of the content manager. */
import { invalidKeyError } from "../../errors.ts";
import { AttributeOperatorError, readFilters } from "../../query/filters.ts";
import type { Condition } from "../../query/tree.ts";
import type { ContentType, Model } from "../../schema/model.ts";

/** Parses filters of the content manager. Throws a ValidationError for an unknown key. */
export function conditionOf(model: Model, type: ContentType, filters: unknown): Condition | undefined {
  try {
    const condition = readFilters(model, type, filters);
    return condition && withoutSecrets(condition);
  } catch (error) {
    if (!(error instanceof AttributeOperatorError)) throw error;
    throw invalidKeyError({ key: error.operator, path: error.path });
  }
}

/** Removes conditions on passwords, as the reference does: they would reveal the hash. */
function withoutSecrets(condition: Condition): Condition | undefined {
  switch (condition.kind) {
    case "compare":
      return condition.field.type?.isSecret ? undefined : condition;
    case "all":
    case "any": {
      const of = condition.of.map(withoutSecrets).filter((part) => part !== undefined);
      return of.length === 0 && condition.of.length > 0 ? undefined : { ...condition, of };
    }
    case "not":
    case "related": {
      const of = withoutSecrets(condition.of);
      return of && { ...condition, of };
    }
  }
}
