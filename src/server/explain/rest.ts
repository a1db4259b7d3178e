/**
 * Explains the response to a REST request. The steps are those of `api/rest/pipeline.ts`, evaluated one by one; a read is then run
 * through that pipeline as the caller. Writes are never run.
 */

import { contentRoutes } from "../../api/actions.ts";
import type { HttpRoute } from "../../api/http-route.ts";
import { ResponseCache } from "../../api/responses.ts";
import type { RestRoute } from "../../api/rest/call.ts";
import { looseMatcher } from "../../api/rest/loose-match.ts";
import { contentTypeRoutes, httpRoutes } from "../../api/rest/pipeline.ts";
import { parseQueryString } from "../../api/rest/query-string.ts";
import { CommonHeaders, errorBody } from "../../api/rest/respond.ts";
import type { Ability } from "../../engine/access/access.ts";
import type { Params } from "../../engine/query/parse.ts";
import { type ContentType, contentType } from "../../engine/schema/model.ts";
import { ApiError, forbidden } from "../../lib/errors.ts";
import type { Project } from "../project/project.ts";
import { pluginRows } from "../routes/plugin-rows.ts";
import type { Caller } from "./callers.ts";
import { documentSteps } from "./documents.ts";
import { querySteps } from "./query.ts";
import { type Explanation, passed, type ReadAnswer, refused, remark, type Step } from "./step.ts";

/** Longer responses are cut off; in characters. */
const MAX_RESPONSE = 200_000;

interface MatchedRow {
  readonly row: RestRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** Actions whose GET requests write: one of them confirms an email address. */
const WRITING_ACTIONS = /^plugin::users-permissions\.auth\./;

function listRoutes({ context, settings, code }: Project): RestRoute[] {
  return contentTypeRoutes(context, settings.rest).filter(({ action }) => !code || code.servesCore(action));
}

function findRows(project: Project, path: string): MatchedRow[] {
  const { prefix } = project.settings.rest;
  const rows = [...pluginRows(project).flat(), ...listRoutes(project)];
  const byRoute = new Map<HttpRoute, RestRoute>(
    rows.map((row) => [{ method: row.method, path: prefix + row.path, handle: () => new Response() }, row]),
  );
  const matches = looseMatcher([...byRoute.keys()])(path);
  return matches.map(({ route, params }) => ({ row: byRoute.get(route)!, params }));
}

/** A suggestion for an unknown path. */
function hintFor(project: Project, path: string): string {
  const { prefix } = project.settings.rest;
  if (!path.startsWith(`${prefix}/`)) return `; the Content API is below ${prefix}`;
  const [name = ""] = path.slice(prefix.length + 1).split("/");
  const suggestion = contentRoutes(project.context.model).find(({ type }) =>
    [type.singularName, type.pluralName, type.displayName].some(
      (other) => String(other).toLowerCase() === name.toLowerCase(),
    ),
  );
  return suggestion ? `; did you mean ${prefix}${suggestion.path.split("/:")[0]}?` : "";
}

async function runRead(
  project: Project,
  { row, params }: MatchedRow,
  url: string,
  ability: Ability,
): Promise<ReadAnswer> {
  const { context, settings } = project;
  const headers = new CommonHeaders(settings.http);
  const services = {
    access: { identifyRequest: () => ability },
    settings,
    responses: new ResponseCache(context.storage),
    headers,
    cacheTags: undefined,
  };
  const [route] = httpRoutes(services, [row]);
  try {
    const call = { request: new Request(url), params, server: null };
    const { result, statements } = await context.storage.recordReads(async () => {
      const response = await route!.handle(call);
      return { status: response.status, text: await response.text() };
    });
    const { status, text } = result;
    if (text.length > MAX_RESPONSE) return { status, body: `${text.slice(0, MAX_RESPONSE)}…`, statements };
    return { status, body: text === "" ? null : JSON.parse(text), statements };
  } catch (error) {
    return readRefusal(error).answer;
  }
}

function typeOfAction({ context }: Project, action: string | undefined): ContentType | undefined {
  const uid = action?.slice(0, action.lastIndexOf(".")) ?? "";
  return context.model.types.has(uid) && uid.startsWith("api::") ? contentType(context.model, uid) : undefined;
}

/** The answer to a request that is refused. Throws others than ApiErrors. */
function readRefusal(error: unknown): { readonly text: string; readonly answer: ReadAnswer } {
  if (!(error instanceof ApiError)) throw error;
  const { httpStatus: status, message } = error;
  return { text: `${status} ${message}`, answer: { status, body: errorBody(error) } };
}

function explainMissingRoute(project: Project, method: string, path: string, matches: readonly MatchedRow[]): Step {
  if (project.code) return refused(`No core route takes ${method} ${path}; a route of the project's own code may`);
  if (matches.length === 0) return refused(`404: no route takes ${path}${hintFor(project, path)}`);
  return refused(`405: ${path} takes ${[...new Set(matches.map(({ row }) => row.method))].join(", ")} alone`);
}

const permissionLink = (action: string, { name }: Caller) => ({ kind: "permission", action, caller: name }) as const;

const FORBIDDEN: ReadAnswer = { status: 403, body: errorBody(forbidden()) };

function parseParams({ settings }: Project, search: string): Params {
  const options = { maxParameters: settings.limits.parameters, options: settings.http.query };
  const params = parseQueryString(search, options);
  return { ...params, status: params.status === undefined ? "published" : params.status };
}

const changesSomething = ({ method, action = "" }: RestRoute): boolean =>
  method !== "GET" || WRITING_ACTIONS.test(action);

/** `target`: path and query string. */
export async function explainRest(
  project: Project,
  caller: Caller,
  method: string,
  target: string,
): Promise<Explanation> {
  const [path = "", search = ""] = target.split(/\?(.*)/s);
  const matches = findRows(project, path);
  const match = matches.find(({ row }) => row.method === method);
  if (!match) return { steps: [explainMissingRoute(project, method, path, matches)] };
  const { row, params } = match;
  const steps = [passed(`The route is ${row.method} ${project.settings.rest.prefix}${row.path}`)];
  const endWith = (step: Step, answer: ReadAnswer): Explanation => ({ steps: [...steps, step], answer });
  const { action } = row;
  let ability: Ability;
  try {
    ability = caller.identify();
  } catch (error) {
    const { text, answer } = readRefusal(error);
    // only the public role can be without permissions
    if (caller.name.kind !== "public" || action === undefined) return endWith(refused(text), answer);
    return endWith(refused("401: the role Public may do nothing at all", permissionLink(action, caller)), answer);
  }
  if (action !== undefined && !ability.can(action))
    return endWith(refused(`403: ${caller.text} may not ${action}`, permissionLink(action, caller)), FORBIDDEN);
  steps.push(passed(action === undefined ? "It needs no permission" : `${caller.text} may ${action}`));
  let query: Params;
  try {
    query = parseParams(project, search);
  } catch (error) {
    const { text, answer } = readRefusal(error);
    return endWith(refused(text), answer);
  }
  const type = typeOfAction(project, row.action);
  if (type) {
    const viewer = { model: project.context.model, canRead: ability.canRead, name: caller.name, text: caller.text };
    steps.push(...querySteps(project, viewer, type, query));
  }
  if (changesSomething(row)) {
    steps.push(remark("It changes something, so that it is not made here; its body is not looked at"));
    return { steps };
  }
  const answer = await runRead(project, match, `http://localhost${path}?${search}`, ability);
  const isRefused = (): boolean => steps.some(({ outcome }) => outcome === "refused");
  if (type && !isRefused()) steps.push(...documentSteps(project, type, query, params.id, answer));
  if (answer.status >= 400 && !isRefused())
    steps.push(refused(`${answer.status}: ${(answer.body as { error?: { message?: string } }).error?.message ?? ""}`));
  return { steps, answer };
}
