/** Every route of the admin, asked by those who may not: a new route is among them by itself. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AdminRoute } from "../../src/admin/call.ts";
import { API_PATH } from "../../src/admin/session/session.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import { createAdminRoutes } from "../../src/server/admin/services.ts";
import { openProject } from "../../src/server/project/project.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";
import { signedIn } from "./signed-in.ts";

const KEY = "a key for tests";
/** These say nothing but that nobody signs in here, and begin and end sessions. */
const PUBLIC = [
  "GET /admin/init",
  "GET /admin/project-type",
  "GET /admin/registration-info",
  "POST /admin/access-token",
  "POST /admin/forgot-password",
  "POST /admin/login",
  "POST /admin/register",
  "POST /admin/register-admin",
  "POST /admin/reset-password",
  "POST /admin/api/session",
  "POST /admin/api/session/link",
  "DELETE /admin/api/session",
];

const folder = projectFolder({
  ...typeFile("note", { text: { type: "string" } }),
  ...configFile({ tokens: [{ name: "full", type: "full-access", key: "full" }] }),
});
const options = { memory: false, admin: true, environment: { ADMIN_JWT_SECRET: KEY } };

let galley: Galley;
let cookie: string;
let ofReference: readonly AdminRoute[];
let ofPage: readonly AdminRoute[];
beforeAll(async () => {
  const project = openProject(folder.root, { memory: false, publicRead: false, environment: {} });
  const { routes, pageRoutes } = createAdminRoutes(project);
  ofReference = routes;
  ofPage = [...pageRoutes, ...routes.map((route) => ({ ...route, path: API_PATH + route.path }))];
  project.close();
  galley = await createGalley({ project: folder.root, ...options });
  cookie = await signedIn(galley, KEY);
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

const nameOf = ({ method, path }: AdminRoute): string => `${method} ${path}`;
const isOpen = (route: AdminRoute): boolean => PUBLIC.includes(nameOf(route).replace(`${API_PATH}/admin/`, "/admin/"));

/** The routes that answer with another status than these. */
async function answering(
  routes: readonly AdminRoute[],
  refusals: readonly number[],
  headers: Record<string, string>,
): Promise<string[]> {
  const open: string[] = [];
  for (const route of routes) {
    const path = route.path.replace(/:\w+/g, "1");
    const json = route.method === "GET" ? {} : { body: "{}", headers: { "content-type": "application/json" } };
    const init = { method: route.method, ...json, headers: { host: "localhost", ...json.headers, ...headers } };
    const { status } = await galley.handle(new Request(`http://localhost${path}`, init));
    if (!refusals.includes(status)) open.push(`${nameOf(route)}: ${status}`);
  }
  return open;
}

test("there are many, and those that are public are these", () => {
  expect(ofReference.length).toBeGreaterThan(100);
  const open = [...ofReference, ...ofPage].filter(({ isPublic }) => isPublic).filter((route) => !isOpen(route));
  expect(open.map(nameOf)).toEqual([]);
});

test.each([
  ["nobody", {}],
  ["the holder of a token of the Content API", { authorization: "Bearer full" }],
  ["a wrong token", { authorization: "Bearer x" }],
])("%s gets nothing at Strapi's paths", async (_, headers) => {
  const closed = ofReference.filter(({ isPublic }) => !isPublic);
  expect(await answering(closed, [401], headers)).toEqual([]);
});

test("a session is not a credential there", async () => {
  const closed = ofReference.filter(({ isPublic }) => !isPublic);
  expect(await answering(closed, [401], { cookie })).toEqual([]);
});

test("nobody gets anything at the page's paths without a session", async () => {
  const closed = ofPage.filter((route) => !route.isPublic);
  const own = { "sec-fetch-site": "same-origin", "x-galley-admin": "1" };
  expect(await answering(closed, [401], own)).toEqual([]);
});

test.each([
  ["another site", { "sec-fetch-site": "cross-site" }],
  ["another port of this host", { "sec-fetch-site": "same-site", origin: "http://localhost:8080" }],
  ["another host", { host: "evil.example" }],
])("%s gets nothing with the session's cookie", async (_, headers) => {
  expect(await answering(ofPage, [403], { cookie, ...headers })).toEqual([]);
});
