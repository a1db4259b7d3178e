/** Sessions of the admin page: a signed cookie, valid in all processes of the server and after a restart. */
import type { Tokens } from "../../engine/access/tokens.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { Clock } from "../../lib/clock.ts";
import { ApiError } from "../../lib/errors.ts";
import { type Claims, isLink, sign, verify } from "./signed.ts";

/** The key in `galley_meta`, which databases contain. */
const KEY = "admin_spent";
const ENDED_KEY = "admin_sessions_ended";

/** The expiry of each revoked token, in milliseconds since 1970, by id. */
type Revocations = Readonly<Record<string, number>>;

const read = (storage: Storage): Revocations => (storage.metaJson(KEY) ?? {}) as Revocations;

/** The sessions that are ended together: all that were issued before, except one. */
interface EndedSessions {
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly except?: string;
}

function isEnded(storage: Storage, { use, id, issuedAt }: Claims): boolean {
  const stored = use === "session" ? (storage.metaJson(ENDED_KEY) as EndedSessions | undefined) : undefined;
  if (stored === undefined) return false;
  const { until, except } = stored;
  return issuedAt < until && id !== except;
}

const isRevoked = (storage: Storage, claims: Claims): boolean =>
  Object.hasOwn(read(storage), claims.id) || isEnded(storage, claims);

/** Ends all sessions for all processes, except one. */
const endSessions = (storage: Storage, now: number, except?: Claims): Promise<void> =>
  storage.write(() => {
    const ended: EndedSessions = { until: now, ...(except ? { except: except.id } : {}) };
    storage.setMeta(ENDED_KEY, JSON.stringify(ended));
  });

/** Revokes a token for all processes; false if it already was. Only validly signed ones are stored, so there are few. */
const revoke = (storage: Storage, { id, expiresAt }: Claims, now: number): Promise<boolean> =>
  storage.write(() => {
    const revoked = read(storage);
    if (Object.hasOwn(revoked, id)) return false;
    const valid = Object.entries(revoked).filter(([, until]) => until > now);
    storage.setMeta(KEY, JSON.stringify(Object.fromEntries([...valid, [id, expiresAt]])));
    return true;
  });

/** The path prefix of the admin page's requests. */
export const API_PATH = "/admin/api";

const MINUTE_MS = 60_000;
/** Lifetime of a link: long enough to open it some time after the start. */
const LINK_MS = 60 * MINUTE_MS;
const SESSION_MS = 30 * 24 * 60 * MINUTE_MS;
const SPENT_LINK = "This link was used before, or has expired";
const UNKNOWN_TOKEN = "This is neither a link of this server nor an admin token";
/** A session in use is renewed this often. */
const RENEW_MS = 24 * 60 * MINUTE_MS;

export interface SessionServices {
  readonly key: string;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly tokens: Tokens;
  /** Whether browsers reach the server by HTTPS. */
  readonly isSecure: boolean;
  /** Those of the configured public URLs. */
  readonly origins: readonly string[];
}

/** A link that signs in once. The token is in the fragment, which browsers do not send to servers. `now`: in milliseconds since 1970. */
export const signInLink = (address: string, key: string, now: number): string =>
  `${address}/admin#${sign(key, "link", LINK_MS, now)}`;

/** Cookies are shared by all ports of a host: servers on other ports have their own. */
function cookieName({ headers, url }: Request): string {
  const { port, protocol } = URL.parse(`http://${headers.get("host") ?? ""}`) ?? new URL(url);
  return `galley-admin-${port || (protocol === "https:" ? "443" : "80")}`;
}

function setCookie(request: Request, value: string, maxAgeMs: number, { isSecure }: SessionServices): string {
  // its path is the folder of the request: a proxy may have removed a prefix from what the browser knows it by
  const attributes = [`Max-Age=${Math.floor(maxAgeMs / 1000)}`, "HttpOnly", "SameSite=Strict"];
  return [`${cookieName(request)}=${value}`, ...attributes, ...(isSecure ? ["Secure"] : [])].join("; ");
}

const newCookie = (request: Request, services: SessionServices): string =>
  setCookie(request, sign(services.key, "session", SESSION_MS, services.clock.now()), SESSION_MS, services);

/** The request's session; undefined for a missing, forged, expired or ended one. */
export function readSession(request: Request, { key, storage, clock }: SessionServices): Claims | undefined {
  const name = cookieName(request);
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [cookie, value] = pair.trim().split("=", 2);
    const claims = cookie === name ? verify(key, "session", value ?? "", clock.now()) : undefined;
    if (claims && !isRevoked(storage, claims)) return claims;
  }
  return undefined;
}

/**
 * Signs in with the token of a link, which is revoked, or with an admin token. Returns the cookie to set. Throws an
 * UnauthorizedError for any other.
 */
export async function signIn(request: Request, token: string, services: SessionServices): Promise<string> {
  const { key, storage, clock, tokens } = services;
  const claims = verify(key, "link", token, clock.now());
  const isValid = claims ? await revoke(storage, claims, clock.now()) : tokens.isAdmin(token);
  if (!isValid) throw new ApiError("UnauthorizedError", isLink(token) ? SPENT_LINK : UNKNOWN_TOKEN);
  return newCookie(request, services);
}

/** Ends a session for good. Returns the cookie to set. */
export async function signOut(request: Request, services: SessionServices): Promise<string> {
  const claims = readSession(request, services);
  if (claims) await revoke(services.storage, claims, services.clock.now());
  return setCookie(request, "", 0, services);
}

/** Ends all sessions for good. Returns the cookie to set. */
export async function signOutEverywhere(request: Request, services: SessionServices): Promise<string> {
  await endSessions(services.storage, services.clock.now());
  // one that was issued in the same millisecond
  return signOut(request, services);
}

/** Ends all sessions but that of the request, which needs no other cookie. */
export async function signOutElsewhere(request: Request, services: SessionServices): Promise<undefined> {
  await endSessions(services.storage, services.clock.now(), readSession(request, services));
}

const DIRECTLY_BELOW = new RegExp(`^${API_PATH}/[^/]*$`);

/** A new cookie for a session older than a day; undefined for a younger one, and for a request in another folder than the cookie's. */
export function renewedCookie(request: Request, claims: Claims, services: SessionServices): string | undefined {
  const isOld = services.clock.now() - claims.issuedAt > RENEW_MS;
  return isOld && DIRECTLY_BELOW.test(new URL(request.url).pathname) ? newCookie(request, services) : undefined;
}
