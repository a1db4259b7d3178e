/** The arguments of attribute checks. */
import type { AttributeDefinition } from "../../attributes/index.ts";
import type { RawComponent, RawContentType } from "../definition.ts";
import type { Joins } from "../joins.ts";

/** The context of all attributes. */
export interface CheckContext {
  readonly types: ReadonlyMap<string, RawContentType>;
  readonly components: ReadonlyMap<string, RawComponent>;
  readonly joins: Joins;
  /** The attribute type of a custom field; undefined for unknown ones. */
  readonly customFieldType: (uid: string) => string | undefined;
}

/** An attribute, and functions to report problems of its keys. */
export interface AttributeCheck extends CheckContext {
  readonly raw: RawContentType | RawComponent;
  readonly name: string;
  readonly definition: AttributeDefinition;
  readonly refuse: (key: string, reason: string) => void;
  readonly warn: (key: string, reason: string) => void;
}
