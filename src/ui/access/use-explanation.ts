/** The explanation of the request that the URL names. */
import { useEffect, useState } from "preact/hooks";
import { errorMessage } from "../api/client.ts";
import { type CallerName, readCaller } from "./callers.ts";
import { type Explanation, explain } from "./explanation.ts";

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
  readonly explanation?: Explanation;
  readonly problem?: string;
}

/** Empty without a request, and until the first one is explained. */
export function useExplanation({ method, url, query, caller }: ExplainedRequest): Answer {
  const [answer, setAnswer] = useState<Answer>({});
  const key = JSON.stringify([method, url, query, caller]);
  useEffect(() => {
    if (url === "" && query === "") return setAnswer({});
    let isCurrent = true;
    explain(query === "" ? { caller, method, url } : { caller, query }).then(
      (explanation) => isCurrent && setAnswer({ explanation }),
      (error: unknown) => isCurrent && setAnswer({ problem: errorMessage(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return answer;
}
