/** `ctx.accepts` and the like: what a client prefers, by the weights that it sends. */
import type Negotiator from "negotiator";

type Headers = Readonly<Record<string, string | undefined>>;
export type Preferred = string | false | string[];

const create = (headers: Headers): Negotiator => {
  const Constructor = require("negotiator") as typeof Negotiator;
  return new Constructor({ headers: headers as Record<string, string> });
};

const kinds = {
  charsets: "charsets",
  encodings: "encodings",
  languages: "languages",
} as const;

/** The best of the candidates, or false. Without candidates, everything that the client accepts, the best first. */
export function preferred(headers: Headers, kind: keyof typeof kinds, candidates: readonly string[]): Preferred {
  const negotiator = create(headers);
  const accepted = negotiator[kinds[kind]](candidates.length > 0 ? [...candidates] : undefined);
  return candidates.length > 0 ? (accepted[0] ?? false) : accepted;
}

/** Short names such as "json" stand for their media types. Without an `Accept` header, the first candidate is the best. */
export function preferredType(headers: Headers, candidates: readonly string[]): Preferred {
  const negotiator = create(headers);
  if (candidates.length === 0) return negotiator.mediaTypes();
  if (!headers.accept) return candidates[0]!;
  const { lookup } = require("mime-types") as typeof import("mime-types");
  const types = candidates.map((name) => (name.includes("/") ? name : lookup(name)));
  const [best] = negotiator.mediaTypes(types.filter((type) => type !== false));
  return best === undefined ? false : candidates[types.indexOf(best)]!;
}
