/**
 * Starts Strapi: a real Strapi 5, from the npm registry, over a project of schema files.
 * `bun reference.ts install DIR` installs it once (about 750 MB, two to three minutes).
 * `bun reference.ts start DIR PROJECT PORT` runs it on a project until it is stopped.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The version of the recordings. */
export const VERSION = "5.54.0";

export const PLUGINS = ["@strapi/plugin-users-permissions", "@strapi/plugin-graphql"] as const;

/** `packages`: versions of Strapi's packages that are not `version`, for all that depend on them. */
export function install(dir: string, version = VERSION, packages: Readonly<Record<string, string>> = {}): void {
  mkdirSync(dir, { recursive: true });
  const build = ["better-sqlite3", "sharp", "esbuild", "@swc/core"];
  writeFileSync(
    join(dir, "package.json"),
    JSON.stringify(
      {
        name: "reference",
        private: true,
        version: "0.0.0",
        dependencies: {
          "@strapi/strapi": version,
          ...Object.fromEntries(PLUGINS.map((name) => [name, packages[name] ?? version])),
          "better-sqlite3": "^12.0.0",
          react: "^18.0.0",
          "react-dom": "^18.0.0",
          "react-router-dom": "^6.0.0",
          "styled-components": "^6.0.0",
        },
        overrides: packages,
        strapi: { uuid: "reference" },
        allowScripts: Object.fromEntries(build.map((b) => [b, true])),
      },
      null,
      1,
    ),
  );
  const r = Bun.spawnSync(["npm", "install", "--no-audit", "--no-fund"], {
    cwd: dir,
    stdout: "inherit",
    stderr: "inherit",
  });
  if (r.exitCode) throw new Error("npm install failed");
}

const BOOTSTRAP = `
const settings = __SETTINGS__;
const own = __OWN__;
module.exports = {
  async register(options) {
    await own.register?.(options);
  },
  async bootstrap(options) {
    await setUp(options);
    await own.bootstrap?.(options);
  },
};
async function setUp({ strapi }) {
    const done = await strapi.db.query('strapi::core-store').findOne({ where: { key: 'conformance' } });
    if (done) return;
    const locales = strapi.plugin('i18n').service('locales');
    for (const l of settings.locales || []) {
      const found = await locales.findByCode(l.code);
      if (!found) await locales.create({ code: l.code, name: l.name });
    }
    const expand = (list) => {
      const all = strapi.contentAPI.permissions.providers.action.keys();
      return [...new Set((list || []).flatMap((p) => p.endsWith('*') ? all.filter((a) => a.startsWith(p.slice(0, -1))) : [p]))];
    };
    for (const [type, actions] of Object.entries(settings.roles || {})) {
      const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type } });
      await strapi.db.query('plugin::users-permissions.permission').deleteMany({ where: { role: role.id } });
      for (const action of expand(actions)) await strapi.db.query('plugin::users-permissions.permission').create({ data: { action, role: role.id } });
    }
    for (const u of settings.users || []) {
      const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: u.role || 'authenticated' } });
      await strapi.plugin('users-permissions').service('user').add({ provider: 'local', blocked: false, confirmed: true, ...u, role: role.id });
    }
    const crypto = require('crypto');
    for (const t of (settings.tokens || []).filter((t) => t.type !== 'admin')) {
      const accessKey = crypto.createHmac('sha512', strapi.config.get('admin.apiToken.salt')).update(t.key).digest('hex');
      const token = await strapi.db.query('admin::api-token').create({ data: { name: t.name, description: '', type: t.type, accessKey, lifespan: null, expiresAt: null, kind: 'content-api' } });
      for (const action of expand(t.permissions)) await strapi.db.query('admin::api-token-permission').create({ data: { action, token: token.id } });
    }
    await strapi.db.query('strapi::core-store').create({ data: { key: 'conformance', value: 'true', type: 'string' } });
}
`;

/** Settings that Strapi asks for and that the recordings were made with. */
const configFiles: Readonly<Record<string, string>> = {
  server:
    "module.exports = ({ env }) => ({ host: '127.0.0.1', port: env.int('PORT', 1337), app: { keys: ['a', 'b'] }, mcp: { enabled: env.bool('MCP', false) } });",
  admin:
    "module.exports = () => ({ auth: { secret: 'adminsecret' }, apiToken: { salt: 'tokensalt' }, transfer: { token: { salt: 'transfersalt' } }, secrets: { encryptionKey: '0123456789abcdef0123456789abcdef' }, flags: { nps: false, promoteEE: false }, serveAdminPanel: false });",
  // $contains as documented and as on PostgreSQL; SQLite's own LIKE ignores ASCII case
  database: `const path = require('path'); module.exports = () => ({ connection: { client: 'sqlite', connection: { filename: path.join(__dirname, '..', 'data', 'data.db') }, useNullAsDefault: true${
    process.env.SQLITE_LIKE
      ? ""
      : ", pool: { min: 1, max: 1, afterCreate: (c, done) => { c.pragma('case_sensitive_like = true'); done(null, c); } }"
  } } });`,
  middlewares:
    "module.exports = ['strapi::logger','strapi::errors','strapi::security','strapi::cors','strapi::poweredBy','strapi::query','strapi::body','strapi::session','strapi::favicon','strapi::public'];",
  plugins:
    "module.exports = () => ({ graphql: { enabled: true, config: { endpoint: '/graphql', shadowCRUD: true, landingPage: false, depthLimit: 30, amountLimit: 1000, maxLimit: 100 } }, 'users-permissions': { config: { jwtSecret: 'jwtsecret', ratelimit: { enabled: false } } } });",
};

/** Strapi serves only types that have a router, a controller and a service. */
function writeFactories(folder: string, api: string, type: string): void {
  const kinds = { routes: "createCoreRouter", controllers: "createCoreController", services: "createCoreService" };
  for (const [kind, make] of Object.entries(kinds)) {
    mkdirSync(join(folder, kind), { recursive: true });
    const file = join(folder, kind, `${type}.js`);
    if (existsSync(file) || existsSync(file.replace(/js$/, "ts"))) continue;
    const text = `const { factories } = require('@strapi/strapi');\nmodule.exports = factories.${make}('api::${api}.${type}');\n`;
    writeFileSync(file, text);
  }
}

/** Lays out a runnable Strapi project around schema files; returns its folder. */
export function layOut(installDir: string, project: string): string {
  const dir = mkdtempSync(join(tmpdir(), "reference-"));
  cpSync(project, dir, { recursive: true });
  cpSync(join(installDir, "package.json"), join(dir, "package.json"));
  symlinkSync(join(installDir, "node_modules"), join(dir, "node_modules"));
  for (const folder of ["public/uploads", "config", "src/api", "src/extensions", "data"])
    mkdirSync(join(dir, folder), { recursive: true });
  for (const api of readdirSync(join(dir, "src/api"))) {
    const types = join(dir, "src/api", api, "content-types");
    for (const type of existsSync(types) ? readdirSync(types) : [])
      writeFactories(join(dir, "src/api", api), api, type);
  }
  const settingsFile = join(dir, "config/galley.json");
  const settings = existsSync(settingsFile) ? readFileSync(settingsFile, "utf8") : "{}";
  rmSync(settingsFile, { force: true });
  const index = join(dir, "src/index.js");
  const hasIndex = existsSync(index);
  if (hasIndex) renameSync(index, join(dir, "src/own-index.js"));
  const own = hasIndex ? "require('./own-index')" : "{}";
  writeFileSync(index, BOOTSTRAP.replace("__SETTINGS__", settings).replace("__OWN__", own));
  for (const [name, text] of Object.entries(configFiles)) {
    const file = join(dir, "config", name);
    if (!existsSync(`${file}.js`) && !existsSync(`${file}.json`)) writeFileSync(`${file}.js`, text);
  }
  return dir;
}

export interface Running {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const START_MS = 120_000;

/** Types may be changed then; what would start it again does nothing here. */
const DEVELOP = [
  "node",
  "-e",
  "require('@strapi/strapi').createStrapi({ appDir: process.cwd(), distDir: process.cwd(), autoReload: true, serveAdminPanel: false }).start()",
];

/** Starts Strapi in a folder that `layOut` made. Throws with its last output when it does not come up. */
export async function start(
  dir: string,
  port: number,
  environment: Record<string, string> = {},
  develops = false,
): Promise<Running> {
  const server = Bun.spawn(develops ? DEVELOP : ["node", "node_modules/.bin/strapi", "start"], {
    cwd: dir,
    stdout: "pipe",
    stderr: "pipe",
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: String(port),
      HOST: "127.0.0.1",
      STRAPI_TELEMETRY_DISABLED: "true",
      STRAPI_DISABLE_UPDATE_NOTIFICATION: "true",
      BROWSER: "none",
      ...environment,
    },
  });
  let log = "";
  const follow = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const chunk of stream) log = (log + new TextDecoder().decode(chunk)).slice(-3_000);
  };
  void follow(server.stdout);
  void follow(server.stderr);
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    server.kill();
    await server.exited;
  };
  for (const end = Date.now() + START_MS; Date.now() < end; await Bun.sleep(50)) {
    if (server.exitCode !== null) throw new Error(`Strapi stopped:\n${log}`);
    const response = await fetch(`${url}/_health`).catch(() => undefined);
    if (response?.status === 204) return { url, pid: server.pid, stop };
  }
  await stop();
  throw new Error(`Strapi did not come up:\n${log}`);
}

if (import.meta.main) {
  const [verb, dir, project, port] = process.argv.slice(2);
  if (verb === "install" && dir) install(dir);
  else if (verb === "start" && dir && project) {
    const { url } = await start(layOut(dir, project), Number(port ?? 1337));
    console.log(`reference at ${url}`);
  } else {
    console.error("usage: reference.ts install DIR | start DIR PROJECT [PORT]");
    process.exit(2);
  }
}
