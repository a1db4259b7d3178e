/** Explains why a caller may not see an attribute, by the rules of `query/check-query.ts`. */

import { isReadable, isSecret } from "../../engine/query/check-query.ts";
import type { CanRead } from "../../engine/query/tree.ts";
import { type Attribute, findTarget, type Model, type Schema } from "../../engine/schema/model.ts";
import { type CallerName, dropped, refused, type Step } from "./step.ts";

export interface Viewer {
  readonly model: Model;
  readonly canRead: CanRead;
  readonly name: CallerName;
  /** For messages: "the role Public". */
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

function reasonFor({ model, canRead, text }: Viewer, schema: Schema, attribute: Attribute): Reason | undefined {
  if (attribute.kind === "scalar" && attribute.type.isSecret) return { text: "is a password, which nobody is shown" };
  if (isSecret(attribute)) return { text: "is private, so that the Content API never shows it" };
  if (isReadable(schema, attribute, canRead) || attribute.kind !== "relation" || !attribute.target) return undefined;
  const target = displayName(model, attribute.target);
  return { text: `leads to ${target}, which ${text} may not find`, target: attribute.target };
}

/** The step for an attribute that is left out of the response, or refused in a filter. */
export function hiddenStep(
  viewer: Viewer,
  schema: Schema,
  attribute: Attribute,
  path: string,
  outcome: "dropped" | "refused",
): Step | undefined {
  const reason = reasonFor(viewer, schema, attribute);
  if (!reason) return undefined;
  const step = outcome === "dropped" ? dropped : refused;
  const text = outcome === "dropped" ? `${path} is left out: it ${reason.text}` : `${path} ${reason.text}`;
  if (reason.target === undefined) return step(text, { kind: "type", uid: schema.uid });
  return step(text, { kind: "permission", action: `${reason.target}.find`, caller: viewer.name });
}

/** The step for the first attribute on a path that the caller may not read. */
export function hiddenOnPath(viewer: Viewer, type: Schema, path: string): Step | undefined {
  let schema: Schema | undefined = type;
  for (const name of path.split(".").filter((part) => !/^(\$|\d+$)/.test(part))) {
    const attribute: Attribute | undefined = schema?.attributes.get(name);
    if (!schema || !attribute) return undefined;
    const step = hiddenStep(viewer, schema, attribute, path, "refused");
    if (step) return step;
    schema = attribute.kind === "scalar" ? undefined : findTarget(viewer.model, attribute);
  }
  return undefined;
}
