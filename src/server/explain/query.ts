/**
 * Explains the parameters of a read: they are parsed once for the caller and once with full permissions. Whatever differs was
 * dropped for the caller: why, the rules of `query/check-query.ts` say.
 */
import { wholeModel } from "../../admin/whole-model.ts";
import { checkParams } from "../../engine/query/check-params.ts";
import { isReadable, isSecret, program } from "../../engine/query/check-query.ts";
import { type Params, readQuery } from "../../engine/query/parse.ts";
import type { CanRead, Query } from "../../engine/query/tree.ts";
import {
  type Attribute,
  type ContentType,
  contentType,
  findTarget,
  type Model,
  type Schema,
} from "../../engine/schema/model.ts";
import { Budget } from "../../lib/budget.ts";
import { ApiError } from "../../lib/errors.ts";
import type { Project } from "../project/project.ts";
import { type CallerName, dropped, passed, refused, type Step } from "./step.ts";

interface Viewer {
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
function hiddenStep(
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
function hiddenOnPath(viewer: Viewer, type: Schema, path: string): Step | undefined {
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

/** Steps for relations that are populated with full permissions, but not for the caller. */
function droppedPopulate(viewer: Viewer, schema: Schema, all: Query, own: Query, parentPath: string): Step[] {
  const steps: Step[] = [];
  const ownByKey = new Map(own.populate.map((item) => [item.key, item]));
  for (const { key, attribute, query } of all.populate) {
    const path = parentPath === "" ? key : `${parentPath}.${key}`;
    const ownItem = ownByKey.get(key);
    const schemaAttribute = schema.attributes.get(attribute.name);
    if (!ownItem) {
      const step = schemaAttribute && hiddenStep(viewer, schema, schemaAttribute, path, "dropped");
      steps.push(step ?? dropped(`${path} is left out of the answer`));
    } else if (query && ownItem.query)
      steps.push(...droppedPopulate(viewer, ownItem.query.schema, query, ownItem.query, path));
  }
  return steps;
}

/** Steps for fields that the request names and the caller does not get. */
function droppedFields(viewer: Viewer, type: ContentType, all: Query, own: Query, params: Params): Step[] {
  if (params.fields === undefined || [params.fields].flat().includes("*")) return [];
  const ownNames = new Set(own.fields.map(({ name }) => name));
  return all.fields.flatMap(({ name }) => {
    const attribute = type.attributes.get(name);
    return ownNames.has(name) || !attribute ? [] : (hiddenStep(viewer, type, attribute, name, "dropped") ?? []);
  });
}

/** Whether the parameters are refused even with full permissions. */
function isRefusedForAll({ context }: Project, type: ContentType, params: Params): boolean {
  const fullModel = wholeModel(context.model);
  try {
    checkParams(fullModel, contentType(fullModel, type.uid), params, program.canRead);
    return false;
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

function refusal(project: Project, viewer: Viewer, type: ContentType, params: Params, error: ApiError): Step {
  const { path, key: detailsKey } = (error.details ?? {}) as { path?: unknown; key?: unknown };
  const key = typeof path === "string" ? path : detailsKey;
  const hiddenStepAt = typeof key === "string" ? hiddenOnPath(viewer, type, key) : undefined;
  if (hiddenStepAt) return { ...hiddenStepAt, text: `400 ${error.message}: ${hiddenStepAt.text}` };
  const isUnknown = typeof key === "string" && isRefusedForAll(project, type, params);
  return refused(`400 ${error.message}${isUnknown ? `: ${type.displayName} has nothing of this name there` : ""}`);
}

export function querySteps(project: Project, viewer: Viewer, type: ContentType, params: Params): Step[] {
  const { model } = project.context;
  const caller = { canRead: viewer.canRead, budget: new Budget(project.settings.limits) };
  let own: Query;
  try {
    checkParams(model, type, params, viewer.canRead);
    own = readQuery(model, type, params, caller);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [refusal(project, viewer, type, params, error)];
  }
  const fullModel = wholeModel(model);
  const all = readQuery(fullModel, contentType(fullModel, type.uid), params, {
    ...program,
    budget: new Budget(project.settings.limits),
    readsAll: true,
  });
  const steps = [...droppedPopulate(viewer, type, all, own, ""), ...droppedFields(viewer, type, all, own, params)];
  return steps.length > 0 ? steps : [passed("Nothing of the query is left out")];
}
