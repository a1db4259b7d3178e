/** The field component of each attribute type. */
import type { Attribute } from "../../model.ts";
import { type FieldTypeName, findFieldType } from "../form/field-types.ts";
import { BooleanField, EnumerationField } from "./choice-fields.tsx";
import { DateField, DateTimeField, TimeField } from "./date-fields.tsx";
import { BlocksField, JsonField, MarkdownField } from "./editor-fields.tsx";
import type { FieldType } from "./field-props.ts";
import { MediaField } from "./media-field.tsx";
import { BigIntegerField, DecimalField, IntegerField } from "./number-fields.tsx";
import { RelationField } from "./relation-field.tsx";
import { EmailField, LongTextField, PasswordField, StringField } from "./text-fields.tsx";
import { UidField } from "./uid-field.tsx";

const fields: Readonly<Record<Exclude<FieldTypeName, "component" | "dynamiczone">, FieldType>> = {
  string: { Field: StringField },
  text: { Field: LongTextField, width: "wide" },
  richtext: { Field: MarkdownField, width: "wide", isGroup: true },
  blocks: { Field: BlocksField, width: "wide", isGroup: true },
  email: { Field: EmailField },
  password: { Field: PasswordField },
  uid: { Field: UidField },
  integer: { Field: IntegerField, width: "short" },
  biginteger: { Field: BigIntegerField, width: "short" },
  float: { Field: DecimalField, width: "short" },
  decimal: { Field: DecimalField, width: "short" },
  boolean: { Field: BooleanField, isGroup: true },
  date: { Field: DateField, width: "short" },
  time: { Field: TimeField, width: "short" },
  datetime: { Field: DateTimeField, width: "short" },
  timestamp: { Field: DateTimeField, width: "short" },
  enumeration: { Field: EnumerationField, width: "short" },
  json: { Field: JsonField, width: "wide", isGroup: true },
  media: { Field: MediaField, width: "wide", isGroup: true },
  relation: { Field: RelationField },
};

export const findField = (attribute: Attribute): FieldType => fields[findFieldType(attribute) as keyof typeof fields];
