/** Explains the result of a GraphQL operation. It is run as a GET request, which cannot run mutations. */

import type { GraphqlEndpoint } from "../../api/graphql/endpoint.ts";
import { ResponseCache } from "../../api/responses.ts";
import { CommonHeaders } from "../../api/rest/respond.ts";
import type { Ability } from "../../engine/access/access.ts";
import { ApiError, invalidCredentials } from "../../lib/errors.ts";
import type { Project } from "../project/project.ts";
import { createEndpoint } from "../routes/graphql-routes.ts";
import type { Caller } from "./callers.ts";
import { dropped, type Explanation, passed, type ReadAnswer, refused, remark, type Step } from "./step.ts";

interface RootFields {
  readonly kind: "query" | "mutation";
  readonly names: readonly string[];
}

/** The root fields of the first operation, without those in fragments. Throws a GraphQLError. */
function rootFields(text: string): RootFields | undefined {
  const { parse } = require("graphql") as typeof import("graphql");
  const operation = parse(text, { maxTokens: 10_000 }).definitions.find((item) => item.kind === "OperationDefinition");
  if (operation?.kind !== "OperationDefinition" || operation.operation === "subscription") return undefined;
  const names = operation.selectionSet.selections.flatMap((item) => (item.kind === "Field" ? [item.name.value] : []));
  return { kind: operation.operation, names: [...new Set(names)] };
}

interface GraphqlResult {
  readonly errors?: readonly { readonly message: string; readonly path?: readonly (string | number)[] }[];
}

export function createGraphqlExplainer(project: Project) {
  /** Abilities by the one-time credentials of the requests sent here. */
  const callers = new Map<string, Ability>();
  let endpoint: GraphqlEndpoint | undefined;

  function ownEndpoint(): GraphqlEndpoint {
    const { context, settings } = project;
    endpoint ??= createEndpoint(
      project,
      { responses: new ResponseCache(context.storage), headers: new CommonHeaders(settings.http) },
      ({ headers }) => {
        const ability = callers.get(headers.get("authorization") ?? "");
        if (!ability) throw invalidCredentials();
        return ability;
      },
    );
    return endpoint;
  }

  async function execute(text: string, variables: unknown, ability: Ability): Promise<ReadAnswer> {
    const credentials = crypto.randomUUID();
    callers.set(credentials, ability);
    try {
      const params = new URLSearchParams({ query: text });
      if (variables !== undefined && variables !== null) params.set("variables", JSON.stringify(variables));
      const headers = { authorization: credentials, "content-type": "application/json", accept: "application/json" };
      const url = `http://localhost${project.settings.graphql.endpoint}?${params}`;
      const response = await ownEndpoint().handle({
        request: new Request(url, { headers }),
        params: {},
        server: null,
      });
      return { status: response.status, body: await response.json() };
    } finally {
      callers.delete(credentials);
    }
  }

  async function explain(caller: Caller, text: string, variables: unknown): Promise<Explanation> {
    let ability: Ability;
    try {
      ability = caller.identify();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { steps: [refused(`${error.httpStatus} ${error.message}`)] };
    }
    let fields: RootFields | undefined;
    try {
      fields = rootFields(text);
    } catch (error) {
      return { steps: [refused((error as Error).message)] };
    }
    const steps: Step[] = (fields?.names ?? []).map((name) => {
      const action = ownEndpoint().findAction(fields!.kind, name);
      if (action === undefined) return remark(`${name} needs no permission, or is not there`);
      if (ability.can(action)) return passed(`${name}: ${caller.text} may ${action}`);
      const link = { kind: "permission", action, caller: caller.name } as const;
      return refused(`${name}: ${caller.text} may not ${action}`, link);
    });
    if (fields?.kind === "mutation")
      return { steps: [...steps, remark("It is a mutation, so that it is not made here")] };
    const answer = await execute(text, variables, ability);
    const { errors = [] } = (answer.body ?? {}) as GraphqlResult;
    const isExplained = (path: string): boolean =>
      steps.some(({ outcome, text: stepText }) => outcome === "refused" && stepText.startsWith(`${path}:`));
    for (const { message, path = [] } of errors) {
      const field = path.filter((part) => typeof part === "string").join(".");
      if (isExplained(field)) continue;
      steps.push(field === "" ? refused(message) : dropped(`${field}: ${message}`));
    }
    return { steps, answer };
  }

  return { explain };
}
