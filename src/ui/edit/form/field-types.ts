/** The types of attributes that have a field of their own. */
import type { Attribute } from "../../model.ts";

const FIELD_TYPES = [
  "string",
  "text",
  "richtext",
  "blocks",
  "email",
  "password",
  "uid",
  "integer",
  "biginteger",
  "float",
  "decimal",
  "boolean",
  "date",
  "time",
  "datetime",
  "timestamp",
  "enumeration",
  "json",
  "media",
  "relation",
  "component",
  "dynamiczone",
] as const;

export type FieldTypeName = (typeof FIELD_TYPES)[number];

/** The server sends custom fields with their storage type. Unknown types are edited as JSON, which loses nothing. */
export const findFieldType = ({ type }: Attribute): FieldTypeName =>
  FIELD_TYPES.find((name) => name === type) ?? "json";
