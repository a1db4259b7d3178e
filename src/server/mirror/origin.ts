/** What a mirror asks its origin for, besides the content: schemas, limits of lists, and whether it answers as the copy does. */
import { apiTypes, type ContentType, type Model, routeName } from "../../engine/schema/model.ts";
import type { RestClient } from "../../transfer/remote/rest/client.ts";
import { parsePagination } from "../../transfer/remote/rest/documents.ts";
import type { ListLimits } from "./mirrored-project.ts";

/** A page that no list has. */
const NO_ROWS = "filters[id][$lt]=0";
const HUGE_PAGE = 1_000_000_000;
/** Number of documents that are compared. */
const COMPARED = 3;

/** Finds the limits of lists by empty lists of the first type that the token may find. */
export async function readLimits(client: RestClient, model: Model): Promise<ListLimits> {
  for (const type of apiTypes(model)) {
    if (type.kind === "singleType") continue;
    const first = await client.get(`/${routeName(type)}?${NO_ROWS}`);
    const defaultLimit = parsePagination(first.body, "pageSize");
    if (first.status !== 200 || defaultLimit === undefined) continue;
    const huge = await client.get(`/${routeName(type)}?${NO_ROWS}&pagination[pageSize]=${HUGE_PAGE}`);
    const largest = parsePagination(huge.body, "pageSize");
    return { defaultLimit, maxLimit: largest === HUGE_PAGE ? undefined : largest };
  }
  return {};
}

export function hasGraphql(client: RestClient, endpoint: string): Promise<boolean> {
  const request = {
    token: true,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "{__typename}" }),
  };
  return client.request(client.root + endpoint, request, async (response) => {
    const text = await client.text(response);
    return response.status === 200 && text.includes('"__typename"');
  });
}

/**
 * Whether the origin answers a list of a type as the copy does. It does not if its own code, or a plugin, changes answers, or if the content has
 * changed since it was copied.
 */
export async function answersAlike(
  client: RestClient,
  type: ContentType,
  { prefix, handle }: { readonly prefix: string; readonly handle: (request: Request) => Promise<Response> },
): Promise<boolean> {
  const page = type.kind === "singleType" ? "" : `&pagination[pageSize]=${COMPARED}`;
  const path = `/${routeName(type)}?populate=*${page}`;
  const theirs = await client.get(path);
  const response = await handle(new Request(`http://localhost${prefix}${path}`));
  const ours = await response.json();
  if (theirs.status !== response.status) return false;
  return response.status === 404 || Bun.deepEquals(theirs.body, ours);
}
