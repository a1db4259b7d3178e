/** `strapi.sessionManager`: the sessions of users-permissions, which the server keeps, and those of other origins. */

import { newSessionId } from "../../engine/access/sessions.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { once } from "../../lib/once.ts";
import type { Runtime } from "../runtime.ts";
import { ADMIN_ORIGIN, MemorySessions } from "./memory-sessions.ts";

const ORIGIN = "users-permissions";

const invalidToken = { error: "invalid_refresh_token" } as const;

interface TokenOptions {
  readonly type?: "refresh" | "session";
  /** Only `deviceName` is kept. */
  readonly metadata?: unknown;
}

/** Throws for an id that no user has. */
function parseUserId(id: unknown): number {
  const user = Number(id);
  if (!Number.isSafeInteger(user) || user <= 0)
    throw new Error(`SessionManager: ${String(id)} is not the id of a user`);
  return user;
}

const formatTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

function createOrigin({ access }: Runtime) {
  const { sessions } = access;
  return {
    generateRefreshToken: async (userId: unknown, deviceId?: unknown, { metadata }: TokenOptions = {}) => {
      const name = isRecord(metadata) && typeof metadata.deviceName === "string" ? metadata.deviceName : undefined;
      const device = { id: stringOrNone(deviceId), userAgent: null, name };
      const { refreshToken, id, until } = await sessions.create(parseUserId(userId), device, "login");
      return { token: refreshToken, sessionId: id, absoluteExpiresAt: formatTime(until) };
    },
    generateAccessToken: async (refreshToken: unknown) => {
      const token = await sessions.accessToken(String(refreshToken));
      return token === undefined ? invalidToken : { token };
    },
    rotateRefreshToken: async (refreshToken: unknown) => {
      const session = await sessions.byToken(String(refreshToken));
      if (!session) return invalidToken;
      try {
        const { refreshToken: token } = await sessions.refresh(String(refreshToken), () => true);
        const { id, until } = session;
        return { token, sessionId: id, absoluteExpiresAt: formatTime(until), type: "refresh" };
      } catch {
        // another request has used the token meanwhile
        return invalidToken;
      }
    },
    validateAccessToken: (token: unknown) => {
      const payload = access.jwt.verify(String(token));
      return payload?.type === "access" ? { isValid: true, payload } : { isValid: false, payload: null };
    },
    validateRefreshToken: async (token: unknown) => {
      const session = await sessions.byToken(String(token));
      return session
        ? { isValid: true, userId: String(session.user), sessionId: session.id }
        : { isValid: false as const };
    },
    invalidateRefreshToken: async (userId: unknown, deviceId?: unknown) =>
      sessions.end(parseUserId(userId), typeof deviceId === "string" && deviceId ? { device: deviceId } : "all"),
    listSessions: async (userId: unknown) =>
      sessions.list(parseUserId(userId), undefined).map(({ session, idleUntil, until }) => {
        const { id, deviceId, deviceName, loginAt, lastActiveAt } = session;
        return {
          userId: String(userId),
          sessionId: id,
          deviceId,
          origin: ORIGIN,
          type: "refresh",
          status: "active",
          metadata: { ...(deviceName ? { deviceName } : {}), ...(loginAt ? { loginAt } : {}), lastActiveAt },
          expiresAt: formatTime(idleUntil),
          absoluteExpiresAt: formatTime(until),
        };
      }),
    revokeSessionById: async (userId: unknown, sessionId: unknown) =>
      sessions.remove(parseUserId(userId), String(sessionId)),
    isSessionActive: async (sessionId: unknown) => sessions.has(String(sessionId)),
  };
}

/** The secret of administrators' tokens may be missing: then nobody else can make one. */
function adminOrigin({ config }: Runtime): object {
  const secret = config.get("admin.auth.secret");
  const sessions = config.get("admin.auth.sessions");
  return {
    ...toRecord(sessions),
    jwtSecret: typeof secret === "string" && secret !== "" ? secret : newSessionId(),
  };
}

export function createSessionManager(runtime: Runtime) {
  let users: ReturnType<typeof createOrigin> | undefined;
  const others = once(() => {
    const sessions = new MemorySessions(runtime.context.clock);
    sessions.define(ADMIN_ORIGIN, adminOrigin(runtime));
    return sessions;
  });
  const manager = (name: unknown) => {
    if (typeof name !== "string" || name === "")
      throw new Error("SessionManager: Origin parameter is required and must be a non-empty string");
    if (name !== ORIGIN) return others().of(name);
    users ??= createOrigin(runtime);
    return users;
  };
  return Object.assign(manager, {
    hasOrigin: (name: unknown) => name === ORIGIN || others().has(String(name)),
    defineOrigin: (name: unknown, settings: unknown): void => {
      if (name === ORIGIN) throw new Error(`SessionManager: Origin '${ORIGIN}' is the server's, and cannot be defined`);
      others().define(String(name), settings);
    },
    generateSessionId: newSessionId,
  });
}
