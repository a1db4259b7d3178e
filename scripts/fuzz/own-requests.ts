/** Requests to the routes and resolvers of the fuzzed project's code. */
import type { Choices } from "./choices.ts";
import { ownActions } from "./own-code-files.ts";
import { queryString } from "./queries.ts";
import { anything, createData, oddText } from "./values.ts";

export interface OwnRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The value of a JSON body; undefined: none. */
  readonly body: unknown;
}

const text = (random: Choices): string => encodeURIComponent(oddText(random).toWellFormed());

const headers = (random: Choices): Record<string, string> => ({
  ...(random.chance(0.3)
    ? {
        cookie: `koa.sess=${Buffer.from(JSON.stringify(anything(random, 2)) ?? "").toString("base64")}; a=${text(random)}`,
      }
    : {}),
  ...(random.chance(0.2) ? { accept: text(random), "accept-language": text(random) } : {}),
  ...(random.chance(0.1) ? { "x-forwarded-for": text(random), "x-forwarded-proto": text(random) } : {}),
});

export function ownRequest(random: Choices): OwnRequest {
  if (random.chance(0.2)) {
    const query =
      "query ($text: String, $count: Int) { own(text: $text, count: $count) ownPosts(text: $text) { title tags { name } } }";
    const variables = { text: random.slips(0.1) ? anything(random) : oddText(random), count: random.below(9) };
    return { method: "POST", path: "/graphql", headers: headers(random), body: { query, variables } };
  }
  const action = random.pick(ownActions);
  const method = action === "create" ? "POST" : random.pick(["GET", "POST", "PUT", "DELETE", "PATCH"]);
  const id = random.chance(0.6) ? `/${text(random)}` : "";
  const query = random.chance(0.6) ? `?${queryString(random, "post")}` : "";
  const data = random.slips(0.1) ? anything(random) : createData(random, "post");
  const body = random.slips(0.2) ? anything(random) : { data };
  const hasBody = method !== "GET" && random.chance(0.8);
  return {
    method,
    path: `/api/own/${action}${id}${query}`,
    headers: headers(random),
    body: hasBody ? body : undefined,
  };
}
