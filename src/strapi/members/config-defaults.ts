/** What `strapi.config` has of sections and plugins that the project's files do not mention, as in Strapi. */
import { EMAIL_DEFAULTS } from "../../engine/config/providers.ts";
import type { Settings } from "../../engine/config/settings.ts";

type Tree = Record<string, unknown>;

const openApi = (name: string) => ({
  access: "disabled",
  route: { path: "/openapi.json" },
  cache: { enabled: true, maxAgeMs: 60_000, filePath: `.strapi/openapi/${name}.json` },
});

export const serverDefaults = (settings: Settings, host: string, port: number): Tree => ({
  host,
  port,
  proxy: false,
  app: { keys: [] },
  dirs: { public: `./${settings.server.publicFolder}` },
  cron: { enabled: false },
  transfer: { remote: { enabled: true } },
  logger: { updates: { enabled: true }, startup: { enabled: true } },
  openapi: { "content-api": openApi("content-api"), admin: openApi("admin") },
});

export const adminDefaults = (): Tree => ({
  forgotPassword: {
    emailTemplate: {
      subject: "Reset password",
      text: "A new password was asked for. This link sets it:\n\n<%= url %>\n\nIf it was not you, ignore this message.",
      html: "<p>A new password was asked for. This link sets it:</p><p><%= url %></p><p>If it was not you, ignore this message.</p>",
    },
  },
});

const signInDefaults = {
  jwt: { expiresIn: "30d" },
  jwtManagement: "legacy-support",
  sessions: {
    accessTokenLifespan: 600,
    maxRefreshTokenLifespan: 2_592_000,
    idleRefreshTokenLifespan: 1_209_600,
    maxSessionLifespan: 86_400,
    idleSessionLifespan: 7_200,
    httpOnly: false,
  },
  ratelimit: { interval: 60_000, max: 10 },
  layout: { user: { actions: { create: "contentManagerUser.create", update: "contentManagerUser.update" } } },
};

export const pluginDefaults = ({ upload, graphql }: Settings): Tree => ({
  upload: {
    enabled: true,
    provider: "local",
    sizeLimit: upload.sizeLimit,
    actionOptions: {},
    sharp: { cache: false, concurrency: 1 },
    concurrentUploadSize: 1,
    concurrentUploadRequests: 1,
  },
  email: EMAIL_DEFAULTS,
  // code may change values in place
  "users-permissions": structuredClone(signInDefaults),
  graphql: {
    shadowCRUD: true,
    endpoint: "/graphql",
    subscriptions: false,
    maxLimit: -1,
    apolloServer: {},
    v4CompatibilityMode: graphql.v4CompatibilityMode,
  },
  i18n: {},
  "content-manager": {},
  "content-type-builder": {},
});
