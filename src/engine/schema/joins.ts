/**
 * Decides which link field each relation uses. Schema files may declare the other side on one side only, on both, or name an
 * unknown attribute. As in Strapi, all relations are processed in order: an owner (a relation without `mappedBy`) gets
 * its own field, and `inversedBy` makes the named attribute use the same field from the other end, regardless of what that
 * attribute declares. The last one wins.
 */
import type { AttributeDefinition } from "../attributes/index.ts";

/** The input: a content-type or component. */
export interface JoinSource {
  readonly uid: string;
  readonly table: string;
  readonly attributes: Readonly<Record<string, AttributeDefinition>>;
}

/** The relation whose link field an attribute uses: itself, or the one that names it. */
export interface Join {
  readonly owner: JoinSource;
  readonly attribute: string;
  readonly side: "owner" | "inverse";
}

/** By content-type or component, then by attribute. A relation without a join is always empty. */
export type Joins = ReadonlyMap<string, ReadonlyMap<string, Join>>;

const TO_TWO_SIDES: ReadonlySet<unknown> = new Set(["oneToOne", "oneToMany", "manyToOne", "manyToMany"]);

export const isTwoSidedKind = (definition: AttributeDefinition): boolean =>
  definition.type === "relation" && TO_TWO_SIDES.has(definition.relation);

/** Whether a relation has targets of any type. */
export const isPolymorphic = (definition: AttributeDefinition | undefined): boolean =>
  definition?.type === "relation" && String(definition.relation).startsWith("morphTo");

/** Whether a relation declares another side; Strapi checks for the key, not for its value. */
export const namesOtherSide = (definition: AttributeDefinition): boolean =>
  "inversedBy" in definition || "mappedBy" in definition;

const isOwner = (definition: AttributeDefinition): boolean => !namesOtherSide(definition) || "inversedBy" in definition;

/** Types first, components after them, each in the order of Strapi's registries. */
export function resolveJoins(sources: readonly JoinSource[]): Joins {
  const byUid = new Map(sources.map((source) => [source.uid, source]));
  const joins = new Map<string, Map<string, Join>>(sources.map(({ uid }) => [uid, new Map()]));
  for (const owner of sources) {
    for (const [attribute, definition] of Object.entries(owner.attributes)) {
      if (!isTwoSidedKind(definition) || !isOwner(definition)) continue;
      joins.get(owner.uid)!.set(attribute, { owner, attribute, side: "owner" });
      const target = byUid.get(String(definition.target));
      const other = target?.attributes[String(definition.inversedBy)];
      // Strapi also joins an attribute with another target, and returns rows of the wrong type by their ids
      if (!definition.inversedBy || other?.type !== "relation" || other.target !== owner.uid || other === definition)
        continue;
      joins.get(target!.uid)!.set(String(definition.inversedBy), { owner, attribute, side: "inverse" });
    }
  }
  return joins;
}
