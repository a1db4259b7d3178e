/** Validates bodies of requests that create documents of one type, which `uid` names. */

import type { ContentType, Model } from "../engine/schema/model.ts";
import { problemsError } from "../lib/errors.ts";
import { checkBody } from "../lib/shape.ts";
import { exactly, type Fields, flag, requiredText, text } from "./body.ts";

/** Fields that all these bodies have. */
const collectionFields: Fields = { uid: requiredText, locale: text, publish: flag };

export interface CollectionInput {
  readonly uid: string;
  readonly locale?: string;
  readonly publish?: boolean;
}

/**
 * The body with its type. Throws a ValidationError for a body of another shape, and for built-in types; single types
 * are refused unless they are allowed.
 */
export function readCollectionInput<T extends CollectionInput>(
  model: Model,
  fields: Fields,
  body: unknown,
  allowsSingle = false,
): T & { readonly type: ContentType } {
  const input = checkBody(exactly({ ...collectionFields, ...fields }), body) as unknown as T;
  const type = model.types.get(input.uid);
  if (!type || type.plugin || (type.kind !== "collectionType" && !allowsSingle)) {
    const types = allowsSingle ? "types" : "collection types";
    throw problemsError([{ path: "uid", message: `uid must be one of the project's ${types}` }]);
  }
  return { ...input, type };
}
