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
export interface Place {
  readonly uid: string;
  readonly table: string;
  readonly privateNames: ReadonlySet<string>;
  /** The type is localized; components never are. */
  readonly localized: boolean;
}

/** For relations that are not stored as links. */
export const NO_LINK: Link = { field: "", side: "owner", polymorphic: false };

/** As its definition says, in the type that it belongs to. */
export function base(name: string, definition: AttributeDefinition, place: Place) {
  const i18n = (definition.pluginOptions as { i18n?: { localized?: boolean } } | undefined)?.i18n;
  return {
    name,
    definition,
    required: definition.required === true,
    private: definition.private === true || place.privateNames.has(name),
    writable: definition.writable !== false,
    localized: place.localized && i18n?.localized === true,
    system: false,
  };
}
