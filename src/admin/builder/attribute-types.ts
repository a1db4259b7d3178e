/** Attribute types with their options, for forms: the rules for schema files as JSON schema. */
import { type TProperties, Type } from "@sinclair/typebox";
import { scalarTypes } from "../../engine/attributes/index.ts";
import { commonShape, linkedShapes } from "../../engine/schema/check/shapes.ts";

export interface AttributeTypeOptions {
  readonly type: string;
  /** Options of the type itself, by key. */
  readonly options: Readonly<TProperties>;
}

export const attributeTypes = (): {
  readonly common: TProperties;
  readonly types: readonly AttributeTypeOptions[];
} => ({
  common: commonShape,
  types: [
    ...Object.entries(scalarTypes).map(([type, { options }]) => ({ type, options: options?.(Type) ?? {} })),
    ...Object.entries(linkedShapes).map(([type, options]) => ({ type, options })),
  ],
});
