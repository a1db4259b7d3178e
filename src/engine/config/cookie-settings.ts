/** `sessions.cookie` of users-permissions: the cookie that carries the refresh token. */
import type { Reader } from "./reader.ts";

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const PATH = /^\/[\x20-\x3a\x3c-\x7e]*$/;
const DOMAIN = /^\.?[a-z0-9-]+(\.[a-z0-9-]+)*$/i;
const isSameSite = (text: string): text is "lax" | "strict" | "none" => ["lax", "strict", "none"].includes(text);

/** Invalid values are reported, and have no effect. */
export function cookieSettings(reader: Reader) {
  const matching = (key: string, pattern: RegExp, kind: string): string | undefined => {
    const text = reader.text(key);
    if (text === undefined || pattern.test(text)) return text;
    return reader.ignore(key, `must be ${kind} of a cookie, not ${JSON.stringify(text)}`);
  };
  const sameSite = reader.text("sessions.cookie.sameSite")?.toLowerCase();
  if (sameSite !== undefined && !isSameSite(sameSite))
    reader.ignore("sessions.cookie.sameSite", `must be lax, strict or none, not ${JSON.stringify(sameSite)}`);
  const maxAge = reader.number("sessions.cookie.maxAge", 0);
  return {
    name: matching("sessions.cookie.name", NAME, "the name") ?? "strapi_up_refresh",
    path: matching("sessions.cookie.path", PATH, "the path") ?? "/",
    /** Undefined: that of the server. */
    domain: matching("sessions.cookie.domain", DOMAIN, "the domain"),
    sameSite: sameSite !== undefined && isSameSite(sameSite) ? sameSite : "lax",
    /** Undefined: in production. */
    secure: reader.flag("sessions.cookie.secure"),
    /** Seconds; undefined: until the browser is closed. */
    maxAge: maxAge === undefined ? undefined : Math.floor(maxAge / 1000),
  } as const;
}
