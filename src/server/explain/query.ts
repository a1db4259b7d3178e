/**
 * What becomes of the parameters of a read: they are read as for a request, once for the caller and once for somebody who
 * may see everything, and what differs was dropped for the caller.
 */
import { wholeModel } from "../../admin/whole-model.ts";
import { Budget } from "../../budget.ts";
import { ApiError } from "../../errors.ts";
import { program } from "../../query/check-query.ts";
import { checkParams, type Params, readQuery } from "../../query/parse.ts";
import type { Query } from "../../query/tree.ts";
import { type ContentType, contentType, type Schema } from "../../schema/model.ts";
import type { Project } from "../project.ts";
import { hiddenOnPath, hiddenStep, type Looker } from "./hidden.ts";
import { dropped, passed, refused, type Step } from "./step.ts";

/** What is populated for everybody else, level by level. */
function differences(looker: Looker, schema: Schema, all: Query, own: Query, above: string): Step[] {
  const steps: Step[] = [];
  const kept = new Map(own.populate.map((item) => [item.key, item]));
  for (const { key, attribute, query } of all.populate) {
    const path = above === "" ? key : `${above}.${key}`;
    const mine = kept.get(key);
    const known = schema.attributes.get(attribute.name);
    if (!mine) {
      const step = known && hiddenStep(looker, schema, known, path, "dropped");
      steps.push(step ?? dropped(`${path} is left out of the answer`));
    } else if (query && mine.query) steps.push(...differences(looker, mine.query.schema, query, mine.query, path));
  }
  return steps;
}

/** Fields that the request names, and that the caller does not get. */
function droppedFields(looker: Looker, type: ContentType, all: Query, own: Query, params: Params): Step[] {
  if (params.fields === undefined || [params.fields].flat().includes("*")) return [];
  const kept = new Set(own.fields.map(({ name }) => name));
  return all.fields.flatMap(({ name }) => {
    const attribute = type.attributes.get(name);
    return kept.has(name) || !attribute ? [] : (hiddenStep(looker, type, attribute, name, "dropped") ?? []);
  });
}

/** Whether somebody who may see everything is refused, too. */
function isRefusedForAll({ context }: Project, type: ContentType, params: Params): boolean {
  const whole = wholeModel(context.model);
  try {
    checkParams(whole, contentType(whole, type.uid), params, program.canRead);
    return false;
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

function refusal(project: Project, looker: Looker, type: ContentType, params: Params, error: ApiError): Step {
  const { path, key } = (error.details ?? {}) as { path?: unknown; key?: unknown };
  const at = typeof path === "string" ? path : key;
  const hidden = typeof at === "string" ? hiddenOnPath(looker, type, at) : undefined;
  if (hidden) return { ...hidden, text: `400 ${error.message}: ${hidden.text}` };
  const isUnknown = typeof at === "string" && isRefusedForAll(project, type, params);
  return refused(`400 ${error.message}${isUnknown ? `: ${type.displayName} has nothing of this name there` : ""}`);
}

export function querySteps(project: Project, looker: Looker, type: ContentType, params: Params): Step[] {
  const { model } = project.context;
  const caller = { canRead: looker.canRead, budget: new Budget(project.settings.limits) };
  let own: Query;
  try {
    checkParams(model, type, params, looker.canRead);
    own = readQuery(model, type, params, caller);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [refusal(project, looker, type, params, error)];
  }
  const whole = wholeModel(model);
  const all = readQuery(whole, contentType(whole, type.uid), params, {
    ...program,
    budget: new Budget(project.settings.limits),
    isCode: true,
  });
  const steps = [...differences(looker, type, all, own, ""), ...droppedFields(looker, type, all, own, params)];
  return steps.length > 0 ? steps : [passed("Nothing of the query is left out")];
}
