/** Creates, reads and ends the session of the admin page. */
import { stringOrEmpty } from "../../lib/coerce.ts";
import { notFound } from "../../lib/errors.ts";
import { type AdminResponse, type AdminRoute, ok, publicRoute, route } from "../call.ts";
import { type OwnHosts, ownAddress } from "../hosts.ts";
import {
  API_PATH,
  readSession,
  type SessionServices,
  signIn,
  signInLink,
  signOut,
  signOutElsewhere,
  signOutEverywhere,
} from "./session.ts";
import type { Claims } from "./signed.ts";

/** Links lead to these hosts. */
export interface SessionRouteServices extends SessionServices, OwnHosts {
  /** Prints a line for the person at the command line; absent where there is none. */
  readonly announce: ((line: string) => void) | undefined;
}

const path = `${API_PATH}/session`;
/** Minimum interval between new links: anyone who can reach the page can request one. */
const LINK_INTERVAL_MS = 5_000;

export function sessionRoutes(services: SessionRouteServices): AdminRoute[] {
  let printedAt = Number.NEGATIVE_INFINITY;
  return [
    publicRoute("POST", path, async ({ request, body }) => {
      const { token } = await body();
      const cookie = await signIn(request, stringOrEmpty(token), services);
      return { ...ok({ data: { isSignedIn: true } }), headers: { "Set-Cookie": cookie } };
    }),
    route("GET", path, () => ok({ data: { isSignedIn: true } })),
    route("DELETE", path, async ({ request }) => ({
      ...ok({ data: { isSignedIn: false } }),
      headers: { "Set-Cookie": await signOut(request, services) },
    })),
    // the response never has the link, which is printed on the server's terminal
    publicRoute("POST", `${path}/link`, ({ request }) => {
      const { announce, key, clock } = services;
      const now = clock.elapsed();
      const isPrinted = announce !== undefined && now - printedAt > LINK_INTERVAL_MS;
      if (isPrinted) {
        printedAt = now;
        announce(`The admin page: ${signInLink(ownAddress(request, services), key, clock.now())}`);
      }
      return ok({ data: { isPrinted } });
    }),
  ];
}

/**
 * The sessions of the administrator at Strapi's paths. Sessions are signed cookies, of which the server keeps no list: the only
 * one that is listed is that of the request. A request with an admin token has none.
 */
const SESSIONS = "/admin/users/me/sessions";

const describe = ({ id, issuedAt }: Claims) => {
  const time = new Date(issuedAt).toISOString();
  // a session is of one device; it is renewed by a new one
  return { id, deviceId: id, current: true, loginAt: time, lastActiveAt: time };
};

const withCookie = (cookie: string | undefined): AdminResponse => ({
  ...ok({ data: {} }),
  ...(cookie === undefined ? {} : { headers: { "Set-Cookie": cookie } }),
});

const isDevice = (value: unknown): boolean => typeof value === "string" && value !== "";

export const administratorSessionRoutes = (services: SessionServices): AdminRoute[] => [
  route("GET", SESSIONS, ({ request }) => {
    const session = readSession(request, services);
    return ok({ data: session ? [describe(session)] : [] });
  }),
  route("DELETE", SESSIONS, async ({ request, query }) => {
    const { keepCurrent } = query();
    const end = keepCurrent === "true" || keepCurrent === "1" ? signOutElsewhere : signOutEverywhere;
    return withCookie(await end(request, services));
  }),
  route("DELETE", `${SESSIONS}/:id`, async ({ request, params }) => {
    if (readSession(request, services)?.id !== params.id) throw notFound("Session not found");
    return withCookie(await signOut(request, services));
  }),
  // as in Strapi, a request that names a device ends its own session, and any other ends all
  route("POST", "/admin/logout", async ({ request, body }) => {
    const { deviceId } = await body();
    const end = isDevice(deviceId) ? signOut : signOutEverywhere;
    return withCookie(await end(request, services));
  }),
];
