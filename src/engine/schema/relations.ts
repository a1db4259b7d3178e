/** Resolves relations: how they are stored as links, and their other side. */
import type { AttributeDefinition } from "../attributes/index.ts";
import { baseAttribute, type Definitions, NO_LINK, type ResolveContext } from "./attribute-base.ts";
import { isPolymorphic, isTwoSidedKind, namesOtherSide } from "./joins.ts";
import type { Link, RelationAttribute, RelationKind } from "./model.ts";

const TO_MANY: ReadonlySet<RelationKind> = new Set(["oneToMany", "manyToMany", "morphToMany", "morphMany"]);

/** morphOne and morphMany use the link field of the polymorphic relation that `morphBy` names. */
function polymorphicLink(name: string, definition: AttributeDefinition, definitions: Definitions): Link | undefined {
  const target = definitions.get(String(definition.target))!;
  const morphBy = String(definition.morphBy);
  const other = target.attributes[morphBy];
  if (!isPolymorphic(other)) return undefined;
  const link = { field: `${target.table}.${morphBy}>*`, side: "inverse", polymorphic: true } as const;
  return other?.relation === "morphToMany" ? { ...link, targetAttribute: name } : link;
}

function resolveLink(
  name: string,
  definition: AttributeDefinition,
  context: ResolveContext,
  definitions: Definitions,
): Link | undefined {
  if (definition.morphBy) return polymorphicLink(name, definition, definitions);
  if (!isTwoSidedKind(definition)) return { field: `${context.table}.${name}>*`, side: "owner", polymorphic: true };
  const join = definitions.joins.get(context.uid)?.get(name);
  if (!join) return undefined;
  const { owner, attribute, side } = join;
  const target = String(owner.attributes[attribute]?.target);
  return { field: `${owner.table}.${attribute}>${definitions.get(target)?.table ?? target}`, side, polymorphic: false };
}

/** The attribute of the target that uses the same link field from the other end. */
function otherSide(
  name: string,
  definition: AttributeDefinition,
  context: ResolveContext,
  definitions: Definitions,
): string | undefined {
  if (definition.morphBy) return String(definition.morphBy);
  const join = definitions.joins.get(context.uid)?.get(name);
  if (join?.side === "inverse") return join.attribute;
  const other = String(definition.inversedBy);
  const otherJoin = definitions.joins.get(String(definition.target))?.get(other);
  return otherJoin?.owner.uid === context.uid && otherJoin.attribute === name ? other : undefined;
}

/** Whether a target has at most one owner; Strapi decides by the relation's kind. */
function isExclusive(definition: AttributeDefinition, definitions: Definitions): boolean {
  if (definition.morphBy) {
    const other = definitions.get(String(definition.target))?.attributes[String(definition.morphBy)];
    return other?.relation === "morphToOne";
  }
  return String(definition.relation).startsWith("oneTo") && namesOtherSide(definition);
}

export function resolveRelation(
  name: string,
  definition: AttributeDefinition,
  context: ResolveContext,
  definitions: Definitions,
): RelationAttribute {
  const kind = definition.relation as RelationKind;
  const link = resolveLink(name, definition, context, definitions);
  return {
    ...baseAttribute(name, definition, context),
    kind: "relation",
    relation: kind,
    target: definition.target as string | undefined,
    other: otherSide(name, definition, context, definitions),
    many: TO_MANY.has(kind),
    // relations are always localized: every localization has its own links
    localized: context.localized,
    exclusive: isExclusive(definition, definitions),
    virtual: link ? undefined : "unlinked",
    link: link ?? NO_LINK,
  };
}
