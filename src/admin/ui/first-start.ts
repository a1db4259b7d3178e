/** Sends the page's first request before the rest of its code is evaluated; not where a link signs in first. */
import { requestStart, type StartAnswer } from "./model.ts";

let first = window.location.hash.length < 2 ? requestStart() : undefined;
// its caller handles a failure
first?.catch(() => {});

/** Its answer on the first call; undefined afterwards. */
export function takeFirstStart(): Promise<StartAnswer> | undefined {
  const answer = first;
  first = undefined;
  return answer;
}
