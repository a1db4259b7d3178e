/** Bodies of requests about many documents of one collection type, which they name by its `uid`. */
import type { Problem } from "../errors.ts";
import type { ContentType, Model } from "../schema/model.ts";
import { checkShape, type Shape } from "../shape.ts";
import { inputError } from "./input-error.ts";

/** Fields of such bodies. */
const collectionFields = {
  uid: { type: "string", strict: true, required: true },
  locale: { type: "string", strict: true },
  publish: { type: "boolean", strict: true },
} as const satisfies Readonly<Record<string, Shape>>;

export interface CollectionInput {
  readonly uid: string;
  readonly locale?: string;
  readonly publish?: boolean;
}

/** The body with its type. Throws a ValidationError for a body of another shape, and for types of the server's own. */
export function readCollectionInput<T extends CollectionInput>(
  { types }: Model,
  fields: Readonly<Record<string, Shape>>,
  body: unknown,
): T & { readonly type: ContentType } {
  const problems: Problem[] = [];
  const shape: Shape = { type: "object", strict: true, exact: true, fields: { ...collectionFields, ...fields } };
  checkShape(shape, body, "", problems);
  if (problems.length > 0) throw inputError(problems);
  const input = body as T;
  const type = types.get(input.uid);
  if (!type || type.plugin || type.kind !== "collectionType")
    throw inputError([{ path: "uid", message: "uid must be one of the project's collection types" }]);
  return { ...input, type };
}
