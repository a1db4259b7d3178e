/**
 * The sessions of the administrator at Strapi's paths. Sessions are signed cookies, of which the server keeps no list: the only
 * one that is listed is that of the request. A request with an admin token has none.
 */
import { notFound } from "../../lib/errors.ts";
import { type AdminResponse, type AdminRoute, ok, route } from "../call.ts";
import { readSession, type SessionServices, signOut, signOutElsewhere, signOutEverywhere } from "./session.ts";
import type { Claims } from "./signed.ts";

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
  {
    // as in Strapi, a request that names a device ends its own session, and any other ends all
    method: "POST",
    path: "/admin/logout",
    handle: async ({ request, body }) => {
      const { deviceId } = await body();
      const end = isDevice(deviceId) ? signOut : signOutEverywhere;
      return withCookie(await end(request, services));
    },
  },
];
