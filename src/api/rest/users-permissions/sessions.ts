/** Refresh tokens and sessions. The routes exist in refresh mode only. */
import type { Ability } from "../../../engine/access/ability.ts";
import type { AccessParts } from "../../../engine/access/index.ts";
import { keepsCookie, readRefreshToken, refreshCookie } from "../../../engine/access/refresh-cookie.ts";
import type { Settings } from "../../../engine/config/settings.ts";
import { ApiError, notFound } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import type { RestRoute } from "../call.ts";
import { type Handle, okResult, route } from "./route.ts";

function requireUser({ userId }: Ability): number {
  if (userId === undefined) throw new ApiError("UnauthorizedError", "Missing authentication");
  return userId;
}

export function sessionRoutes({ users, sessions }: AccessParts, settings: Settings): RestRoute[] {
  const inRefreshMode =
    (handle: Handle): Handle =>
    (call) => {
      if (settings.auth.jwtManagement !== "refresh") throw notFound();
      return handle(call);
    };
  return [
    route(
      "POST",
      "/auth/refresh",
      "auth.refresh",
      inRefreshMode(async (call) => {
        const body = await call.body();
        const token = readRefreshToken(call.request, settings) || (isRecord(body) ? body.refreshToken : undefined);
        if (typeof token !== "string" || token === "") throw new ApiError("MissingInputError", "Missing refresh token");
        // also for a blocked user: the new token is refused wherever it is used
        const pair = await sessions.refresh(token, (id) => users.byId(id) !== undefined);
        return keepsCookie(call.request, settings)
          ? {
              status: 200,
              body: { jwt: pair.jwt },
              headers: { "Set-Cookie": refreshCookie(pair.refreshToken, settings) },
            }
          : { status: 200, body: pair };
      }),
    ),
    route(
      "POST",
      "/auth/logout",
      "auth.logout",
      inRefreshMode(async ({ ability, body, request }) => {
        const user = requireUser(ability);
        const input = await body();
        const { refreshToken, deviceId, scope } = isRecord(input) ? input : {};
        if (scope === "all") sessions.end(user, "all");
        else if (typeof deviceId === "string" && deviceId !== "") sessions.end(user, { device: deviceId });
        else {
          const token = readRefreshToken(request, settings) || refreshToken;
          // an invalid token still ends the current session; one of another user does not
          const sessionOfToken =
            typeof token === "string" && token !== "" ? (await sessions.byToken(token))?.id : undefined;
          const session = sessionOfToken ?? ability.session;
          sessions.end(user, session === undefined ? "all" : { session });
        }
        return keepsCookie(request, settings)
          ? { ...okResult, headers: { "Set-Cookie": refreshCookie("", settings) } }
          : okResult;
      }),
    ),
    route(
      "GET",
      "/auth/sessions",
      "auth.getSessions",
      inRefreshMode(({ ability }) => ({
        status: 200,
        body: { data: sessions.list(requireUser(ability), ability.session) },
      })),
    ),
    route(
      "DELETE",
      "/auth/sessions/:id",
      "auth.revokeSession",
      inRefreshMode(({ ability, params }) => {
        sessions.revoke(requireUser(ability), params.id ?? "");
        return { status: 200, body: { data: {} } };
      }),
    ),
  ];
}
