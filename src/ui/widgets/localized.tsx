/**
 * Numbers and dates in the user's language. The first use of `Intl` takes a browser 20 to 30 ms, so that the first of them are
 * left out until the rest of the page has been drawn.
 */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { firstPaint } from "../first-paint.ts";

const isDrawn = signal(false);

export function Localized({ text }: { readonly text: () => string }) {
  useEffect(() => {
    void firstPaint().then(() => {
      isDrawn.value = true;
    });
  }, []);
  return <>{isDrawn.value ? text() : ""}</>;
}
