/**
 * The first request of the page, which is sent before the rest of its code runs. Nothing is asked for where a link signs in
 * first.
 */
import { api } from "./api/client.ts";

let first = window.location.hash.length < 2 ? api.get<unknown>("/start") : undefined;
// whoever takes it hears of its failure
first?.catch(() => {});

/** The answer of the first request, once; the server is asked again after that. */
export function readStart<T>(): Promise<T> {
  const answer = first ?? api.get<unknown>("/start");
  first = undefined;
  return answer as Promise<T>;
}
