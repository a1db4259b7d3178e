/** Attributes that prevent an unchanged copy: unique ones, and relations that would move from the original to the copy. */
import type { Attribute, Model, Schema } from "../../engine/schema/model.ts";
import { isShown } from "./whole-query.ts";

type Prohibited = readonly [path: readonly string[], reason: "unique" | "relation"];

const MAX_LEVEL = 20;

function movesToCopy(attribute: Attribute): boolean {
  if (attribute.kind !== "relation" || !isShown(attribute)) return false;
  const { relation, mappedBy, inversedBy } = attribute.definition;
  return (relation === "oneToOne" || relation === "oneToMany") && (mappedBy ?? inversedBy) !== undefined;
}

export function prohibitedFields(model: Model, schema: Schema, path: readonly string[] = []): readonly Prohibited[] {
  if (path.length > MAX_LEVEL) return [];
  return [...schema.attributes.values()].flatMap((attribute): readonly Prohibited[] => {
    const attributePath = [...path, attribute.name];
    switch (attribute.kind) {
      case "relation":
        return movesToCopy(attribute) ? [[attributePath, "relation"]] : [];
      case "component": {
        const inner = model.components.get(attribute.component);
        return inner ? prohibitedFields(model, inner, attributePath) : [];
      }
      case "zone":
        return attribute.components.flatMap((uid) => {
          const inner = model.components.get(uid);
          return inner ? prohibitedFields(model, inner, [...attributePath, inner.displayName]) : [];
        });
      default:
        return attribute.kind === "scalar" && attribute.unique ? [[attributePath, "unique"]] : [];
    }
  });
}
