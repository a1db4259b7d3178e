/** What is not part of the first content waits for it: drawing takes several threads of the browser, and they share its processors. */

/** A hidden window is not painted. */
const MAX_WAIT_MS = 1_000;

let painted: Promise<void> | undefined;

/** Resolves when the browser has shown the first content of the page. */
export function firstPaint(): Promise<void> {
  painted ??= new Promise((resolve) => {
    new PerformanceObserver((list) => {
      if (list.getEntriesByName("first-contentful-paint").length > 0) resolve();
    }).observe({ type: "paint", buffered: true });
    setTimeout(resolve, MAX_WAIT_MS);
  });
  return painted;
}
