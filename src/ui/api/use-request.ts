/** A hook for what a request, or several, come to. */
import { useEffect, useState } from "preact/hooks";
import { errorMessage } from "./client.ts";

export interface Requested<T> {
  /** The last result, also while the next request is pending; undefined before the first. */
  readonly data: T | undefined;
  readonly problem: string | undefined;
  readonly isLoading: boolean;
}

/**
 * `load` is called when one of `inputs` changes, `delay` milliseconds later, and its result is left out once they have changed
 * again. Undefined: nothing is requested.
 */
export function useRequest<T>(
  load: ((signal: AbortSignal) => Promise<T>) | undefined,
  inputs: readonly unknown[],
  delay = 0,
): Requested<T> {
  const [state, setState] = useState<Requested<T>>({ data: undefined, problem: undefined, isLoading: true });
  useEffect(() => {
    if (!load) return;
    const controller = new AbortController();
    const { signal } = controller;
    setState((before) => ({ ...before, isLoading: true }));
    const start = (): void => {
      load(signal).then(
        (data) => {
          if (!signal.aborted) setState({ data, problem: undefined, isLoading: false });
        },
        (error: unknown) => {
          if (!signal.aborted) setState(({ data }) => ({ data, problem: errorMessage(error), isLoading: false }));
        },
      );
    };
    const timer = delay > 0 ? setTimeout(start, delay) : void start();
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, inputs);
  return state;
}
