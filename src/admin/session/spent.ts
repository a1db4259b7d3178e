/** Signed values that are used up: followed links and ended sessions. */
import type { Storage } from "../../storage/storage.ts";
import type { Claims } from "./signed.ts";

const KEY = "admin_spent";

type Spent = Readonly<Record<string, number>>;

const read = (storage: Storage): Spent => JSON.parse(storage.meta(KEY) ?? "{}") as Spent;

export const isSpent = (storage: Storage, { id }: Claims): boolean => Object.hasOwn(read(storage), id);

/** Marks the value as used, for all processes; false if it already was. Only validly signed values are stored, so there are few. */
export const spend = (storage: Storage, { id, expiresAt }: Claims): Promise<boolean> =>
  storage.write(() => {
    const spent = read(storage);
    if (Object.hasOwn(spent, id)) return false;
    const now = Date.now();
    const valid = Object.entries(spent).filter(([, until]) => until > now);
    storage.setMeta(KEY, JSON.stringify(Object.fromEntries([...valid, [id, expiresAt]])));
    return true;
  });
