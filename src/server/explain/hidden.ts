/** Why a caller may not see an attribute, by the rules of `query/visibility.ts`. */

import type { CanRead } from "../../query/tree.ts";
import { isReadable, isSecret } from "../../query/visibility.ts";
import { type Attribute, type Model, type Schema, targetOf } from "../../schema/model.ts";
import { type CallerName, dropped, refused, type Step } from "./step.ts";

export interface Looker {
  readonly model: Model;
  readonly canRead: CanRead;
  readonly name: CallerName;
  /** In a sentence. */
  readonly text: string;
}

interface Reason {
  readonly text: string;
  readonly target?: string;
}

const displayName = (model: Model, uid: string): string => {
  const schema = model.types.get(uid) ?? model.components.get(uid);
  return schema?.displayName ?? uid;
};

export function reasonFor({ model, canRead, text }: Looker, schema: Schema, attribute: Attribute): Reason | undefined {
  if (attribute.kind === "scalar" && attribute.type.secret) return { text: "is a password, which nobody is shown" };
  if (isSecret(attribute)) return { text: "is private, so that the Content API never shows it" };
  if (isReadable(schema, attribute, canRead) || attribute.kind !== "relation" || !attribute.target) return undefined;
  const target = displayName(model, attribute.target);
  return { text: `leads to ${target}, which ${text} may not find`, target: attribute.target };
}

/** The step for an attribute that is left out of the answer, or refused in a condition. */
export function hiddenStep(
  looker: Looker,
  schema: Schema,
  attribute: Attribute,
  path: string,
  outcome: "dropped" | "refused",
): Step | undefined {
  const reason = reasonFor(looker, schema, attribute);
  if (!reason) return undefined;
  const step = outcome === "dropped" ? dropped : refused;
  const text = outcome === "dropped" ? `${path} is left out: it ${reason.text}` : `${path} ${reason.text}`;
  if (reason.target === undefined) return step(text, { kind: "type", uid: schema.uid });
  return step(text, { kind: "permission", action: `${reason.target}.find`, caller: looker.name });
}

/** The first attribute on a path that the caller may not look through. */
export function hiddenOnPath(looker: Looker, type: Schema, path: string): Step | undefined {
  let schema: Schema | undefined = type;
  for (const name of path.split(".").filter((part) => !/^(\$|\d+$)/.test(part))) {
    const attribute: Attribute | undefined = schema?.attributes.get(name);
    if (!schema || !attribute) return undefined;
    const step = hiddenStep(looker, schema, attribute, path, "refused");
    if (step) return step;
    schema = attribute.kind === "scalar" ? undefined : targetOf(looker.model, attribute);
  }
  return undefined;
}
