/** Authenticates requests below `/admin/api`: those of the admin page, with a session. */
import { type ApiError, forbidden, invalidCredentials } from "../../lib/errors.ts";
import { readSession, renewedCookie, type SessionServices } from "./session.ts";

/** Sent by the page with each request. A page of another origin cannot send it without a preflight, which is refused. */
const PAGE_HEADER = "x-galley-admin";

const OTHER_PAGE = "Only the admin page itself may send this request";
const OTHER_HOST =
  "A proxy has replaced the host of this page: have it keep the Host header, or set the url of config/server";

const refused = (message = OTHER_PAGE): ApiError => forbidden(message);

/** Whether an `Origin` is that of the host. Its scheme may be another one behind a proxy that ends TLS. */
function matchesHost(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.host !== "" && url.host === URL.parse(`${url.protocol}//${host}`)?.host;
}

/** Throws a ForbiddenError for a request that the admin page has not made. The host has been checked before. */
function checkSameOrigin({ headers, url }: Request, origins: readonly string[]): void {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") throw refused();
  const origin = headers.get("origin");
  const host = headers.get("host") ?? URL.parse(url)?.host ?? "";
  if (origin !== null && !matchesHost(origin, host) && !origins.includes(origin))
    throw refused(site === null ? OTHER_PAGE : OTHER_HOST);
  // pages that are neither on HTTPS nor on localhost send no `Sec-Fetch-Site`
  const isJson = /^application\/json\b/i.test(headers.get("content-type") ?? "");
  if (site === null && !isJson && !headers.has(PAGE_HEADER)) throw refused();
}

const HEADERS = { "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin" } as const;

/** Returns headers for the response. Throws for requests of other pages and for requests without a session. */
export const createPageAccess =
  (services: SessionServices) =>
  (request: Request, isPublic: boolean): Readonly<Record<string, string>> => {
    checkSameOrigin(request, services.origins);
    const claims = readSession(request, services);
    if (!claims && !isPublic) throw invalidCredentials();
    const cookie = claims && !isPublic && renewedCookie(request, claims, services);
    return cookie ? { ...HEADERS, "Set-Cookie": cookie } : HEADERS;
  };
