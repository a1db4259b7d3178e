/** Requests `/start` before the rest of the code is evaluated, unless the URL has a sign-in token. */
import { addPreloaded } from "./api/preloaded.ts";
import { requestStart, type StartAnswer } from "./model.ts";

for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[rel="preload"][as="fetch"]'))
  addPreloaded(href.slice(window.location.origin.length));

let pendingStart = window.location.hash.length < 2 ? requestStart() : undefined;
// its caller handles a failure
pendingStart?.catch(() => {});

/** The prefetched response on the first call; undefined afterwards. */
export function takeFirstStart(): Promise<StartAnswer> | undefined {
  const answer = pendingStart;
  pendingStart = undefined;
  return answer;
}
