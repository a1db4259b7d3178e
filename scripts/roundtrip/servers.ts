/** Runs Galley from source and Strapi over project folders that a round trip made. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/free-port.ts";
import { layOut, start } from "../conformance/reference.ts";
import type { Server } from "./compare.ts";

export const API_TOKEN = "roundtrip-full-access";
export const TRANSFER_TOKEN = "roundtrip-transfer-token";

const MAIN = join(import.meta.dir, "../../src/main.ts");

export interface RunningServer extends Server {
  stop(): Promise<void>;
}

/** Both tokens, which survive imports; content, roles and settings come from elsewhere. */
const INDEX = `module.exports = {
  async bootstrap({ strapi }) {
    if (await strapi.db.query('admin::api-token').findOne({ where: { name: 'roundtrip' } })) return;
    const accessKey = require('crypto').createHmac('sha512', strapi.config.get('admin.apiToken.salt')).update('${API_TOKEN}').digest('hex');
    await strapi.db.query('admin::api-token').create({ data: { name: 'roundtrip', description: '', type: 'full-access', accessKey, lifespan: null, expiresAt: null, kind: 'content-api' } });
    await strapi.service('admin::transfer').token.create({ name: 'roundtrip', description: '', permissions: ['push', 'pull'], lifespan: null, accessKey: '${TRANSFER_TOKEN}' });
  },
};
`;

/** A folder for Strapi with the schemas of `schemas`. */
export function referenceProject(reference: string, schemas: string): string {
  const folder = layOut(reference, schemas);
  writeFileSync(join(folder, "src/index.js"), INDEX);
  return folder;
}

/** Throws with its last output for a command of Strapi's that fails. */
export async function strapi(folder: string, ...args: string[]): Promise<void> {
  await run(["node", "node_modules/.bin/strapi", ...args], folder);
}

/** Throws with its last output for a command of Galley's that fails. Returns what it printed. */
export const galley = (...args: string[]): Promise<string> => run([process.execPath, MAIN, ...args], undefined);

async function run(command: string[], cwd: string | undefined): Promise<string> {
  const child = Bun.spawn(command, {
    ...(cwd === undefined ? {} : { cwd }),
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, NODE_ENV: "production", STRAPI_TELEMETRY_DISABLED: "true" },
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.slice(-4).join(" ")} ended with ${code}:\n${(out + err).slice(-3_000)}`);
  return out;
}

export async function startReference(folder: string): Promise<RunningServer> {
  const running = await start(folder, await freePort());
  return { url: running.url, token: API_TOKEN, stop: () => running.stop() };
}

/** Settings of a project that only the round trip needs: its token, and page sizes as Strapi has them. */
export function configureGalley(folder: string): void {
  mkdirSync(join(folder, "config"), { recursive: true });
  const file = join(folder, "config/galley.json");
  const settings = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as object) : {};
  const tokens = [{ name: "roundtrip", type: "full-access", key: API_TOKEN }];
  writeFileSync(file, JSON.stringify({ ...settings, tokens }, null, 2));
  const graphql = { config: { depthLimit: 30, maxLimit: 100 } };
  writeFileSync(join(folder, "config/plugins.json"), JSON.stringify({ graphql }, null, 2));
}

const START_MS = 60_000;

export async function startGalley(folder: string): Promise<RunningServer> {
  const port = await freePort();
  const server = Bun.spawn([process.execPath, MAIN, "serve", folder, "--port", String(port)], {
    stdout: "ignore",
    stderr: "inherit",
  });
  const url = `http://127.0.0.1:${port}`;
  for (const end = Date.now() + START_MS; Date.now() < end && server.exitCode === null; await Bun.sleep(50)) {
    const response = await fetch(`${url}/_health`).catch(() => undefined);
    if (response?.status === 204)
      return {
        url,
        token: API_TOKEN,
        stop: async () => {
          server.kill();
          await server.exited;
        },
      };
  }
  server.kill();
  throw new Error(`galley serve ${folder} did not come up`);
}
