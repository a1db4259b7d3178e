/** The explanation of a request, such as the one that the URL names. */
import { useRequest } from "../api/use-request.ts";
import { type CallerName, readCaller } from "./callers.ts";
import { type ExplainRequest, type Explanation, explain } from "./explanation.ts";

/** A request of the URL: of REST, or an operation of GraphQL if `query` is not empty. */
export interface ExplainedRequest {
  readonly method: string;
  readonly url: string;
  readonly query: string;
  readonly caller: CallerName;
}

export const readRequest = (search: URLSearchParams): ExplainedRequest => ({
  method: search.get("method") ?? "GET",
  url: search.get("url") ?? "",
  query: search.get("query") ?? "",
  caller: readCaller(search.get("caller")),
});

interface Answer {
  readonly explanation: Explanation | undefined;
  readonly problem: string | undefined;
}

/** Empty without a request, and until the first one is explained. */
export function useExplanation(request: ExplainRequest | undefined): Answer {
  const { data, problem } = useRequest(request && (() => explain(request)), [JSON.stringify(request)]);
  return { explanation: request && problem === undefined ? data : undefined, problem: request && problem };
}
