/** Changes of the content on the server, for components that show it. */
import { computed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { served } from "./changes.ts";

const content = computed(() => served.value?.content);

/** Calls `handle` after each change, also after those that this page has made. */
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
