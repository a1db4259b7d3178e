/** Webhooks of Strapi and Galley: which answers are stale. */
import { createHash, timingSafeEqual } from "node:crypto";
import { isObject, parseTags } from "./client.ts";
import { MEDIA, withRequestTags } from "./tags.ts";

const MAX_CHARACTERS = 10_000_000;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * Whether both are the same, in a time that does not tell where they differ. Nothing is the secret of a site that has none: the variable of
 * the environment may be missing there, whatever types say.
 */
export const isSecret = (given: string | null | undefined, secret: string | undefined): boolean =>
  Boolean(given) && Boolean(secret) && timingSafeEqual(digest(given!), digest(secret!));

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
  if (!isSecret(/^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1], secret))
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
