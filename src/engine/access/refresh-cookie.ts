/** The cookie with the refresh token, for clients that do not get it in the body. */
import type { Settings } from "../config/settings.ts";

/** The `Set-Cookie` header. An empty token deletes the cookie. */
export function refreshCookie(token: string, { auth, environment }: Settings): string {
  const { name, path, domain, sameSite, secure, maxAge } = auth.cookie;
  return new Bun.Cookie(name, token, {
    path,
    sameSite,
    httpOnly: true,
    secure: secure ?? environment.NODE_ENV === "production",
    ...(token === "" ? { maxAge: 0 } : maxAge === undefined ? {} : { maxAge }),
    ...(domain === undefined ? {} : { domain }),
  }).toString();
}

export const readRefreshToken = (request: Request, { auth }: Settings): string | undefined =>
  new Bun.CookieMap(request.headers.get("cookie") ?? "").get(auth.cookie.name) ?? undefined;

/** Whether a client that logs in gets the refresh token in a cookie. */
export const wantsCookie = ({ headers }: Request, settings: Settings): boolean =>
  settings.auth.httpOnly || headers.get("x-strapi-refresh-cookie") === "httpOnly";

/** Unlike Strapi, a refresh token from a cookie is returned in a cookie, so that scripts cannot read it. */
export const keepsCookie = (request: Request, settings: Settings): boolean =>
  wantsCookie(request, settings) || Boolean(readRefreshToken(request, settings));
