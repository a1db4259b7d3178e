/** Responses about content files, which are requested again when files, content or commits have changed. */
import { computed, signal } from "@preact/signals";
import { useCallback, useEffect, useState } from "preact/hooks";
import { api, errorMessage } from "../api/client.ts";
import { reconnections, served } from "../changes.ts";
import type { ChangesSummary } from "./answers.ts";

/** Milliseconds between two requests that nobody asked for: for each of them, the server may ask git. */
const PAUSE_MS = 2_000;

/** Of the navigation's last request. */
export const summary = signal<ChangesSummary | undefined>(undefined);

const version = computed(() => `${reconnections.value} ${served.value?.content} ${served.value?.files}`);

export interface Followed<T> {
  /** The last response. */
  readonly data: T | undefined;
  /** Why there is no newer one. */
  readonly problem: string | undefined;
  readonly reload: () => Promise<void>;
}

export function useFollowed<T>(path: string): Followed<T> {
  const [state, setState] = useState<Omit<Followed<T>, "reload">>({ data: undefined, problem: undefined });
  const reload = useCallback(async () => {
    try {
      const { data } = await api.get<{ readonly data: T }>(path);
      setState({ data, problem: undefined });
    } catch (error) {
      setState(({ data }) => ({ data, problem: errorMessage(error) }));
    }
  }, [path]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = -PAUSE_MS;
    const stop = version.subscribe(() => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          last = performance.now();
          void reload();
        },
        Math.max(0, last + PAUSE_MS - performance.now()),
      );
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [reload]);
  return { ...state, reload };
}
