/** The routes of an application: all of them are Elysia's, and no project can make two that Elysia does not take. */
import { afterEach, expect, test } from "bun:test";
import { contentRoutes } from "../../src/api/actions.ts";
import { createApp } from "../../src/server/app.ts";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { ADMIN, configFile, projectFolder, typeFile } from "../project.ts";

let project: Project | undefined;
let folder: ReturnType<typeof projectFolder> | undefined;
afterEach(async () => {
  await project?.close();
  folder?.remove();
});

function open(files: Readonly<Record<string, string>>) {
  folder = projectFolder({ ...configFile(), ...files });
  project = openProject(folder.root, { memory: true, publicRead: false, environment: {} });
  const app = createApp(project);
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await app.handle(new Request(`http://localhost${path}`, { headers: ADMIN, ...init }));
    return [response.status, await response.json().catch(() => undefined)];
  };
  return { project, app, ask };
}

/** A content-type whose plural is not the singular with an s. */
const typeNamed = (singular: string, plural: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typeFile(singular, { title: { type: "string" } })).map(([path, text]) => [
      path,
      text.replaceAll(`"${singular}s"`, `"${plural}"`),
    ]),
  );

test("every area's routes are listed", () => {
  const { app, project } = open({ ...typeFile("post", {}), ...typeFile("home", {}, { kind: "singleType" }) });
  const listed = app.routes.map(({ method, path }) => `${method} ${path}`);
  const content = contentRoutes(project.model).map(({ method, path }) => `${method} /api${path}`);
  expect(content).toContain("PUT /api/home");
  const others = [
    "ALL /_health",
    "ALL /graphql",
    "ALL /graphql/playground/*",
    "GET /api/i18n/locales",
    "POST /api/auth/local",
    "GET /api/content-type-builder/content-types/:uid",
    "POST /api/email",
    "POST /api/upload",
    "ALL /*",
  ];
  for (const route of [...content, ...others]) expect(listed).toContain(route);
  expect(new Set(listed).size).toBe(listed.length);
});

test("a parameter may have several names in one place", async () => {
  const { app, ask } = open(typeNamed("secret", "auth"));
  expect(app.routes.map(({ path }) => path)).toContain("/api/auth/:provider/callback");
  const init = {
    method: "POST",
    headers: { ...ADMIN, "content-type": "application/json" },
    body: JSON.stringify({ data: { title: "a" } }),
  };
  const [status, { data }] = (await ask("/api/auth", init)) as [number, { data: { documentId: string } }];
  expect(status).toBe(201);
  expect(await ask(`/api/auth/${data.documentId}`)).toMatchObject([200, { data: { title: "a" } }]);
  expect(await ask(`/api/AUTH/${data.documentId}/`)).toMatchObject([200, { data: { title: "a" } }]);
  expect(await ask("/api/auth/github/callback")).toMatchObject([
    400,
    { error: { message: "This provider is disabled" } },
  ]);
});

test("of two routes for one path the built-in one is served", async () => {
  const { app, ask } = open(typeNamed("member", "users"));
  expect(app.routes.filter(({ method, path }) => method === "GET" && path === "/api/users")).toHaveLength(1);
  // users have no envelope
  expect(await ask("/api/users")).toEqual([200, []]);
});

test("HEAD is answered as GET without the body, whichever way it is routed", async () => {
  const { app } = open(typeFile("post", {}));
  for (const path of ["/api/posts", "/api/posts/", "/api/content-type-builder/content-types/api::post.post"]) {
    const request = (method: string) => new Request(`http://localhost${path}`, { method, headers: ADMIN });
    const [got, head] = await Promise.all([app.handle(request("GET")), app.handle(request("HEAD"))]);
    expect([head.status, head.headers.get("content-type")]).toEqual([got.status, got.headers.get("content-type")]);
  }
});
