/** `/admin/api/explain`: explains a request of any caller step by step. For the administrator's session only. */
import { type AdminRoute, type JsonObject, ok, route } from "../../admin/call.ts";
import { API_PATH } from "../../admin/session/session.ts";
import { validationError } from "../../lib/errors.ts";
import type { Project } from "../project/project.ts";
import { chosenCaller } from "./callers.ts";
import { createGraphqlExplainer } from "./graphql.ts";
import { explainRest } from "./rest.ts";
import type { Explanation } from "./step.ts";

const METHODS: readonly unknown[] = ["GET", "POST", "PUT", "DELETE"];
const MAX_URL = 16_000;
const MAX_QUERY = 100_000;

/** The path and query string of a URL of this server, or of a path. Throws a ValidationError. */
function parseTarget(input: unknown): string {
  if (typeof input !== "string" || input.trim() === "" || input.length > MAX_URL)
    throw validationError(`url must be a path of at most ${MAX_URL} characters`);
  const url = URL.parse(input.trim(), "http://localhost");
  if (!url) throw validationError("url is not a URL");
  return url.pathname + url.search;
}

/** Explains the request that a body describes. Rejects with a ValidationError. */
export function createExplainer(project: Project) {
  const graphql = createGraphqlExplainer(project);
  return async ({ caller: input, method = "GET", url, query, variables }: JsonObject): Promise<Explanation> => {
    const caller = chosenCaller(project, input);
    if (query !== undefined) {
      if (typeof query !== "string" || query.length > MAX_QUERY)
        throw validationError(`query must be a text of at most ${MAX_QUERY} characters`);
      return graphql.explain(caller, query, variables);
    }
    if (!METHODS.includes(method))
      throw validationError(`method must be one of the following values: ${METHODS.join(", ")}`);
    return explainRest(project, caller, method as string, parseTarget(url));
  };
}

export function explainRoutes(project: Project): AdminRoute[] {
  const explain = createExplainer(project);
  return [route("POST", `${API_PATH}/explain`, async ({ body }) => ok({ data: await explain(await body()) }))];
}
