/** The common part of all attributes, and the context in which they are resolved. */
import type { AttributeDefinition } from "../attributes/index.ts";
import type { JoinSource, Joins } from "./joins.ts";
import type { Link } from "./model.ts";

/** The definitions that relations refer to. */
export interface Definitions {
  readonly get: (uid: string) => JoinSource | undefined;
  readonly joins: Joins;
  readonly customFieldType: (uid: string) => string | undefined;
}

/** The schema whose attributes are resolved. */
export interface ResolveContext {
  readonly uid: string;
  readonly table: string;
  readonly privateNames: ReadonlySet<string>;
  /** The type is localized; components never are. */
  readonly localized: boolean;
}

/** For relations that are not stored as links. */
export const NO_LINK: Link = { field: "", side: "owner", polymorphic: false };

/** The common properties of an attribute, from its definition and its schema. */
export function baseAttribute(name: string, definition: AttributeDefinition, context: ResolveContext) {
  const i18n = (definition.pluginOptions as { i18n?: { localized?: boolean } } | undefined)?.i18n;
  return {
    name,
    definition,
    required: definition.required === true,
    private: definition.private === true || context.privateNames.has(name),
    writable: definition.writable !== false,
    localized: context.localized && i18n?.localized === true,
    system: false,
  };
}
