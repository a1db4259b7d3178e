/**
 * Numbers and dates in the user's language. The first use of `Intl` takes a browser 20 to 30 ms, so that the first of them are
 * left out until the rest of the page has been drawn.
 */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** After the first rendering: drawing it takes other threads of the browser some time as well. */
const DELAY_MS = 100;

const isDrawn = signal(false);
let isScheduled = false;

export function Localized({ text }: { readonly text: () => string }) {
  useEffect(() => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isDrawn.value = true;
    }, DELAY_MS);
  }, []);
  return <>{isDrawn.value ? text() : ""}</>;
}
