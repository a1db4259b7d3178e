/**
 * Decides where the edges of each relation are kept. Schema files may name the other side of a relation on one side only,
 * or on both, or name an attribute that is not there; what follows is the reference's: it goes through all relations in
 * order, an owner (a relation without `mappedBy`) gets edges of its own, and `inversedBy` makes the attribute that it
 * names read the same edges from their other end, whatever that attribute says. The last one wins.
 */
import type { AttributeDefinition } from "../attributes/index.ts";

/** What this needs to know of a content-type or component. */
export interface JoinSource {
  readonly uid: string;
  readonly table: string;
  readonly attributes: Readonly<Record<string, AttributeDefinition>>;
}

/** The relation whose edges an attribute reads: itself, or the one that names it. */
export interface Join {
  readonly owner: JoinSource;
  readonly attribute: string;
  readonly side: "owner" | "inverse";
}

/** By content-type or component, then by attribute. A relation without a join is never linked to anything. */
export type Joins = ReadonlyMap<string, ReadonlyMap<string, Join>>;

const TO_TWO_SIDES: ReadonlySet<unknown> = new Set(["oneToOne", "oneToMany", "manyToOne", "manyToMany"]);

export const isTwoSidedKind = (definition: AttributeDefinition): boolean =>
  definition.type === "relation" && TO_TWO_SIDES.has(definition.relation);

/** Whether an attribute leads to rows of any type. */
export const isPolymorphic = (definition: AttributeDefinition | undefined): boolean =>
  definition?.type === "relation" && String(definition.relation).startsWith("morphTo");

/** Whether a relation says that it has another side; the reference goes by the key, not by its value. */
export const namesOtherSide = (definition: AttributeDefinition): boolean =>
  "inversedBy" in definition || "mappedBy" in definition;

const isOwner = (definition: AttributeDefinition): boolean => !namesOtherSide(definition) || "inversedBy" in definition;

/** Types first, components after them, each in the order of the reference's registries. */
export function joinsOf(sources: readonly JoinSource[]): Joins {
  const byUid = new Map(sources.map((source) => [source.uid, source]));
  const joins = new Map<string, Map<string, Join>>(sources.map(({ uid }) => [uid, new Map()]));
  for (const owner of sources) {
    for (const [attribute, definition] of Object.entries(owner.attributes)) {
      if (!isTwoSidedKind(definition) || !isOwner(definition)) continue;
      joins.get(owner.uid)!.set(attribute, { owner, attribute, side: "owner" });
      const target = byUid.get(String(definition.target));
      const other = target?.attributes[String(definition.inversedBy)];
      // the reference also joins an attribute that leads elsewhere, and answers rows of the wrong type by their ids
      if (!definition.inversedBy || other?.type !== "relation" || other.target !== owner.uid) continue;
      joins.get(target!.uid)!.set(String(definition.inversedBy), { owner, attribute, side: "inverse" });
    }
  }
  return joins;
}
