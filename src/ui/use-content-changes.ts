/** A hook that runs when content changes on the server, and when the server is back. */
import { computed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { reconnections, served } from "./changes.ts";

/** What a server that is back has not been asked for may have changed, or failed to load. */
const content = computed(() => `${reconnections.value} ${served.value?.content}`);

/** Calls `handle` after each change, including those made by this page. */
export function useContentChanges(handle: () => void): void {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    let isFirst = true;
    return content.subscribe(() => {
      if (!isFirst) latest.current();
      isFirst = false;
    });
  }, []);
}
