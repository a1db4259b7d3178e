/** Clients of a project with code: where they come from reaches its code, and what the server answers by itself. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RunningProject, runProject } from "../../src/server/running.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";

const ADDRESS = "203.0.113.7";
let sent: WeakSet<Request>;
let running: RunningProject;
const folder = projectFolder({
  ...configFile({
    auth: { ratelimit: { max: 3 } },
    roles: { public: ["plugin::users-permissions.auth.callback", "plugin::users-permissions.auth.register"] },
  }),
  ...typeFile("note", { title: { type: "string" } }),
  "src/api/note/controllers/note.js": `module.exports = { where: (ctx) => ctx.ip };`,
  "src/api/note/routes/note.js": `module.exports = { routes: [{ method: "GET", path: "/where", handler: "note.where", config: { auth: false } }] };`,
  "src/middlewares/query.js": `module.exports = () => (ctx, next) => { if (ctx.method === "POST") ctx.query.seen = "1"; return next(); };`,
  "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::query", "strapi::body", "global::query"];`,
});

beforeAll(async () => {
  running = await runProject(folder.root, {
    environment: {},
    memory: false,
    publicRead: false,
    watch: false,
    report: () => {},
  });
  sent = new WeakSet();
  // knows only the requests that came in, as Bun's server does
  running.attachServer({ requestIP: (request) => (sent.has(request) ? { address: ADDRESS } : null) });
});

afterAll(async () => {
  await running.close();
  folder.remove();
});

function send(path: string, init: RequestInit = {}): Promise<Response> {
  const request = new Request(`http://localhost${path}`, init);
  sent.add(request);
  return running.handle(request);
}

test("code sees the address of the client", async () => {
  expect(await (await send("/api/where")).text()).toBe(ADDRESS);
});

test("guesses of passwords are counted by client, also behind middlewares that change the request", async () => {
  const statuses: number[] = [];
  for (let guess = 0; guess < 5; guess++) {
    const body = JSON.stringify({ identifier: `user${guess}`, password: "guess" });
    const headers = { "content-type": "application/json" };
    statuses.push((await send("/api/auth/local", { method: "POST", headers, body })).status);
  }
  expect(statuses).toEqual([400, 400, 400, 429, 429]);
});
