/** The table of attribute types. A new scalar type is one file and one line here. */
import type { ScalarType } from "./attribute-type.ts";
import { biginteger } from "./biginteger.ts";
import { blocks } from "./blocks.ts";
import { boolean } from "./boolean.ts";
import { date } from "./date.ts";
import { datetime } from "./datetime.ts";
import { decimal } from "./decimal.ts";
import { email } from "./email.ts";
import { enumeration } from "./enumeration.ts";
import { float } from "./float.ts";
import { integer } from "./integer.ts";
import { json } from "./json.ts";
import { password } from "./password.ts";
import { richtext } from "./richtext.ts";
import { string } from "./string.ts";
import { text } from "./text.ts";
import { time } from "./time.ts";
import { timestamp } from "./timestamp.ts";
import { uid } from "./uid.ts";

export const scalarTypes = {
  string,
  text,
  richtext,
  blocks,
  email,
  password,
  uid,
  integer,
  biginteger,
  float,
  decimal,
  boolean,
  date,
  time,
  datetime,
  timestamp,
  json,
  enumeration,
} as const satisfies Record<string, ScalarType>;

export type ScalarTypeName = keyof typeof scalarTypes;

export const isScalarTypeName = (name: string): name is ScalarTypeName => Object.hasOwn(scalarTypes, name);

export type { AttributeDefinition, GraphqlScalarName, ScalarType, SqlValue } from "./attribute-type.ts";
