/**
 * Sessions of administrators, and of origins that code defines. They are kept until the server stops, and only code accepts their
 * tokens: Galley's administrators sign in otherwise.
 */

import { type Claims, Jwt } from "../../engine/access/jwt.ts";
import { newSessionId } from "../../engine/access/sessions.ts";
import type { Clock } from "../../lib/clock.ts";
import { toRecord } from "../../lib/is-record.ts";
import { mapValues } from "../../lib/records.ts";

export const ADMIN_ORIGIN = "admin";

/** Older sessions end when there are more. */
const MAX_SESSIONS = 10_000;
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** In seconds, as for administrators in Strapi. */
const LIFESPANS = {
  accessTokenLifespan: HOUR_S / 2,
  maxRefreshTokenLifespan: 30 * DAY_S,
  idleRefreshTokenLifespan: 14 * DAY_S,
  maxSessionLifespan: DAY_S,
  idleSessionLifespan: 2 * HOUR_S,
};

interface Origin extends Readonly<typeof LIFESPANS> {
  readonly jwt: Jwt;
}

export interface Session {
  readonly userId: string;
  readonly sessionId: string;
  readonly deviceId?: string;
  readonly origin: string;
  readonly type: "refresh" | "session";
  status: "active" | "rotated";
  childId: string | null;
  readonly metadata?: unknown;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly absoluteExpiresAt: Date;
}

const invalid = { error: "invalid_refresh_token" } as const;

/** Throws for keys that Galley's tokens do not have. */
function createOrigin(name: string, config: unknown, clock: Clock): Origin {
  const { jwtSecret, algorithm = "HS256", ...others } = toRecord(config);
  if (algorithm !== "HS256") throw new Error(`SessionManager: tokens of '${name}' can be signed with HS256 only`);
  if (typeof jwtSecret !== "string" || jwtSecret === "")
    throw new Error(`SessionManager: Secret key is required for symmetric algorithm ${algorithm}`);
  const lifespans = mapValues(LIFESPANS, (seconds, key) => Number(others[key] ?? seconds)) as typeof LIFESPANS;
  return { ...lifespans, jwt: new Jwt(jwtSecret, clock) };
}

export class MemorySessions {
  readonly #origins = new Map<string, Origin>();
  readonly #sessions = new Map<string, Session>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }

  define(name: string, config: unknown): void {
    this.#origins.set(name, createOrigin(name, config, this.#clock));
  }

  has(name: string): boolean {
    return this.#origins.has(name);
  }

  #add(session: Omit<Session, "sessionId" | "status" | "childId" | "createdAt">): Session {
    const added: Session = {
      ...session,
      ...{ sessionId: newSessionId(), status: "active", childId: null, createdAt: this.#now() },
    };
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size >= MAX_SESSIONS) this.#sessions.delete(oldest);
    this.#sessions.set(added.sessionId, added);
    return added;
  }

  /** Throws for an origin that is not defined. */
  #origin(name: string): Origin {
    const found = this.#origins.get(name);
    if (found) return found;
    throw new Error(
      `SessionManager: Origin '${name}' is not defined. Please define it using defineOrigin('${name}', config).`,
    );
  }

  /** When a session ends that is not used. */
  #idleEnd(name: string, type: Session["type"]): Date {
    const { idleRefreshTokenLifespan, idleSessionLifespan } = this.#origin(name);
    return new Date(this.#clock.now() + 1000 * (type === "refresh" ? idleRefreshTokenLifespan : idleSessionLifespan));
  }

  #readClaims(name: string, token: unknown): Claims | undefined {
    return this.#origin(name).jwt.verify(String(token));
  }

  /** Also of a session that was rotated. */
  #find(name: string, token: unknown): Session | undefined {
    const claims = this.#readClaims(name, token);
    const session = claims?.type === "refresh" ? this.#sessions.get(String(claims.sessionId)) : undefined;
    const isCurrent = session && session.origin === name && session.absoluteExpiresAt > this.#now();
    return isCurrent && session.userId === claims?.userId ? session : undefined;
  }

  #findActive(name: string, token: unknown): Session | undefined {
    const session = this.#find(name, token);
    return session?.status === "active" && session.expiresAt > this.#now() ? session : undefined;
  }

  /** The sessions of an origin, as `strapi.sessionManager(name)` shows them. Those that need a definition throw without one. */
  of(name: string) {
    const own = () => [...this.#sessions.values()].filter((session) => session.origin === name);
    const shown = async (session: Session) => {
      const { userId, sessionId, expiresAt, absoluteExpiresAt, type } = session;
      const { jwt } = this.#origin(name);
      const token = jwt.signUntil({ userId, sessionId, type: "refresh" }, Math.floor(expiresAt.getTime() / 1000));
      return { token, sessionId, absoluteExpiresAt: absoluteExpiresAt.toISOString(), type };
    };
    return {
      generateRefreshToken: async (
        userId: unknown,
        deviceId?: unknown,
        { type = "refresh", metadata }: { readonly type?: Session["type"]; readonly metadata?: unknown } = {},
      ) => {
        const { maxRefreshTokenLifespan, maxSessionLifespan } = this.#origin(name);
        const span = type === "refresh" ? maxRefreshTokenLifespan : maxSessionLifespan;
        const session = this.#add({
          ...{ userId: String(userId), origin: name, type, expiresAt: this.#idleEnd(name, type) },
          ...(typeof deviceId === "string" && deviceId ? { deviceId } : {}),
          ...(metadata === undefined ? {} : { metadata }),
          absoluteExpiresAt: new Date(this.#clock.now() + span * 1000),
        });
        const { type: _, ...token } = await shown(session);
        return token;
      },
      generateAccessToken: async (refreshToken: unknown) => {
        const session = this.#findActive(name, refreshToken);
        if (!session) return invalid;
        const { userId, sessionId } = session;
        const { jwt, accessTokenLifespan } = this.#origin(name);
        return { token: jwt.sign({ userId, sessionId, type: "access" }, accessTokenLifespan) };
      },
      rotateRefreshToken: async (refreshToken: unknown) => {
        const session = this.has(name) ? this.#find(name, refreshToken) : undefined;
        if (!session) return invalid;
        const next = session.childId === null ? undefined : this.#sessions.get(session.childId);
        // a token that is sent twice gets the same successor
        if (next) return shown(next);
        if (session.status !== "active" || session.expiresAt <= this.#now()) return invalid;
        const { sessionId: _, status, childId, createdAt, ...kept } = session;
        const child = this.#add({ ...kept, expiresAt: this.#idleEnd(name, session.type) });
        session.status = "rotated";
        session.childId = child.sessionId;
        return shown(child);
      },
      validateAccessToken: (token: unknown) => {
        const payload = this.has(name) ? this.#readClaims(name, token) : undefined;
        return payload?.type === "access" ? { isValid: true, payload } : { isValid: false, payload: null };
      },
      validateRefreshToken: async (token: unknown) => {
        const session = this.#findActive(name, token);
        return session
          ? { isValid: true, userId: session.userId, sessionId: session.sessionId }
          : { isValid: false as const };
      },
      invalidateRefreshToken: async (userId: unknown, deviceId?: unknown) => {
        for (const session of own())
          if (session.userId === String(userId) && (!deviceId || session.deviceId === deviceId))
            this.#sessions.delete(session.sessionId);
      },
      listSessions: async (userId: unknown) =>
        own()
          .filter((session) => session.userId === String(userId) && session.status === "active")
          .reverse(),
      revokeSessionById: async (userId: unknown, sessionId: unknown) => {
        const session = this.#sessions.get(String(sessionId));
        const isOwn = session?.origin === name && session.userId === String(userId);
        return isOwn && this.#sessions.delete(session.sessionId);
      },
      isSessionActive: async (sessionId: unknown) => {
        const session = this.#sessions.get(String(sessionId));
        return session?.origin === name && session.expiresAt > this.#now();
      },
    };
  }
}
