/**
 * The first request of the page, which is sent before the rest of its code runs. Nothing is asked for where a link signs in
 * first.
 */
import { askForStart, type StartAnswer } from "./model.ts";

let first = window.location.hash.length < 2 ? askForStart() : undefined;
// whoever takes it hears of its failure
first?.catch(() => {});

/** The answer to it, once; undefined after that. */
export function takeFirstStart(): Promise<StartAnswer> | undefined {
  const answer = first;
  first = undefined;
  return answer;
}
