/**
 * A hook for the response to a GET request. It is requested again when the parameters or the content of the server change, or by
 * `reload`.
 */
import { useCallback, useEffect, useState } from "preact/hooks";
import { useContentChanges } from "../use-content-changes.ts";
import { api, errorMessage } from "./client.ts";
import { toQuery } from "./query.ts";

export interface Answer<T> {
  /** The last response, also while the next request is pending; undefined before the first. */
  readonly data: T | undefined;
  readonly problem: string | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** `path` undefined: nothing is requested. */
export function useAnswer<T>(path: string | undefined, query: object = {}): Answer<T> {
  const [state, setState] = useState<{ data?: T; problem?: string; isLoading: boolean }>({ isLoading: true });
  const [generation, setGeneration] = useState(0);
  const key = path === undefined ? undefined : `${path}?${toQuery(query)}`;
  useEffect(() => {
    if (path === undefined) return;
    const controller = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    api.get<T>(path, { query, signal: controller.signal }).then(
      (data) => setState({ data, isLoading: false }),
      (error: unknown) => {
        if ((error as Error).name === "AbortError") return;
        setState((before) => ({ ...before, problem: errorMessage(error), isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [key, generation]);
  const reload = useCallback(() => setGeneration((before) => before + 1), []);
  useContentChanges(reload);
  return { data: state.data, problem: state.problem, isLoading: state.isLoading, reload };
}
