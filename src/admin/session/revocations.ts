/** Revoked tokens: followed links and ended sessions. */
import type { Storage } from "../../storage/storage.ts";
import type { Claims } from "./signed.ts";

/** The key in `galley_meta`, which databases contain. */
const KEY = "admin_spent";

/** The expiry of each revoked token, in milliseconds since 1970, by id. */
type Revocations = Readonly<Record<string, number>>;

const read = (storage: Storage): Revocations => JSON.parse(storage.meta(KEY) ?? "{}") as Revocations;

export const isRevoked = (storage: Storage, { id }: Claims): boolean => Object.hasOwn(read(storage), id);

/** Revokes a token for all processes; false if it already was. Only validly signed ones are stored, so there are few. */
export const revoke = (storage: Storage, { id, expiresAt }: Claims): Promise<boolean> =>
  storage.write(() => {
    const revoked = read(storage);
    if (Object.hasOwn(revoked, id)) return false;
    const now = Date.now();
    const valid = Object.entries(revoked).filter(([, until]) => until > now);
    storage.setMeta(KEY, JSON.stringify(Object.fromEntries([...valid, [id, expiresAt]])));
    return true;
  });
