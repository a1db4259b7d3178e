/** Every route of the admin, as somebody would use it who may not, and with bodies that none of them expects. */
import { afterAll, expect, test } from "bun:test";
import type { AdminRoute } from "../../src/admin/call.ts";
import { sign } from "../../src/admin/session/signed.ts";
import { createAdminRoutes } from "../../src/server/admin/services.ts";
import { createApp } from "../../src/server/app.ts";
import { openProject } from "../../src/server/project/project.ts";
import { componentFile, configFile, projectFolder, typeFile } from "../project.ts";

const SESSION = { cookie: `galley-admin-80=${sign("test-key", "session", 3_600_000, Date.now())}` };
const TOKEN = { authorization: "Bearer test-admin" };
const JSON_TYPE = { "content-type": "application/json" };
type Headers = Readonly<Record<string, string>>;

const folder = projectFolder({
  ...configFile({
    tokens: [
      { name: "admin", type: "admin", key: "test-admin" },
      { name: "full", type: "full-access", key: "test-full" },
    ],
  }),
  ...typeFile("post", { title: { type: "string" }, part: { type: "component", component: "part.one" } }),
  ...componentFile("part.one", { name: { type: "string" } }),
});
const environment = { ADMIN_JWT_SECRET: "test-key", JWT_SECRET: "test-users" };
const project = openProject(folder.root, { memory: true, publicRead: false, admin: () => true, environment });
const app = createApp(project);
afterAll(async () => {
  await project.close();
  folder.remove();
});

interface Place {
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
  /** For sessions of the page; others are for tokens. */
  readonly isOfPage: boolean;
}

function createPlace({ method, path, isPublic }: AdminRoute, isOfPage: boolean): Place {
  const filled = path
    .replace(/:(?:uid|model)\b/g, "api::post.post")
    .replace(/:targetField/g, "part")
    .replace(/:\w+/g, "1");
  return { method, path: filled, isPublic: isPublic === true, isOfPage };
}
const { routes, pageRoutes } = createAdminRoutes(project);
const places: readonly Place[] = [
  ...routes.map((route) => createPlace(route, false)),
  ...routes.map((route) => createPlace({ ...route, path: `/admin/api${route.path}` }, true)),
  ...pageRoutes.map((route) => createPlace(route, true)),
];
const closed = places.filter(({ isPublic }) => !isPublic);

async function send({ method, path }: Pick<Place, "method" | "path">, headers: Headers, body = "{}") {
  const init = method === "GET" ? { method, headers } : { method, headers, body };
  const response = await app.handle(new Request(`http://localhost${path}`, init));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The places whose answer is not as expected. */
async function others(
  list: readonly Place[],
  headersOf: (place: Place) => Headers,
  isExpected: (answer: Awaited<ReturnType<typeof send>>) => boolean,
  body?: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const place of list) {
    const answer = await send(place, headersOf(place), body);
    if (!isExpected(answer)) found.push(`${place.method} ${place.path}: ${answer.status} ${answer.text.slice(0, 100)}`);
  }
  return found;
}

const strangers: Readonly<Record<string, (place: Place) => Headers>> = {
  nobody: () => ({}),
  "a token for content": () => ({ authorization: "Bearer test-full" }),
  "a forged session": () => ({ cookie: `galley-admin-80=${sign("another-key", "session", 3_600_000, Date.now())}` }),
  "a link in the place of a session": () => ({
    cookie: `galley-admin-80=${sign("test-key", "link", 3_600_000, Date.now())}`,
  }),
  "the credentials for the other paths": ({ isOfPage }) => (isOfPage ? TOKEN : SESSION),
};
for (const [name, credentials] of Object.entries(strangers))
  test(`${name} may use no route`, async () => {
    const headersOf = (place: Place) => ({ ...JSON_TYPE, ...credentials(place), "sec-fetch-site": "same-origin" });
    expect(await others(closed, headersOf, ({ status }) => status === 401)).toEqual([]);
  });

const pages: Readonly<Record<string, Headers>> = {
  "of another site": { ...JSON_TYPE, "sec-fetch-site": "cross-site" },
  "of another port": { ...JSON_TYPE, "sec-fetch-site": "same-site" },
  "of another origin": { ...JSON_TYPE, origin: "http://localhost:8080" },
  "without an origin": { ...JSON_TYPE, origin: "null" },
  "that sends a form": { "content-type": "text/plain" },
  "of a name that leads here": { ...JSON_TYPE, "sec-fetch-site": "same-origin", host: "localhost.example.com" },
};
for (const [name, headers] of Object.entries(pages))
  test(`a page ${name} may use no route with the session of the admin page`, async () => {
    const isRefused = ({ status, headers }: Awaited<ReturnType<typeof send>>) =>
      status === 403 && !headers.has("access-control-allow-origin");
    const ofPage = closed.filter(({ isOfPage }) => isOfPage);
    expect(await others(ofPage, () => ({ ...SESSION, ...headers }), isRefused)).toEqual([]);
  });

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const wrong = { toString: 1, constructor: { prototype: { a: 1 } }, data: [], ids: "x", name: { toString: 1 } };
const bodies: Readonly<Record<string, readonly [body: string, type?: string]>> = {
  "a list": ["[]"],
  null: ["null"],
  "a text": ["x", "text/plain"],
  "half an object": ['{"a"'],
  "500 levels": [nested(500)],
  "values of wrong types": [
    JSON.stringify({ ...wrong, permissions: { a: 1 }, contentType: 5, components: "x", kind: "constructor" }),
  ],
  "a prototype": ['{"__proto__":{"a":1},"change":{"__proto__":1}}'],
  "a form with a broken header": [
    '--B\r\nContent-Disposition: form-data; name="files"; filename="\0"\r\n\r\nx\r\n--B\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nx',
    "multipart/form-data; boundary=B",
  ],
};
for (const [name, [body, type = "application/json"]] of Object.entries(bodies))
  test(`no route fails for ${name}`, async () => {
    const headersOf = ({ isOfPage }: Place) => ({
      ...(isOfPage ? { ...SESSION, "sec-fetch-site": "same-origin" } : TOKEN),
      "content-type": type,
    });
    const writing = closed.filter(({ method, path }) => method !== "GET" && !path.endsWith("/session"));
    const isFine = ({ status, text }: Awaited<ReturnType<typeof send>>) => status < 500 && text.length < 20_000;
    expect(await others(writing, headersOf, isFine, body)).toEqual([]);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

test("a configuration is shown, whatever was sent for attributes that the type does not have", async () => {
  const path = "/content-manager/content-types/api::post.post/configuration";
  const metadatas = { other: [[1]], nothing: null, odd: { day: 0 } };
  for (const body of [{ settings: null, metadatas, layouts: null }, { metadatas: { title: {} } }, { metadatas }]) {
    const headers = { ...TOKEN, ...JSON_TYPE };
    expect((await send({ method: "PUT", path }, headers, JSON.stringify(body))).status).toBeLessThan(500);
    expect((await send({ method: "GET", path }, headers)).status).toBe(200);
  }
});

test("a request selects at most 1,000 files and folders", async () => {
  const fileIds = Array.from({ length: 1001 }, (_, index) => index + 1);
  const post = (action: string, body: object) =>
    send({ method: "POST", path: `/upload/actions/${action}` }, { ...TOKEN, ...JSON_TYPE }, JSON.stringify(body));
  for (const [action, rest] of [
    ["bulk-delete", {}],
    ["bulk-move", { destinationFolderId: null }],
  ] as const) {
    const refused = await post(action, { fileIds, ...rest });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("At most 1000 files and folders");
    expect((await post(action, { fileIds: fileIds.slice(1), ...rest })).status).toBe(200);
  }
});
