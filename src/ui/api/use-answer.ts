/**
 * A hook for the response to a GET request. It is requested again when the parameters or the content of the server change, or by
 * `reload`.
 */
import { useCallback, useState } from "preact/hooks";
import { useContentChanges } from "../use-content-changes.ts";
import { api } from "./client.ts";
import { toQuery } from "./query.ts";
import { type Requested, useRequest } from "./use-request.ts";

interface Answer<T> extends Requested<T> {
  readonly reload: () => void;
}

/** `path` undefined: nothing is requested. */
export function useAnswer<T>(path: string | undefined, query: object = {}): Answer<T> {
  const [generation, setGeneration] = useState(0);
  const load = path === undefined ? undefined : (signal: AbortSignal) => api.get<T>(path, { query, signal });
  const requested = useRequest(load, [path === undefined ? undefined : `${path}?${toQuery(query)}`, generation]);
  const reload = useCallback(() => setGeneration((before) => before + 1), []);
  useContentChanges(reload);
  return { ...requested, reload };
}
