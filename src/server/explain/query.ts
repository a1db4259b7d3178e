/**
 * Explains the parameters of a read: they are parsed once for the caller and once with full permissions. Whatever differs was
 * dropped for the caller.
 */
import { wholeModel } from "../../admin/whole-model.ts";
import { checkParams } from "../../engine/query/check-params.ts";
import { program } from "../../engine/query/check-query.ts";
import { type Params, readQuery } from "../../engine/query/parse.ts";
import type { Query } from "../../engine/query/tree.ts";
import { type ContentType, contentType, type Schema } from "../../engine/schema/model.ts";
import { Budget } from "../../lib/budget.ts";
import { ApiError } from "../../lib/errors.ts";
import type { Project } from "../project/project.ts";
import { hiddenOnPath, hiddenStep, type Viewer } from "./hidden.ts";
import { dropped, passed, refused, type Step } from "./step.ts";

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
