/** Webhooks of Strapi and Galley: which answers are stale. */
import { isObject, parseTags } from "./client.ts";
import { MEDIA, withRequestTags } from "./tags.ts";

const MAX_CHARACTERS = 10_000_000;

/** With Web Crypto, since edge runtimes have no `node:crypto`. */
const digest = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));

/**
 * Whether both are the same, in a time that does not tell where they differ. Nothing is the secret of a site that has none: the variable of
 * the environment may be missing there, whatever types say.
 */
export async function isSecret(given: string | null | undefined, secret: string | undefined): Promise<boolean> {
  if (!given || !secret) return false;
  const [one, other] = await Promise.all([digest(given), digest(secret)]);
  return one.reduce((difference, byte, index) => difference | (byte ^ other[index]!), 0) === 0;
}

export const refuse = (status: number, message: string): Response => Response.json({ error: message }, { status });

function tagsOfEvent(body: Readonly<Record<string, unknown>>): string[] {
  const { event, model, entry, media } = body;
  const isMedia = typeof event === "string" && event.startsWith("media.");
  const name = isMedia ? MEDIA : model;
  // such as the one that the settings' button sends
  if (typeof name !== "string") return [];
  const changed = isMedia ? media : entry;
  const id = isObject(changed) ? changed.documentId : undefined;
  return [name, ...(typeof id === "string" ? [`${name}:${id}`] : [])];
}

/**
 * The tags that a webhook's request makes stale, or the response that refuses it. The webhook has the header `Authorization: Bearer SECRET`.
 */
export async function readStaleTags(request: Request, secret: string): Promise<readonly string[] | Response> {
  if (!(await isSecret(/^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1], secret)))
    return refuse(401, "not the webhook's secret");
  const told = parseTags(request.headers.get("cache-tag"));
  if (told) return withRequestTags(told);
  const text = await request.text();
  if (text.length > MAX_CHARACTERS) return refuse(413, "the event is too long");
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? withRequestTags(tagsOfEvent(body)) : refuse(400, "not an event of Strapi");
  } catch {
    return refuse(400, "not JSON");
  }
}
