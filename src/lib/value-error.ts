/** What TypeBox's errors about unions leave out: which values would fit. */
import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/value";

/** The error inside of a value that fits none of several shapes, if there is one, such as that of a list's entry. */
export function findInnerError(error: ValueError): ValueError {
  const inner = error.errors.flatMap((errors) => [...errors]).find(({ path }) => path !== error.path);
  return inner ? findInnerError(inner) : error;
}

/** "must be one of …" for a value that has to be one of several strings; undefined for another shape. */
export function describeChoices(schema: TSchema): string | undefined {
  const choices = (schema.anyOf as { const?: unknown }[] | undefined)?.map((choice) => choice.const);
  return choices?.every((choice) => typeof choice === "string") ? `must be one of ${choices.join(", ")}` : undefined;
}
