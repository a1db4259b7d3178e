/** Services of users-permissions: users, their tokens and roles. */
import { hashPassword, isPasswordHash, verifyPassword } from "../../documents/passwords.ts";
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import { ROLE, USER } from "../../schema/builtin/index.ts";
import type { Context } from "../http/context.ts";
import type { Runtime } from "../runtime.ts";
import type { Members } from "./plugin.ts";

type Values = Record<string, unknown>;

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_557_600 };

/** Seconds of a lifespan, as jsonwebtoken reads it. */
function secondsOf(lifespan: unknown, byDefault: number): number {
  if (typeof lifespan === "number") return lifespan;
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)/i.exec(String(lifespan ?? "")) ?? [];
  if (number === undefined) return byDefault;
  return Number(number) * (unit ? (UNITS[unit[0]!.toLowerCase()] ?? 1) : 0.001);
}

/** Query parameters of the older forms, with `filters` or `where`. */
const found = (params: Params): Params => ({
  ...params,
  ...(params.fields === undefined ? {} : { select: params.fields }),
  ...(params.sort === undefined ? {} : { orderBy: params.sort }),
});

function userService(runtime: Runtime): Members {
  const users = () => runtime.query(USER);
  const withHash = async (values: Values): Promise<Values> => {
    const { password } = values;
    if (typeof password !== "string" || password === "" || isPasswordHash(password)) return values;
    return { ...values, password: await hashPassword(password) };
  };
  return {
    count: (params: Params = {}) => users().count(found(params)),
    fetch: (id: unknown, params: Params = {}) => users().findOne({ ...found(params), where: { id } }),
    fetchAll: (params: Params = {}) => users().findMany(found(params)),
    fetchAuthenticatedUser: (id: unknown) => users().findOne({ where: { id }, populate: ["role"] }),
    add: async (values: Values) => users().create({ data: await withHash(values), populate: ["role"] }),
    edit: async (id: unknown, values: Values = {}) =>
      users().update({ where: { id }, data: await withHash(values), populate: ["role"] }),
    remove: (where: Params) => users().delete({ where }),
    ensureHashedPasswords: withHash,
    hashPassword: (password: string) => hashPassword(password),
    isHashedPassword: (password: unknown) => typeof password === "string" && isPasswordHash(password),
    validatePassword: (password: string, hash: string) => verifyPassword(password, hash),
    sendConfirmationEmail: async (user: Values) => {
      await runtime.access.auth.sendConfirmation({ email: user.email });
    },
  };
}

function jwtService({ access, settings }: Runtime): Members {
  const bearer = (ctx: Context): string | undefined => /^bearer\s+(\S+)$/i.exec(ctx.get("authorization"))?.[1];
  const verify = async (token: string): Promise<unknown> => {
    const claims = await access.jwt.verify(token);
    if (!claims) throw new Error("Invalid token.");
    return claims;
  };
  return {
    issue: (payload: unknown, options: Values = {}) => {
      const claims = isRecord(payload) ? { ...payload } : {};
      const lifespan = secondsOf(options.expiresIn, settings.auth.jwtLifespan);
      return access.jwt.issue(claims, Math.floor(Date.now() / 1000 + lifespan));
    },
    verify,
    getToken: async (ctx: Context) => {
      const token = bearer(ctx);
      return token === undefined ? null : verify(token);
    },
  };
}

function roleService(runtime: Runtime): Members {
  const roles = () => runtime.query(ROLE);
  return {
    find: async () => runtime.access.roles.list(),
    findOne: async (id: unknown) => runtime.access.roles.find(Number(id)),
    getRoles: () => roles().findMany({ orderBy: { name: "asc" } }),
    getRoleByType: (type: string) => roles().findOne({ where: { type } }),
    createRole: (params: unknown) => runtime.access.roles.create(params),
    updateRole: (id: unknown, params: unknown) => runtime.access.roles.update(Number(id), params),
    deleteRole: (id: unknown) => runtime.access.roles.remove(Number(id)),
  };
}

/** Grants and actions, as a seed writes them. */
function actionsService(runtime: Runtime): Members {
  return {
    getActions: () => runtime.access.roles.permissionMap(new Set()),
    getRoutes: async () => ({}),
    syncPermissions: async () => {},
    initialize: async () => {},
    getPlugins: async () => [],
    getTemplate: (text: string, values: Values) =>
      text.replace(/<%=\s*([\w.]+)\s*%>/g, (_, path: string) =>
        String(path.split(".").reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), values)),
      ),
  };
}

export const usersPermissionsServices = (runtime: () => Runtime): Members => ({
  user: () => userService(runtime()),
  jwt: () => jwtService(runtime()),
  role: () => roleService(runtime()),
  "users-permissions": () => actionsService(runtime()),
});
