/** Revoked tokens: followed links and ended sessions. */
import type { Storage } from "../../engine/storage/storage.ts";
import type { Claims } from "./signed.ts";

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

export const isRevoked = (storage: Storage, claims: Claims): boolean =>
  Object.hasOwn(read(storage), claims.id) || isEnded(storage, claims);

/** Ends all sessions for all processes, except one. */
export const endSessions = (storage: Storage, now: number, except?: Claims): Promise<void> =>
  storage.write(() => {
    const ended: EndedSessions = { until: now, ...(except ? { except: except.id } : {}) };
    storage.setMeta(ENDED_KEY, JSON.stringify(ended));
  });

/** Revokes a token for all processes; false if it already was. Only validly signed ones are stored, so there are few. */
export const revoke = (storage: Storage, { id, expiresAt }: Claims, now: number): Promise<boolean> =>
  storage.write(() => {
    const revoked = read(storage);
    if (Object.hasOwn(revoked, id)) return false;
    const valid = Object.entries(revoked).filter(([, until]) => until > now);
    storage.setMeta(KEY, JSON.stringify(Object.fromEntries([...valid, [id, expiresAt]])));
    return true;
  });
