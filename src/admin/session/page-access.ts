/** Authenticates requests below `/admin/api`: those of the admin page, with a session. */
import { ApiError } from "../../lib/errors.ts";
import { checkSameOrigin } from "./origin.ts";
import { API_PATH, renewedCookie, type SessionServices, sessionOf } from "./session.ts";

export { API_PATH };

const HEADERS = { "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin" } as const;

/** Returns headers for the response. Throws for requests of other pages and for requests without a session. */
export const createPageAccess =
  (services: SessionServices) =>
  (request: Request, isPublic: boolean): Readonly<Record<string, string>> => {
    checkSameOrigin(request);
    const claims = sessionOf(request, services);
    if (!claims && !isPublic) throw new ApiError("UnauthorizedError", "Missing or invalid credentials");
    const cookie = claims && !isPublic && renewedCookie(request, claims, services);
    return cookie ? { ...HEADERS, "Set-Cookie": cookie } : HEADERS;
  };
