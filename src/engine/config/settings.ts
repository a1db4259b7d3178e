/** The configuration of a project, and its defaults. Read once: lower layers read no files and no environment. */
import { defaultLimits } from "../../lib/budget.ts";
import { ProjectReport } from "../../lib/errors.ts";
import { findConfigSync } from "./config-sync.ts";
import { cookieSettings } from "./cookie-settings.ts";
import { emailSettings } from "./email-settings.ts";
import { type Environment, loadEnvironment } from "./env.ts";
import { ConfigFiles, type Section } from "./files.ts";
import type { GalleySettings } from "./galley-file.ts";
import { httpSettings } from "./middlewares.ts";
import { checkPluginEntries } from "./plugin-entries.ts";
import { configOfPlugin, isPluginEnabled } from "./providers.ts";
import { Reader } from "./reader.ts";
import { warnAboutPlugins } from "./unused-settings.ts";
import { uploadSettings } from "./upload-settings.ts";

export type Settings = ReturnType<typeof readSettings>;

/** Plugins have their settings under `config`. */
const pluginReader = (section: Section, file: string, name: string, report: ProjectReport): Reader =>
  new Reader(configOfPlugin(section, name), file, report);

const DAY_S = 86_400;
const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: DAY_S, w: 7 * DAY_S, y: 365.25 * DAY_S };

/** A lifespan in seconds: a number, or a string such as "1h" or "30 days". Undefined for other strings. */
export function parseSeconds(value: string | number): number | undefined {
  if (typeof value === "number") return value;
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(value);
  const unit = match?.[2] === "" ? 0.001 : units[match?.[2]?.charAt(0).toLowerCase() ?? ""];
  return match && unit !== undefined ? Math.round(Number(match[1]) * unit) : undefined;
}

function authSettings({ auth = {} }: GalleySettings, reader: Reader) {
  const sessions = (
    key: "accessTokenLifespan" | "maxRefreshTokenLifespan" | "idleRefreshTokenLifespan",
    defaultValue: number,
  ) => auth.sessions?.[key] ?? reader.number(`sessions.${key}`, 1) ?? defaultValue;
  const jwtManagement = auth.jwtManagement ?? reader.text("jwtManagement") ?? "legacy-support";
  if (jwtManagement !== "legacy-support" && jwtManagement !== "refresh")
    reader.ignore("jwtManagement", `must be legacy-support or refresh, not "${jwtManagement}"`);
  const expiresIn = auth.jwt?.expiresIn ?? reader.lifespan("jwt.expiresIn") ?? "30d";
  const lifespan =
    parseSeconds(expiresIn) ??
    reader.ignore("jwt.expiresIn", `must be a lifespan such as "30d", not "${expiresIn}"`) ??
    30 * DAY_S;
  return {
    jwtManagement: jwtManagement === "refresh" ? "refresh" : "legacy-support",
    /** In seconds, as the others. */
    jwtLifespan: lifespan,
    accessTokenLifespan: sessions("accessTokenLifespan", 600),
    maxRefreshTokenLifespan: sessions("maxRefreshTokenLifespan", 30 * DAY_S),
    idleRefreshTokenLifespan: sessions("idleRefreshTokenLifespan", 14 * DAY_S),
    /** Refresh tokens travel in a cookie. */
    httpOnly: auth.sessions?.httpOnly ?? reader.flag("sessions.httpOnly") ?? false,
    cookie: cookieSettings(reader),
    allowRegister: auth.allowRegister ?? true,
    /** An email address belongs to one user. */
    uniqueEmail: auth.uniqueEmail ?? true,
    /** New users must confirm their e-mail address before they can log in. */
    emailConfirmation: auth.emailConfirmation ?? false,
    emailConfirmationRedirection: auth.emailConfirmationRedirection ?? "/",
    /** The page for entering a new password; empty: only the code is sent. */
    resetPasswordUrl: auth.resetPasswordUrl ?? "",
    defaultRole: auth.defaultRole ?? "authenticated",
    /** Fields that are accepted at registration besides username, email and password. */
    registerFields: auth.register?.allowedFields ?? reader.textList("register.allowedFields") ?? [],
    /** The project has a function that validates new passwords. */
    hasPasswordRule: reader.isFunction("validationRules.validatePassword"),
    ratelimit: {
      /** Undefined: for all clients, except direct ones on this machine. */
      enabled: auth.ratelimit?.enabled ?? reader.flag("ratelimit.enabled"),
      /** Milliseconds. */
      interval: auth.ratelimit?.interval ?? reader.milliseconds("ratelimit.interval") ?? 60_000,
      max: auth.ratelimit?.max ?? reader.number("ratelimit.max", 1) ?? 10,
    },
    /** From the configuration of users-permissions; undefined: from the environment, or generated. */
    jwtSecret: reader.text("jwtSecret"),
  } as const;
}

/** Strapi's setting: `proxy: true`, or `proxy: { koa: true }` if there are also proxies for outgoing requests. */
const trustsProxy = (server: Reader): boolean =>
  (server.isSection("proxy") ? server.flag("proxy.koa") : server.flag("proxy")) ?? false;

/**
 * Reads all configuration files of a project. Problems are added to `report`, and defaults are used for invalid settings; without
 * a report, problems are thrown as a ProjectError.
 */
export function loadSettings(root: string, processEnvironment: Environment, callerReport?: ProjectReport): Settings {
  const report = callerReport ?? new ProjectReport();
  const settings = readSettings(root, processEnvironment, report);
  if (!callerReport) report.finish();
  return settings;
}

function readSettings(root: string, processEnvironment: Environment, report: ProjectReport) {
  const environment = loadEnvironment(root, processEnvironment);
  const files = new ConfigFiles(root, environment, report);
  const apiFile = files.section("api");
  const serverFile = files.section("server");
  const plugins = files.section("plugins");
  const features = files.section("features");
  const galley = files.section("galley").section as GalleySettings;
  const api = new Reader(apiFile.section, apiFile.file, report);
  const server = new Reader(serverFile.section, serverFile.file, report);
  const middlewares = files.list("middlewares");
  files.checkOthers();
  const graphql = pluginReader(plugins.section, plugins.file, "graphql", report);
  checkPluginEntries(root, plugins.parts, report);
  warnAboutPlugins(plugins.section, plugins.file, report);
  return {
    rest: {
      prefix: api.text("rest.prefix") ?? "/api",
      defaultLimit: api.number("rest.defaultLimit", 1) ?? 25,
      maxLimit: api.number("rest.maxLimit", 1),
      withCount: api.flag("rest.withCount") ?? true,
      /** Unknown query parameters are refused. */
      strictParams: api.flag("rest.strictParams") ?? false,
    },
    /** Attribute names that are private in every type. */
    privateAttributes: api.textList("responses.privateAttributes") ?? [],
    /** Required relations are enforced on publication. */
    strictRelations: api.flag("documents.strictRelations") ?? false,
    strictParams: api.flag("documents.strictParams") ?? false,
    /** Types with drafts have `firstPublishedAt`. */
    firstPublishedAt:
      new Reader(features.section, features.file, report).flag("future.experimental_firstPublishedAt") ?? false,
    server: {
      host: server.text("host"),
      port: server.number("port"),
      publicFolder: server.text("dirs.public") ?? "public",
      /** The public URL; empty: the address that the server listens on. */
      url: server.text("url") ?? "",
      /** Proxies whose `X-Forwarded-For` is trusted: none (undefined), any, or listed networks. */
      proxies: galley.proxies ?? (trustsProxy(server) ? "any" : undefined),
      /** Headers of requests to webhooks. */
      webhookHeaders: server.texts("webhooks.defaultHeaders") ?? {},
      mcp: {
        /** Whether tools are served at /mcp. */
        enabled: server.flag("mcp.enabled") ?? false,
        /** Milliseconds for a request. */
        timeoutMs: server.number("mcp.requestTimeoutMs", 1) ?? 60_000,
      },
    },
    http: httpSettings(middlewares?.list ?? [], middlewares?.file ?? "config/middlewares.js", report),
    graphql: {
      enabled: isPluginEnabled(plugins.section, "graphql"),
      endpoint: `/${(graphql.text("endpoint") ?? "graphql").replace(/^\/+|\/+$/g, "")}`,
      /** -1 for the maximum. */
      defaultLimit: graphql.number("defaultLimit", -1) ?? 10,
      /** -1 or 0 for none. */
      maxLimit: graphql.number("maxLimit", -1) ?? 100,
      depthLimit: graphql.number("depthLimit", 1) ?? 30,
      introspection: graphql.flag("introspection") ?? graphql.flag("apolloServer.introspection") ?? true,
      /** Whether answers also have the fields of Strapi 4's. As in Strapi, any text in the environment switches it on. */
      v4CompatibilityMode:
        graphql.flag("v4CompatibilityMode") ?? Boolean(environment.STRAPI_GRAPHQL_V4_COMPATIBILITY_MODE),
      // options with an object as their value have no effect here, and are reported
      /** Whether origins that `strapi::cors` does not allow may send requests, too. */
      cors: graphql.isSection("apolloServer.cors") || (graphql.flag("apolloServer.cors") ?? true),
      /** Whether requests that a form of another site could send are refused. */
      csrfPrevention:
        graphql.isSection("apolloServer.csrfPrevention") || (graphql.flag("apolloServer.csrfPrevention") ?? true),
      /** Whether clients may send hashes of operations. */
      persistedQueries:
        graphql.isSection("apolloServer.persistedQueries") || (graphql.flag("apolloServer.persistedQueries") ?? true),
    },
    upload: uploadSettings({ root, galley, plugins: plugins.section, file: plugins.file, report }),
    auth: authSettings(galley, pluginReader(plugins.section, plugins.file, "users-permissions", report)),
    email: emailSettings({ root, galley, plugins: plugins.section, file: plugins.file, environment, report }),
    limits: { ...defaultLimits, ...galley.limits },
    /** The content of config/galley.json; each part is read by the layer that owns it. */
    galley,
    /** Files of the config-sync plugin; config/galley.json takes precedence. */
    configSync: report.attempt(() => findConfigSync(root, plugins.section)),
    environment,
  } as const;
}
