/** Services of users-permissions: users, their tokens and roles. */
import { actionNames } from "../../engine/access/action-names.ts";
import { hashPassword, isPasswordHash, verifyPassword } from "../../engine/documents/passwords.ts";
import type { Params } from "../../engine/query/parse.ts";
import { isParameter } from "../../engine/query/strict-params.ts";
import { PERMISSION, USER } from "../../engine/schema/builtin/index.ts";
import { splitBudget, withBudget } from "../../lib/budgeted-params.ts";
import { isRecord, type Values } from "../../lib/is-record.ts";
import { once } from "../../lib/once.ts";
import { pickBy } from "../../lib/records.ts";
import { parseSpan } from "../../lib/time-span.ts";
import { placeIn, queryParams } from "../data/document-params.ts";
import type { Context } from "../koa/koa.ts";
import type { Members } from "../loader/plugin.ts";
import { routesMap } from "../loader/routes.ts";
import { withOwnPart } from "../routes/native-actions.ts";
import type { Runtime } from "../runtime.ts";
import type { SignInServices } from "../sign-in/actions.ts";
import type { ProviderRegistry } from "../sign-in/registry.ts";

/** Parses a span to seconds, as jsonwebtoken does: texts without a unit are milliseconds. Throws for other values. */
function parseSeconds(option: string, span: unknown): number {
  if (typeof span === "number" && Number.isFinite(span)) return span;
  const seconds = typeof span === "string" ? parseSpan(span) : undefined;
  if (seconds === undefined)
    throw new Error(`"${option}" should be a number of seconds or string representing a timespan eg: "1d", "20h", 60`);
  return seconds;
}

function userService(runtime: Runtime): Members {
  const users = () => runtime.query(USER);
  // the document service validates, hashes passwords, and accepts relations in all forms
  const documents = () => runtime.documents.of(USER);
  // as in Strapi, callers may pass what a client has sent
  const read = (params: Params = {}): Params => {
    const { own, budget } = splitBudget(params);
    const allowed = pickBy(own, (_, name) => isParameter(name));
    return withBudget(queryParams(allowed, placeIn(runtime.context.model, USER)), budget);
  };
  return {
    count: (params?: Params) => users().count(read(params)),
    fetch: (id: unknown, params?: Params) => {
      const { where, ...query } = read(params);
      return users().findOne({ ...query, where: { $and: [{ id }, where ?? {}] } });
    },
    fetchAll: (params?: Params) => users().findMany(read(params)),
    fetchAuthenticatedUser: (id: unknown) => users().findOne({ where: { id }, populate: ["role"] }),
    add: (values: Values) => documents().create({ data: values, populate: ["role"] }),
    edit: async (id: unknown, values: Values = {}) => {
      const entry = await users().findOne({ where: { id }, select: ["documentId"] });
      if (!entry) return null;
      return documents().update({ documentId: entry.documentId, data: values, populate: ["role"] });
    },
    remove: (where: Params) => users().delete({ where }),
    ensureHashedPasswords: async (values: Values): Promise<Values> => {
      const { password } = values;
      return typeof password === "string" ? Object.assign(values, { password: await hashPassword(password) }) : values;
    },
    validatePassword: async (password: string, hash: string) => isPasswordHash(hash) && verifyPassword(password, hash),
    sendConfirmationEmail: async (user: Values) => {
      await runtime.access.auth.mailConfirmation(Number(user.id));
    },
  };
}

/** Creates a session and its access token, as Strapi does in refresh mode. */
async function sessionToken({ access }: Runtime, { id, userId }: Values): Promise<string> {
  const user = id ?? userId ?? "";
  if (user === "") throw new Error("Cannot issue token: missing user id");
  const { jwt } = await access.sessions.create(Number(user), { id: undefined, userAgent: null }, "password");
  return jwt;
}

/** The claims of options of jsonwebtoken. */
const OPTION_CLAIMS = { audience: "aud", issuer: "iss", subject: "sub", jwtid: "jti" } as const;
const KNOWN_OPTIONS: ReadonlySet<string> = new Set(["expiresIn", "notBefore", ...Object.keys(OPTION_CLAIMS)]);

/** Throws for options that Galley's tokens do not have. */
function readClaims({ algorithm = "HS256", ...options }: Values, now: number): Values {
  const unknown = Object.keys(options).find((name) => options[name] !== undefined && !KNOWN_OPTIONS.has(name));
  if (unknown !== undefined) throw new Error(`Tokens cannot be issued with the option ${unknown}`);
  if (algorithm !== "HS256") throw new Error("Tokens are signed with HS256 only");
  const claims = Object.entries(OPTION_CLAIMS).flatMap(([name, claim]) =>
    options[name] === undefined ? [] : [[claim, options[name]] as const],
  );
  const { notBefore } = options;
  const start = notBefore === undefined ? {} : { nbf: Math.floor(now / 1000 + parseSeconds("notBefore", notBefore)) };
  return { ...Object.fromEntries(claims), ...start };
}

function jwtService(runtime: Runtime): Members {
  const { access, settings } = runtime;
  const isRefresh = settings.auth.jwtManagement === "refresh";
  const bearer = ({ request }: Pick<Context, "request">): string | undefined =>
    /^bearer\s+(\S+)$/i.exec(request?.header?.authorization ?? "")?.[1];
  const verify = async (token: unknown): Promise<unknown> => {
    const claims = typeof token === "string" ? access.jwt.verify(token) : undefined;
    if (!claims) throw new Error("Invalid token.");
    if (!isRefresh) return claims;
    const id = Number(claims.userId);
    if (claims.type !== "access" || !access.users.byId(id)) throw new Error("Invalid token.");
    return { id, sessionId: claims.sessionId };
  };
  return {
    issue: (payload: unknown, options: Values = {}) => {
      if (!isRecord(payload)) throw new Error("The payload of a token must be an object");
      const claims = { ...payload };
      if (isRefresh) return sessionToken(runtime, claims);
      const { expiresIn } = options;
      const lifespan = expiresIn === undefined ? settings.auth.jwtLifespan : parseSeconds("expiresIn", expiresIn);
      return access.jwt.sign({ ...claims, ...readClaims(options, runtime.context.clock.now()) }, lifespan);
    },
    verify,
    // code may have replaced the other member
    async getToken(this: { readonly verify: typeof verify }, ctx: Context) {
      const token = bearer(ctx);
      return token === undefined ? null : this.verify(token);
    },
  };
}

function roleService(runtime: Runtime): Members {
  return {
    // rows have a locale, which those of the API do not show
    find: async () => runtime.access.roles.list().map((role) => ({ ...role, locale: null })),
    findOne: async (id: unknown) => ({ ...runtime.access.roles.find(Number(id)), locale: null }),
    createRole: async (params: unknown) => runtime.access.roles.create(params),
    updateRole: async (id: unknown, params: unknown) => runtime.access.roles.update(Number(id), params),
    deleteRole: async (id: unknown) => runtime.access.roles.remove(Number(id)),
  };
}

/** Permissions of roles, for authentication strategies. */
function permissionService(runtime: Runtime): Members {
  const find = (role: Params) => runtime.query(PERMISSION).findMany({ where: { role } });
  return {
    findRolePermissions: (id: unknown) => find({ id }),
    findPublicPermissions: () => find({ type: "public" }),
    toContentAPIPermission: ({ action }: { readonly action?: unknown }) => ({ action }),
  };
}

/** The users-permissions service, for permissions and actions. */
function actionsService(runtime: Runtime): Members {
  return {
    getActions: ({ defaultEnable = false }: { readonly defaultEnable?: boolean } = {}) =>
      runtime.access.roles.permissionMap(new Set(defaultEnable ? actionNames(runtime.context.model) : [])),
    getRoutes: async () => routesMap(runtime.routes()),
    updateUserRole: ({ id }: { readonly id: unknown }, role: unknown) =>
      runtime.query(USER).update({ where: { id }, data: { role } }),
    syncPermissions: async () => {},
    initialize: async () => {},
    /** Only replaces names of values; those that are not there stay. */
    template: (text: string, values: Values) =>
      text.replace(/<%=\s*([\w.]+)\s*%>/g, (whole, path: string) => {
        const value = path
          .split(".")
          .reduce<unknown>((inner, step) => (isRecord(inner) ? inner[step] : undefined), values);
        return value === undefined ? whole : String(value);
      }),
  };
}

/** The URL to which a provider sends its users back. */
const redirectUri = ({ settings, address }: Runtime, provider = ""): string => {
  const path = provider ? `connect/${provider}/callback` : "connect/callback";
  return `${settings.server.url || address()}${settings.rest.prefix}/${path}`;
};

type Tokens = Readonly<Record<string, unknown>>;

const providersService = (runtime: Runtime, registry: ProviderRegistry): Members => ({
  buildRedirectUri: (provider?: string) => redirectUri(runtime, provider),
  connect: async (provider: string, tokens: Tokens, options?: { readonly grantResponse?: Tokens }) => {
    const { connectUser } = await import("../sign-in/connect-user.ts");
    return connectUser(runtime, registry, provider, tokens, options);
  },
});

const signInActions = () => require("../sign-in/actions.ts") as typeof import("../sign-in/actions.ts");

/** Adds sign-in with providers to the native actions. */
export function withSignIn(
  controllers: Readonly<Record<string, Members>>,
  runtime: () => Runtime,
  registry: ProviderRegistry,
): Readonly<Record<string, Members>> {
  const auth = controllers.auth ?? {};
  const services = (): SignInServices => {
    return {
      runtime: runtime(),
      registry,
      redirectUri: (provider) => redirectUri(runtime(), provider),
      validateCallback: runtime().config.get("plugin::users-permissions.callback.validate"),
    };
  };
  const connect = withOwnPart(auth.connect, {
    isOwnPath: () => true,
    isOwn: () => true,
    run: (ctx) => signInActions().connect(ctx, services()),
  });
  const callback = withOwnPart(auth.callback, {
    isOwnPath: (path) => path.includes(":provider"),
    isOwn: ({ params }) => params.provider !== undefined && params.provider !== "local",
    run: (ctx) => signInActions().signIn(ctx, services()),
  });
  return { ...controllers, auth: { ...auth, connect, callback } };
}

export const usersPermissionsServices = (runtime: () => Runtime, registry: ProviderRegistry): Members => ({
  // created once, so that a member that code has not replaced is the same function everywhere
  user: once(() => userService(runtime())),
  jwt: once(() => jwtService(runtime())),
  role: once(() => roleService(runtime())),
  permission: () => permissionService(runtime()),
  providers: once(() => providersService(runtime(), registry)),
  "providers-registry": () => registry,
  "users-permissions": once(() => actionsService(runtime())),
});
