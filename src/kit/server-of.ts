/** What a server of several projects needs of each: it is not for tests, and so not a part of `Galley`. */
import type { RequestServer } from "../api/http-route.ts";
import type { Galley } from "../public-types.ts";

export interface Serving {
  /** Sets the server that receives the requests. */
  readonly attachServer: (server: RequestServer) => void;
  /** Ends streaming responses. */
  readonly endStreams: () => void;
  /** Releases caches. */
  readonly trim: () => void;
  /** Sets where it is served, for links in mails. */
  readonly setAddress: (url: string) => void;
}

const servings = new WeakMap<Galley, Serving>();

export function withServing<G extends Galley>(galley: G, serving: Serving): G {
  servings.set(galley, serving);
  return galley;
}

/** Of a project that `createGalley` has opened in this process, or of a branch. */
export function servingOf(galley: Galley): Serving {
  const serving = servings.get(galley);
  if (!serving) throw new Error("The project is not in this process");
  return serving;
}
