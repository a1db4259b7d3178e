/** The routes of users-permissions: authentication, users, roles. Bodies and responses have no envelope. */
import type { Ability } from "../../access/ability.ts";
import type { LoggedIn } from "../../access/auth.ts";
import type { AccessParts } from "../../access/index.ts";
import type { Device } from "../../access/sessions.ts";
import type { Settings } from "../../config/settings.ts";
import { EVERY_VERSION } from "../../documents/scope.ts";
import { ApiError, notFound } from "../../errors.ts";
import type { Caller } from "../../query/check-query.ts";
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import type { CanRead } from "../../query/tree.ts";
import { ROLE, USER } from "../../schema/builtin/index.ts";
import type { Method } from "../actions.ts";
import { type RestCall, type RestResult, type RestRoute, redirect } from "./call.ts";
import { errorBody } from "./envelope.ts";

const PLUGIN = "plugin::users-permissions";
const COOKIE = "strapi_up_refresh";

type Handle = RestRoute["handle"];

const disabledProvider = (): never => {
  throw new ApiError("ApplicationError", "This provider is disabled");
};

/** Numeric ids only; -1 for anything else, which matches no user. */
const parseId = (text: string | undefined): number => (/^\d{1,15}$/.test(text ?? "") ? Number(text) : -1);

function deviceOf(request: Request, body: unknown): Device {
  const id = isRecord(body) && typeof body.deviceId === "string" ? body.deviceId.slice(0, 255) || undefined : undefined;
  return { id, userAgent: request.headers.get("user-agent") };
}

/** Users of roles are never returned, even to callers who may read them. */
const withoutMembers =
  (canRead: CanRead): CanRead =>
  (uid, from) =>
    !(from === ROLE && uid === USER) && canRead(uid, from);

function requireUser({ userId }: Ability): number {
  if (userId === undefined) throw new ApiError("UnauthorizedError", "Missing authentication");
  return userId;
}

/** An error as a result that may have headers. Throws others than ApiErrors. */
function errorResult(error: unknown): RestResult {
  if (!(error instanceof ApiError)) throw error;
  return { status: error.status, body: errorBody(error) };
}

export function usersPermissionsRoutes(parts: AccessParts, settings: Settings): RestRoute[] {
  // the others are loaded when they are first used
  const { users, sessions, rateLimit } = parts;

  const route = (method: Method, path: string, action: string, handle: Handle): RestRoute => ({
    method,
    path,
    action: `${PLUGIN}.${action}`,
    handle,
  });

  const rateLimited =
    (path: string, handle: Handle): Handle =>
    async (call) => {
      const { headers, error } = await rateLimit.count(path, call.client);
      const answer = error ? errorResult(error) : await Promise.try(handle, call).catch(errorResult);
      return { ...answer, headers: { ...answer.headers, ...headers } };
    };

  const wantsCookie = ({ headers }: Request): boolean =>
    settings.auth.httpOnly || headers.get("x-strapi-refresh-cookie") === "httpOnly";

  /** Unlike the reference, a refresh token from a cookie is returned in a cookie, so that scripts cannot read it. */
  const keepsCookie = (request: Request): boolean => wantsCookie(request) || Boolean(cookieOf(request));

  /** In refresh mode, the refresh token may be in a cookie instead of the body. */
  const loginResult = ({ request }: RestCall, { refreshToken, ...rest }: LoggedIn): RestResult => {
    if (refreshToken === undefined) return { status: 200, body: rest };
    return wantsCookie(request)
      ? { status: 200, body: rest, headers: { "Set-Cookie": cookie(refreshToken, settings) } }
      : { status: 200, body: { jwt: rest.jwt, refreshToken, user: rest.user } };
  };

  const loginHandler =
    (logIn: (body: unknown, device: Device, call: RestCall) => Promise<LoggedIn>): Handle =>
    async (call) => {
      const body = await call.body();
      return loginResult(call, await logIn(body, deviceOf(call.request, body), call));
    };

  const inRefreshMode =
    (handle: Handle): Handle =>
    (call) => {
      if (settings.auth.jwtManagement !== "refresh") throw notFound();
      return handle(call);
    };

  /** Adds the role to a user, if the caller may read roles. */
  const withRole = ({ ability }: RestCall, result: LoggedIn): LoggedIn =>
    ability.canRead(ROLE) ? { ...result, user: users.record(result.user.id as number, true) ?? result.user } : result;

  const changedUser = ({ ability }: RestCall, id: number): unknown => users.record(id, ability.canRead(ROLE));

  const okResult: RestResult = { status: 200, body: { ok: true } };

  const authRoutes = [
    route("GET", "/connect/*", "auth.connect", rateLimited("/connect", disabledProvider)),
    route(
      "POST",
      "/auth/local",
      "auth.callback",
      rateLimited(
        "/auth/local",
        loginHandler((body, device) => parts.auth.login(body, device)),
      ),
    ),
    route("GET", "/auth/:provider/callback", "auth.callback", async (call) => {
      if (call.params.provider !== "local") disabledProvider();
      return loginResult(call, await parts.auth.login({}, deviceOf(call.request, undefined)));
    }),
    route(
      "POST",
      "/auth/local/register",
      "auth.register",
      rateLimited(
        "/auth/local/register",
        loginHandler(async (body, device, call) => withRole(call, await parts.auth.register(body, device))),
      ),
    ),
    route(
      "POST",
      "/auth/forgot-password",
      "auth.forgotPassword",
      rateLimited("/auth/forgot-password", async ({ body }) => {
        parts.auth.forgotPassword(await body());
        return { status: 200, body: { ok: true } };
      }),
    ),
    route(
      "POST",
      "/auth/reset-password",
      "auth.resetPassword",
      rateLimited(
        "/auth/reset-password",
        loginHandler((body, device) => parts.auth.resetPassword(body, device)),
      ),
    ),
    route(
      "POST",
      "/auth/change-password",
      "auth.changePassword",
      rateLimited(
        "/auth/change-password",
        loginHandler((body, device, { ability }) => parts.auth.changePassword(ability.userId, body, device)),
      ),
    ),
    route("GET", "/auth/email-confirmation", "auth.emailConfirmation", async ({ query }) => {
      await parts.auth.confirm(query());
      return redirect(settings.auth.emailConfirmationRedirection);
    }),
    route(
      "POST",
      "/auth/send-email-confirmation",
      "auth.sendEmailConfirmation",
      rateLimited("/auth/send-email-confirmation", async ({ body }) => {
        return { status: 200, body: { email: parts.auth.sendConfirmation(await body()), sent: true } };
      }),
    ),
    route(
      "POST",
      "/auth/refresh",
      "auth.refresh",
      inRefreshMode(async (call) => {
        const body = await call.body();
        const token = cookieOf(call.request) || (isRecord(body) ? body.refreshToken : undefined);
        if (typeof token !== "string" || token === "") throw new ApiError("MissingInputError", "Missing refresh token");
        // also for a blocked user: the new token is refused wherever it is used
        const pair = await sessions.refresh(token, (id) => users.byId(id) !== undefined);
        return keepsCookie(call.request)
          ? { status: 200, body: { jwt: pair.jwt }, headers: { "Set-Cookie": cookie(pair.refreshToken, settings) } }
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
          const token = cookieOf(request) || refreshToken;
          // an invalid token still ends the current session; one of another user does not
          const sessionOfToken = typeof token === "string" && token !== "" ? await sessions.byToken(token) : undefined;
          const session = sessionOfToken ?? ability.session;
          sessions.end(user, session === undefined ? "all" : { session });
        }
        return keepsCookie(request) ? { ...okResult, headers: { "Set-Cookie": cookie("", settings) } } : okResult;
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

  const userQuery = ({ query, ability, budget }: RestCall): { params: Params; caller: Caller } => {
    const params = query();
    const { status } = params;
    return {
      params: { ...params, status: status === undefined ? EVERY_VERSION : status === "draft" ? "draft" : "published" },
      caller: { canRead: withoutMembers(ability.canRead), budget },
    };
  };

  const toResult = (record: unknown): RestResult => (record ? { status: 200, body: record } : { status: 204 });

  const readUser = (call: RestCall, id: number): RestResult => {
    const { params, caller } = userQuery(call);
    return toResult(users.read(id, params, caller));
  };

  const userRoutes = [
    route("GET", "/users/count", "user.count", async (call) => {
      const { params, caller } = userQuery(call);
      return { status: 200, body: await users.service(caller).count(params) };
    }),
    route("GET", "/users", "user.find", async (call) => {
      const { params, caller } = userQuery(call);
      return { status: 200, body: await users.service(caller).findMany(params) };
    }),
    route("GET", "/users/me", "user.me", (call) => {
      const { userId } = call.ability;
      if (userId === undefined) throw new ApiError("UnauthorizedError", "Unauthorized");
      return readUser(call, userId);
    }),
    route("GET", "/users/:id", "user.findOne", (call) => readUser(call, parseId(call.params.id))),
    route("POST", "/users", "user.create", async (call) => ({
      status: 201,
      body: changedUser(call, await parts.userAdmin.create(await call.body())),
    })),
    route("PUT", "/users/:id", "user.update", async (call) => {
      const id = parseId(call.params.id);
      await parts.userAdmin.update(id, await call.body());
      return { status: 200, body: changedUser(call, id) };
    }),
    route("DELETE", "/users/:id", "user.destroy", async ({ params }) => {
      return toResult(await parts.userAdmin.remove(parseId(params.id)));
    }),
  ];

  const roleRoutes = [
    route("GET", "/users-permissions/roles", "role.find", () => ({ status: 200, body: { roles: parts.roles.list() } })),
    route("GET", "/users-permissions/roles/:id", "role.findOne", ({ params }) => ({
      status: 200,
      body: { role: parts.roles.find(parseId(params.id)) },
    })),
    route("POST", "/users-permissions/roles", "role.createRole", async ({ body }) => {
      parts.roles.create(await body());
      return okResult;
    }),
    route("PUT", "/users-permissions/roles/:id", "role.updateRole", async ({ body, params }) => {
      parts.roles.update(parseId(params.id), await body());
      return okResult;
    }),
    route("DELETE", "/users-permissions/roles/:id", "role.deleteRole", ({ params }) => {
      parts.roles.remove(parseId(params.id));
      return okResult;
    }),
    route("GET", "/users-permissions/permissions", "permissions.getPermissions", () => ({
      status: 200,
      body: { permissions: parts.roles.permissionMap(new Set()) },
    })),
  ];

  return [...authRoutes, ...userRoutes, ...roleRoutes];
}

/** An empty token deletes the cookie. */
function cookie(token: string, settings: Settings): string {
  const secure = settings.environment.NODE_ENV === "production" ? "; Secure" : "";
  const age = token === "" ? 0 : settings.auth.idleRefreshTokenLifespan;
  return `${COOKIE}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}

const cookieOf = (request: Request): string | undefined =>
  new Bun.CookieMap(request.headers.get("cookie") ?? "").get(COOKIE) ?? undefined;
