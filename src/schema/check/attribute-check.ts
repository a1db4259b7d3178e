/** What a check of one attribute is given. */
import type { AttributeDefinition } from "../../attributes/index.ts";
import type { RawComponent, RawContentType } from "../definition.ts";
import type { Joins } from "../joins.ts";

/** What the checks of attributes look at. */
export interface CheckContext {
  readonly types: ReadonlyMap<string, RawContentType>;
  readonly components: ReadonlyMap<string, RawComponent>;
  readonly joins: Joins;
  /** The attribute type behind a custom field; undefined for those that nothing declares. */
  readonly customFieldType: (uid: string) => string | undefined;
}

/** An attribute, and where problems of its keys go. */
export interface AttributeCheck extends CheckContext {
  readonly raw: RawContentType | RawComponent;
  readonly name: string;
  readonly definition: AttributeDefinition;
  readonly refuse: (key: string, reason: string) => void;
  readonly warn: (key: string, reason: string) => void;
}
