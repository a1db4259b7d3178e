/**
 * Numbers and dates in the user's language. The first use of `Intl` takes a browser 20 to 30 ms, so that the first of them are
 * left out until the rest of the page has been drawn.
 */
import { signal } from "@preact/signals";
import { firstPaint } from "../first-paint.ts";

const isDrawn = signal(false);

/** Undefined until then. `format` is called by the component that shows the result, which is rendered again. */
export function localized(format: () => string): string | undefined {
  if (isDrawn.value) return format();
  void firstPaint().then(() => {
    isDrawn.value = true;
  });
  return undefined;
}

export const Localized = ({ text }: { readonly text: () => string }) => <>{localized(text)}</>;
