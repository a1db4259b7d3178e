/** Services of the reference's admin page. Calling them has no effect. */

import { hashPassword } from "../../documents/passwords.ts";
import { createNoRows } from "../data/no-rows.ts";
import type { Log } from "../runtime.ts";

type Members = Readonly<Record<string, unknown>>;

const noop = (): void => {};
const provider = { register: noop, registerMany: noop, get: () => undefined, has: () => false, values: () => [] };
const hook = { register: noop, delete: noop };

/** A service for administrators, their roles or tokens, which do not exist here. */
function rows(uid: string, log: Log): Members {
  const { findOne, findMany, findPage, count } = createNoRows(uid, log);
  const methods: Members = { findOne, find: findMany, findMany, findPage, count, exists: async () => false };
  return new Proxy(methods, {
    get: (target, name) => {
      if (typeof name === "symbol" || name === "then" || name in target) return target[String(name)];
      return async () => {
        log.warn(`${uid} is not there in Galley: ${name} does nothing`);
        return null;
      };
    },
  });
}

/** By name without `admin::`. */
export const adminServices = (log: Log): Members => ({
  permission: {
    conditionProvider: provider,
    actionProvider: provider,
    engine: { hooks: new Proxy({}, { get: () => hook }) },
    findMany: async () => [],
    createMany: async () => [],
    findUserPermissions: async () => [],
  },
  user: rows("admin::user", log),
  role: rows("admin::role", log),
  "api-token": rows("admin::api-token", log),
  "api-token-content-api": rows("admin::api-token", log),
  "api-token-admin": rows("admin::api-token", log),
  auth: { hashPassword },
});
