/** A hook that runs when content changes on the server. */
import { computed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { served } from "./changes.ts";

const content = computed(() => served.value?.content);

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
