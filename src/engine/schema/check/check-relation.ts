/** Rules about the two sides of a relation. */
import { hintFor } from "../../../lib/nearest.ts";
import type { AttributeDefinition } from "../../attributes/index.ts";
import { CREATOR } from "../builtin/creator.ts";
import { isPolymorphic, type Joins } from "../joins.ts";
import type { AttributeCheck } from "./attribute-check.ts";

const describeSide = ({ inversedBy, mappedBy }: AttributeDefinition): string =>
  inversedBy
    ? `says "inversedBy": "${inversedBy}"`
    : mappedBy
      ? `says "mappedBy": "${mappedBy}"`
      : "names no other side";

/** Refuses kinds of relations that Strapi's database refuses. */
function checkKind({ definition, refuse }: AttributeCheck): boolean {
  if (definition.relation === "oneToMany" && "inversedBy" in definition) {
    refuse("inversedBy", 'a oneToMany relation must say "mappedBy"; the other side owns it');
    return false;
  }
  if (definition.relation === "manyToOne" && "mappedBy" in definition) {
    refuse("mappedBy", 'a manyToOne relation must say "inversedBy"; it owns the relation');
    return false;
  }
  return true;
}

function checkOwner({ name, definition, raw, warn, refuse, types }: AttributeCheck, joins: Joins): void {
  const target = types.get(String(definition.target))!;
  const other = target.definition.attributes[String(definition.inversedBy)];
  if (other?.type !== "relation") {
    refuse("inversedBy", `${target.uid} has no relation named ${definition.inversedBy}`);
    return;
  }
  if (other.mappedBy === name && other.target === raw.uid) return;
  const join = joins.get(target.uid)?.get(String(definition.inversedBy));
  const isJoined = join?.owner.uid === raw.uid && join.attribute === name;
  warn(
    "inversedBy",
    `${target.uid}.${definition.inversedBy} ${other.target === raw.uid ? describeSide(other) : `leads to ${other.target}`} where it should say "mappedBy": "${name}"; ${isJoined ? "both are served as one relation" : "they are served as two relations"}`,
  );
}

function checkInverse({ name, definition, raw, warn, types }: AttributeCheck, joins: Joins): void {
  const join = joins.get(raw.uid)?.get(name);
  if (join) return;
  const target = types.get(String(definition.target))!;
  const other = target.definition.attributes[String(definition.mappedBy)];
  const reason = other
    ? `${target.uid}.${definition.mappedBy} does not say "inversedBy": "${name}"`
    : `${target.uid} has no relation named ${definition.mappedBy}`;
  warn("mappedBy", `${reason}; the relation stays empty`);
}

function checkPolymorphic({ definition, warn, refuse, types }: AttributeCheck): void {
  const target = types.get(String(definition.target))!;
  const morphBy = definition.morphBy as string | undefined;
  const other = morphBy ? target.definition.attributes[morphBy] : undefined;
  if (morphBy && !other) refuse("morphBy", `${target.uid} has no relation named ${morphBy}`);
  else if (!isPolymorphic(other)) {
    warn("morphBy", `does not name a morphToOne or morphToMany relation of ${target.uid}; the relation stays empty`);
  }
}

/** Types that Galley does not have: those of plugins that do not run here, and of the administration, except administrators. */
const isForeignTarget = (target: unknown): boolean => /^(admin|plugin|strapi)::/.test(String(target));

export function checkRelation(check: AttributeCheck, joins: Joins): void {
  const { definition, refuse, warn, types } = check;
  if (isPolymorphic(definition) && definition.target === undefined) return;
  if (!types.has(String(definition.target))) {
    if (definition.target === CREATOR) {
      if ("mappedBy" in definition) warn("mappedBy", "administrators have no such relation; it stays empty");
    } else if (!isForeignTarget(definition.target))
      refuse(
        "target",
        `there is no content-type ${definition.target}${hintFor(String(definition.target), types.keys())}`,
      );
    else warn("target", `${definition.target} is not there; the attribute is left out`);
    return;
  }
  if (isPolymorphic(definition)) return;
  if (String(definition.relation).startsWith("morph")) checkPolymorphic(check);
  else if (!checkKind(check)) return;
  else if ("inversedBy" in definition) checkOwner(check, joins);
  else if ("mappedBy" in definition) checkInverse(check, joins);
}
