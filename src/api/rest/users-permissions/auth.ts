/** Login, registration, passwords, confirmation of email addresses, and the sessions of refresh mode. */

import type { Ability } from "../../../engine/access/access.ts";
import type { LoggedIn } from "../../../engine/access/auth.ts";
import type { AccessParts } from "../../../engine/access/index.ts";
import {
  type Device,
  keepsCookie,
  readRefreshToken,
  refreshCookie,
  wantsCookie,
} from "../../../engine/access/sessions.ts";
import type { Settings } from "../../../engine/config/settings.ts";
import { ApiError, notFound } from "../../../lib/errors.ts";
import { isRecord, toRecord } from "../../../lib/is-record.ts";
import type { Method } from "../../actions.ts";
import { type RestCall, type RestResult, type RestRoute, redirect } from "../call.ts";
import { errorBody } from "../respond.ts";
import { type Handle, okResult, route } from "./route.ts";

/** Throws: without code, no login provider is enabled. `email`, which is in Strapi, is none that clients are sent to. */
const refuseProvider = (name: string | undefined, messageForEmail: string): never => {
  throw new ApiError("ApplicationError", name === "email" ? messageForEmail : "This provider is disabled");
};

const refuseConnect: Handle = ({ params }) => refuseProvider(params["*"]?.split("/", 1)[0], "Unknown OAuth provider");

function readDevice(request: Request, body: unknown): Device {
  const id = isRecord(body) && typeof body.deviceId === "string" ? body.deviceId.slice(0, 255) || undefined : undefined;
  return { id, userAgent: request.headers.get("user-agent") };
}

/** An error as a result that may have headers. Throws others than ApiErrors. */
function errorResult(error: unknown): RestResult {
  if (!(error instanceof ApiError)) throw error;
  return { status: error.httpStatus, body: errorBody(error), error };
}

const tokensResult = ({ refreshToken, ...rest }: LoggedIn): RestResult => ({
  status: 200,
  body: refreshToken === undefined ? rest : { jwt: rest.jwt, refreshToken, user: rest.user },
});

/** In refresh mode, the refresh token of a log-in may be in a cookie instead of the body; as in Strapi, that of other requests is not. */
function loginResult({ request }: RestCall, result: LoggedIn, settings: Settings): RestResult {
  const { refreshToken, ...body } = result;
  if (refreshToken === undefined || !wantsCookie(request, settings)) return tokensResult(result);
  return { status: 200, body, headers: { "Set-Cookie": refreshCookie(refreshToken, settings) } };
}

export function authRoutes(parts: AccessParts, settings: Settings): RestRoute[] {
  /** A route whose requests are counted by client, under `path` without what `*` matches. */
  const limited = (method: Method, path: string, action: string, handle: Handle): RestRoute =>
    route(method, path, action, async (call) => {
      const { headers, error } = await parts.rateLimit.count(path.replace("/*", ""), call.client);
      const answer = error ? errorResult(error) : await Promise.try(handle, call).catch(errorResult);
      return { ...answer, headers: { ...answer.headers, ...headers } };
    });
  const tokensHandler =
    (logIn: (body: unknown, device: Device, call: RestCall) => Promise<LoggedIn>): Handle =>
    async (call) => {
      const body = await call.body();
      return tokensResult(await logIn(body, readDevice(call.request, body), call));
    };
  // `parts.auth` is loaded when it is first used
  return [
    limited("GET", "/connect/*", "auth.connect", refuseConnect),
    limited("POST", "/auth/local", "auth.callback", async (call) => {
      const body = await call.body();
      return loginResult(call, await parts.auth.login(body, readDevice(call.request, body)), settings);
    }),
    route("GET", "/auth/:provider/callback", "auth.callback", async (call) => {
      const { provider } = call.params;
      if (provider !== "local") refuseProvider(provider, "OAuth authentication requires a completed provider session");
      return loginResult(call, await parts.auth.login({}, readDevice(call.request, undefined)), settings);
    }),
    limited(
      "POST",
      "/auth/local/register",
      "auth.register",
      tokensHandler((body, device, { ability }) => parts.auth.register(body, device, ability.canRead)),
    ),
    limited("POST", "/auth/forgot-password", "auth.forgotPassword", async ({ body }) => {
      parts.auth.forgotPassword(await body());
      return okResult;
    }),
    limited(
      "POST",
      "/auth/reset-password",
      "auth.resetPassword",
      tokensHandler((body, device) => parts.auth.resetPassword(body, device)),
    ),
    limited(
      "POST",
      "/auth/change-password",
      "auth.changePassword",
      tokensHandler((body, device, { ability }) => parts.auth.changePassword(ability.userId, body, device)),
    ),
    route("GET", "/auth/email-confirmation", "auth.emailConfirmation", async ({ query }) => {
      await parts.auth.confirm(query());
      return redirect(settings.auth.emailConfirmationRedirection);
    }),
    limited("POST", "/auth/send-email-confirmation", "auth.sendEmailConfirmation", async ({ body }) => ({
      status: 200,
      body: { email: parts.auth.sendConfirmation(await body()), sent: true },
    })),
  ];
}

function requireUser({ userId }: Ability): number {
  if (userId === undefined) throw new ApiError("UnauthorizedError", "Missing authentication");
  return userId;
}

export function sessionRoutes({ users, sessions }: AccessParts, settings: Settings): RestRoute[] {
  const inRefreshMode = (method: Method, path: string, action: string, handle: Handle): RestRoute =>
    route(method, path, action, (call) => {
      if (settings.auth.jwtManagement !== "refresh") throw notFound();
      return handle(call);
    });
  return [
    inRefreshMode("POST", "/auth/refresh", "auth.refresh", async (call) => {
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
    inRefreshMode("POST", "/auth/logout", "auth.logout", async ({ ability, body, request }) => {
      const user = requireUser(ability);
      const input = await body();
      const { refreshToken, deviceId, scope } = toRecord(input);
      if (scope === "all") await sessions.end(user, "all");
      else if (typeof deviceId === "string" && deviceId !== "") await sessions.end(user, { device: deviceId });
      else {
        const token = readRefreshToken(request, settings) || refreshToken;
        // an invalid token still ends the current session; one of another user does not
        const sessionOfToken =
          typeof token === "string" && token !== "" ? (await sessions.byToken(token))?.id : undefined;
        const session = sessionOfToken ?? ability.session;
        await sessions.end(user, session === undefined ? "all" : { session });
      }
      return keepsCookie(request, settings)
        ? { ...okResult, headers: { "Set-Cookie": refreshCookie("", settings) } }
        : okResult;
    }),
    inRefreshMode("GET", "/auth/sessions", "auth.getSessions", ({ ability }) => ({
      status: 200,
      body: { data: sessions.list(requireUser(ability), ability.session).map(({ session }) => session) },
    })),
    inRefreshMode("DELETE", "/auth/sessions/:id", "auth.revokeSession", async ({ ability, params }) => {
      await sessions.revoke(requireUser(ability), params.id ?? "");
      return { status: 200, body: { data: {} } };
    }),
  ];
}
