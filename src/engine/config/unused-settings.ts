/**
 * Settings of a project's files that have an effect in Strapi, but none in Galley, with the reason. Settings without effect in
 * Strapi are not listed. `galley doctor` reports those that a project has.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ProjectProblem, ProjectReport } from "../../lib/errors.ts";
import type { Environment } from "./env.ts";
import { ConfigFiles, isSection, type Section } from "./files.ts";

const ACCOUNTS = "administrators have no accounts: the admin page is opened with a link or a token";
const PAGE = "the admin page is Galley's own";
const STORED = "content is stored in .galley/content.db";
const SERVER = "the HTTP server is Bun's, with its own limits";
const OUTGOING = "requests of Galley use HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the environment";
const IMAGES = "images are processed by Galley's own workers";
const TYPES = "galley graphql-schema and galley types write them";

/** By file; keys are dotted paths. */
const reasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  server: {
    socket: "Galley listens on a host and a port",
    "http.serverOptions": SERVER,
    "proxy.global": OUTGOING,
    "proxy.http": OUTGOING,
    "proxy.https": OUTGOING,
    "proxy.fetch": OUTGOING,
    "proxy.ipHeader": "addresses of clients are read from X-Forwarded-For",
    "proxy.maxIpsCount": "proxies in config/galley.json lists the proxies that are trusted",
    "transfer.remote": "archives are sent with galley pull and galley push",
    "logger.startup": "Galley prints its own messages",
    "logger.updates": "Galley looks for no updates",
    "mcp.connectTimeoutMs": "requests of MCP clients wait for no connection",
    openapi: "galley openapi and /openapi.json describe the API",
  },
  admin: {
    auth: ACCOUNTS,
    forgotPassword: ACCOUNTS,
    rateLimit: ACCOUNTS,
    "apiToken.salt": "tokens are hashed with API_TOKEN_SALT of the environment, or a generated secret",
    "transfer.token": "archives are sent with galley pull and galley push",
    layout: PAGE,
    autoOpen: "galley serve --open opens the page",
    serveAdminPanel: "galley serve --no-admin serves no admin page",
    "history.retentionDays": PAGE,
    ai: PAGE,
    head: PAGE,
  },
  database: { connection: STORED, settings: STORED },
};

/** The same for parts of `config/plugins`, where Galley's answers differ from what the project expects: also reported at the start. */
const pluginReasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  graphql: {
    subscriptions: "Galley has no subscriptions",
    generateArtifacts: TYPES,
    artifacts: TYPES,
    shadowCRUD: "types and fields are generated; extensions switch single ones off",
    landingPage: "the playground is served to browsers",
    playgroundAlways: "the playground is served to browsers",
  },
  upload: {
    sharp: IMAGES,
    concurrentUploadSize: IMAGES,
    "providerOptions.localServer": "strapi::public sets how long files are cached",
  },
  "users-permissions": { layout: PAGE },
};
/** Options of Apollo Server that are followed; those with other values than booleans are not. */
const APOLLO_FLAGS: ReadonlySet<string> = new Set(["introspection", "cors", "csrfPrevention", "persistedQueries"]);

/** Options of Apollo Server that have an effect in Strapi only. Unknown ones, and `tracing` of older versions, have none there. */
const apolloReasons: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...APOLLO_FLAGS].map((name) => [name, "only true and false have an effect"])),
  allowBatchedHttpRequests: "batches of operations are refused",
  plugins: "GraphQL is served by Yoga",
  formatError: "errors have the format of Strapi",
  validationRules: "GraphQL is served by Yoga",
  parseOptions: "GraphQL is served by Yoga",
  fieldResolver: "GraphQL is served by Yoga",
  rootValue: "GraphQL is served by Yoga",
  cache: "persisted queries are kept in memory",
  documentStore: "parsed operations are kept in memory",
  includeStacktraceInErrorResponses: "errors have no stack traces",
  hideSchemaDetailsFromClientErrors: "errors have suggestions",
  status400ForVariableCoercionErrors: "errors of variables have the status that Strapi gives them",
};

/** Booleans that are the behaviour of Galley, so that they need not be reported. */
const FULFILLED: Readonly<Record<string, unknown>> = {
  "graphql.shadowCRUD": true,
  "graphql.landingPage": true,
  "graphql.playgroundAlways": true,
  "graphql.subscriptions": false,
  "graphql.generateArtifacts": false,
  "graphql.apolloServer.allowBatchedHttpRequests": false,
  "graphql.apolloServer.includeStacktraceInErrorResponses": false,
  "graphql.apolloServer.hideSchemaDetailsFromClientErrors": false,
  "admin.serveAdminPanel": true,
};
/** Options of tokens besides these two are those of the package jsonwebtoken. */
const OWN_JWT_OPTIONS: ReadonlySet<string> = new Set(["expiresIn"]);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (isSection(value) && Object.values(value).every(isEmpty));

const find = (section: unknown, path: string): unknown =>
  path === ""
    ? section
    : path.split(".").reduce((value: unknown, step) => (isSection(value) ? value[step] : undefined), section);

function unusedIn(section: unknown, rows: Readonly<Record<string, string>>, owner: string): [string, string][] {
  return Object.entries(rows).filter(([key]) => {
    const value = find(section, key);
    const name = `${owner}.${key}`;
    return !isEmpty(value) && !(Object.hasOwn(FULFILLED, name) && FULFILLED[name] === value);
  });
}

/** Adds warnings about parts of `config/plugins` that have no effect. */
export function warnAboutPlugins(plugins: Section, file: string, report: ProjectReport): void {
  for (const [name, rows] of Object.entries(pluginReasons)) {
    const config = find(plugins, `${name}.config`);
    for (const [key, reason] of unusedIn(config, rows, name))
      report.warn(file, `${name}.config.${key}`, `has no effect: ${reason}`);
  }
  const apollo = find(plugins, "graphql.config.apolloServer");
  for (const [key, reason] of unusedIn(apollo, apolloReasons, "graphql.apolloServer"))
    if (!APOLLO_FLAGS.has(key) || isSection(find(apollo, key)))
      report.warn(file, `graphql.config.apolloServer.${key}`, `has no effect: ${reason}`);
  const jwt = find(plugins, "users-permissions.config.jwt");
  for (const key of Object.keys(isSection(jwt) ? jwt : {}))
    if (!OWN_JWT_OPTIONS.has(key))
      report.warn(
        file,
        `users-permissions.config.jwt.${key}`,
        "has no effect: tokens are signed with HS256, and have no other options",
      );
}

/** Migrations that Strapi runs at its start. */
function migrations(root: string): ProjectProblem[] {
  const folder = join(root, "database/migrations");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.(?:[cm]?[jt]s|sql)$/.test(name))
    .sort()
    .map((name) => ({
      file: `database/migrations/${name}`,
      key: undefined,
      reason: "is not run: tables follow the schema files",
    }));
}

/** What a project sets without effect, besides what is reported at each start. `report` gets problems of the files. */
export function unusedSettings(root: string, environment: Environment, report: ProjectReport): ProjectProblem[] {
  const files = new ConfigFiles(root, environment, report);
  const found = Object.entries(reasons).flatMap(([name, rows]) => {
    const { section, file } = files.section(name);
    return unusedIn(section, rows, name).map(([key, reason]) => ({ file, key: key || undefined, reason }));
  });
  return [...found, ...migrations(root)];
}
