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
  text: { Field: LongTextField, isWide: true },
  richtext: { Field: MarkdownField, isWide: true, isGroup: true },
  blocks: { Field: BlocksField, isWide: true, isGroup: true },
  email: { Field: EmailField },
  password: { Field: PasswordField },
  uid: { Field: UidField },
  integer: { Field: IntegerField },
  biginteger: { Field: BigIntegerField },
  float: { Field: DecimalField },
  decimal: { Field: DecimalField },
  boolean: { Field: BooleanField, isGroup: true },
  date: { Field: DateField },
  time: { Field: TimeField },
  datetime: { Field: DateTimeField },
  timestamp: { Field: DateTimeField },
  enumeration: { Field: EnumerationField },
  json: { Field: JsonField, isWide: true, isGroup: true },
  media: { Field: MediaField, isWide: true, isGroup: true },
  relation: { Field: RelationField },
};

export const findField = (attribute: Attribute): FieldType => fields[findFieldType(attribute) as keyof typeof fields];
