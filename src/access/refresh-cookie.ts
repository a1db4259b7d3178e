/** The cookie with the refresh token, for clients that do not get it in the body. */
import type { Settings } from "../config/settings.ts";

const COOKIE = "strapi_up_refresh";

/** The `Set-Cookie` header. An empty token deletes the cookie. */
export function refreshCookie(token: string, settings: Settings): string {
  const secure = settings.environment.NODE_ENV === "production" ? "; Secure" : "";
  const age = token === "" ? 0 : settings.auth.idleRefreshTokenLifespan;
  return `${COOKIE}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}

export const refreshTokenOf = (request: Request): string | undefined =>
  new Bun.CookieMap(request.headers.get("cookie") ?? "").get(COOKIE) ?? undefined;

/** Whether a client that logs in gets the refresh token in a cookie. */
export const wantsCookie = ({ headers }: Request, settings: Settings): boolean =>
  settings.auth.httpOnly || headers.get("x-strapi-refresh-cookie") === "httpOnly";

/** Unlike the reference, a refresh token from a cookie is returned in a cookie, so that scripts cannot read it. */
export const keepsCookie = (request: Request, settings: Settings): boolean =>
  wantsCookie(request, settings) || Boolean(refreshTokenOf(request));
