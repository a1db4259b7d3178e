/** Log-ins in refresh mode: one session each, with a single-use refresh token. */

import { ApiError, notFound } from "../../lib/errors.ts";
import type { SqlValue } from "../attributes/index.ts";
import type { Settings } from "../config/settings.ts";
import type { DocumentsContext } from "../documents/context.ts";
import type { Storage } from "../storage/storage.ts";
import type { Jwt } from "./jwt.ts";

export interface TokenPair {
  readonly jwt: string;
  readonly refreshToken: string;
}

export interface Device {
  readonly id: string | undefined;
  readonly userAgent: string | null;
  /** Undefined: from the user agent. */
  readonly name?: string | undefined;
}

export interface SessionRow {
  readonly id: string;
  readonly user: number;
  /** In seconds since 1970. */
  readonly until: number;
  /** The id in the refresh token. */
  readonly token: string;
}

/** How a session was created: by a log-in, or by a password change, for which Strapi stores no device. */
export type SessionStart = "login" | "password";

/** What a log-out revokes: one session, those of one device, or all. */
export type SessionScope = { readonly session: string } | { readonly device: string } | "all";

const TABLE = `CREATE TABLE IF NOT EXISTS galley_sessions (
  id TEXT PRIMARY KEY, user INTEGER NOT NULL, token TEXT NOT NULL UNIQUE, device TEXT, device_name TEXT,
  login_at TEXT NOT NULL, active_at TEXT NOT NULL, idle_until INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID`;

export const createSessionTable = (storage: Storage): void => void storage.run(TABLE);

export const newSessionId = (): string => crypto.getRandomValues(new Uint8Array(16)).toHex();
const invalid = () => new ApiError("UnauthorizedError", "Invalid refresh token");

export class Sessions {
  readonly #context: Pick<DocumentsContext, "storage" | "clock">;
  readonly #jwt: Jwt;
  readonly #settings: Settings["auth"];

  constructor(context: Pick<DocumentsContext, "storage" | "clock">, jwt: Jwt, settings: Settings["auth"]) {
    this.#context = context;
    this.#jwt = jwt;
    this.#settings = settings;
  }

  /** That of the transaction, inside one. */
  get #storage(): Storage {
    return this.#context.storage;
  }

  /** Since 1970. */
  #seconds(): number {
    return Math.floor(this.#context.clock.now() / 1000);
  }

  #time(): string {
    return new Date(this.#context.clock.now()).toISOString();
  }

  #accessToken(user: number, session: string): string {
    const claims = { userId: String(user), sessionId: session, type: "access" };
    return this.#jwt.sign(claims, this.#settings.accessTokenLifespan);
  }

  #tokens(user: number, session: string, token: string, idleUntil: number): TokenPair {
    const claims = { userId: String(user), sessionId: token, type: "refresh" };
    return {
      jwt: this.#accessToken(user, session),
      refreshToken: this.#jwt.signUntil(claims, idleUntil),
    };
  }

  /** Creates a session for an authenticated user, and removes expired sessions. `until`: in seconds since 1970. */
  async create(user: number, device: Device, startedBy: SessionStart) {
    const now = this.#time();
    const until = this.#seconds() + this.#settings.maxRefreshTokenLifespan;
    const idleUntil = Math.min(until, this.#seconds() + this.#settings.idleRefreshTokenLifespan);
    const [session, token] = [newSessionId(), newSessionId()];
    const { storage } = this.#context;
    await storage.write(() => {
      storage.run("DELETE FROM galley_sessions WHERE idle_until <= ?", [this.#seconds()]);
      storage.run("INSERT INTO galley_sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [
        session,
        user,
        token,
        device.id ?? null,
        (startedBy === "login" && (device.name ?? deviceName(device.userAgent))) || null,
        startedBy === "login" ? now : "",
        now,
        idleUntil,
        until,
      ]);
    });
    return { ...this.#tokens(user, session, token, idleUntil), id: session, until };
  }

  /** The session of a refresh token of any user; undefined for a used, revoked or invalid one. */
  async byToken(refreshToken: string): Promise<SessionRow | undefined> {
    const claims = this.#jwt.verify(refreshToken);
    if (claims?.type !== "refresh" || typeof claims.sessionId !== "string") return undefined;
    const row = this.#storage.first("SELECT id, user, until FROM galley_sessions WHERE token = ? AND idle_until > ?", [
      claims.sessionId,
      this.#seconds(),
    ]);
    return row && { id: row[0] as string, user: row[1] as number, until: row[2] as number, token: claims.sessionId };
  }

  /** Returns a new pair of tokens and invalidates the old refresh token. `userExists` is called with the session's user. */
  async refresh(refreshToken: string, userExists: (user: number) => boolean): Promise<TokenPair> {
    const session = await this.byToken(refreshToken);
    if (!session || !userExists(session.user)) throw invalid();
    const token = newSessionId();
    const idleUntil = Math.min(session.until, this.#seconds() + this.#settings.idleRefreshTokenLifespan);
    // single use, also for concurrent requests
    const changes = await this.#change(
      "UPDATE galley_sessions SET token = ?, active_at = ?, idle_until = ? WHERE id = ? AND token = ?",
      [token, this.#time(), idleUntil, session.id, session.token],
    );
    if (changes === 0) throw invalid();
    return this.#tokens(session.user, session.id, token, idleUntil);
  }

  /** Sorted by last activity, with the current session first. `idleUntil` and `until`: their ends, in seconds since 1970. */
  list(user: number, current: string | undefined) {
    const rows = this.#storage.all(
      "SELECT id, device, device_name, login_at, active_at, idle_until, until FROM galley_sessions WHERE user = ? AND idle_until > ? ORDER BY id = ? DESC, active_at DESC",
      [user, this.#seconds(), current ?? ""],
    ) as [string, string | null, string | null, string, string, number, number][];
    return rows.map(([id, deviceId, name, loginAt, lastActiveAt, idleUntil, until]) => ({
      session: {
        id,
        deviceId,
        ...(name === null ? {} : { deviceName: name }),
        current: id === current,
        // absent for a session created by a password change
        ...(loginAt === "" ? {} : { loginAt }),
        lastActiveAt,
      },
      idleUntil,
      until,
    }));
  }

  /** Resolves with the number of changed rows. */
  #change(sql: string, params: readonly SqlValue[]): Promise<number> {
    const { storage } = this.#context;
    return storage.write(() => storage.run(sql, params).changes);
  }

  /** False for a session of somebody else. */
  async remove(user: number, session: string): Promise<boolean> {
    return (await this.#change("DELETE FROM galley_sessions WHERE id = ? AND user = ?", [session, user])) > 0;
  }

  /** Throws NotFoundError for a session of somebody else. */
  async revoke(user: number, session: string): Promise<void> {
    if (!(await this.remove(user, session))) throw notFound("Session not found");
  }

  async end(user: number, scope: SessionScope): Promise<void> {
    if (scope === "all") await this.#change("DELETE FROM galley_sessions WHERE user = ?", [user]);
    else if ("device" in scope)
      await this.#change("DELETE FROM galley_sessions WHERE user = ? AND device = ?", [user, scope.device]);
    else await this.#change("DELETE FROM galley_sessions WHERE user = ? AND id = ?", [user, scope.session]);
  }

  /** An access token for the session of a refresh token, which stays valid; undefined for an invalid one. */
  async accessToken(refreshToken: string): Promise<string | undefined> {
    const session = await this.byToken(refreshToken);
    return session && this.#accessToken(session.user, session.id);
  }

  has(session: string): boolean {
    const row = this.#storage.first("SELECT 1 FROM galley_sessions WHERE id = ? AND idle_until > ?", [
      session,
      this.#seconds(),
    ]);
    return row !== undefined;
  }
}

const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\bOPR\/|\bOpera\b/],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Chrome|CriOS)\//],
  ["Safari", /\bVersion\/.*\bSafari\//],
];

const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["iOS", /\b(iPhone|iPad|iPod)\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
];

/** In characters. The rest of a longer name is ignored. */
const MAX_LENGTH = 1_000;

const firstMatch = (table: typeof browsers, agent: string): string | undefined =>
  table.find(([, pattern]) => pattern.test(agent))?.[0];

/** Undefined for unknown agents. */
export function deviceName(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined;
  const agent = userAgent.slice(0, MAX_LENGTH);
  const browser = firstMatch(browsers, agent);
  const system = firstMatch(systems, agent);
  if (!browser) return undefined;
  return system ? `${browser} on ${system}` : browser;
}

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
