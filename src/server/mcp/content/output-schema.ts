/** The schemas of results: relations have the identity of their targets only. */
import { type ZodObject, type ZodType, z } from "zod";
import type { Attribute, ContentType } from "../../../engine/schema/model.ts";
import { fieldsOf } from "./fields.ts";

const identity = () =>
  z.object({
    documentId: z.string(),
    locale: z.string().optional(),
    __type: z.string().optional(),
    status: z.string().optional(),
  });

function attributeOutput(attribute: Attribute, creator: string): ZodType {
  if (attribute.kind !== "relation" || attribute.target === creator) return z.unknown().optional();
  return attribute.many ? z.array(identity()).optional() : identity().nullable().optional();
}

function documentOutput(type: ContentType, creator: string): ZodType {
  const shown = fieldsOf(type);
  if (shown.length === 0) return z.record(z.string(), z.unknown());
  return z
    .object(Object.fromEntries(shown.map((attribute) => [attribute.name, attributeOutput(attribute, creator)])))
    .loose();
}

const versions = () => z.array(z.record(z.string(), z.unknown())).optional();

export interface Outputs {
  readonly document: ZodObject;
  readonly list: ZodObject;
  readonly removed: ZodObject;
}

/** `creator`: the type of administrators. */
export const outputsOf = (type: ContentType, creator: string): Outputs => ({
  document: z
    .object({
      data: documentOutput(type, creator).nullable(),
      meta: z.object({ availableLocales: versions(), availableStatus: versions() }).optional(),
    })
    .loose(),
  list: z
    .object({
      results: z.array(documentOutput(type, creator)),
      pagination: z.object({ page: z.number(), pageSize: z.number(), pageCount: z.number(), total: z.number() }),
    })
    .loose(),
  removed: z.object({ data: z.object({}).loose().nullable() }).loose(),
});
