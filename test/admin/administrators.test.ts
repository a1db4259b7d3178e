/** `admin::user` and `/admin/users`: the one administrator, found by filters. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { configFile, projectFolder } from "../project.ts";

const folder = projectFolder(configFile({ tokens: [{ name: "admin", type: "admin", key: "admin" }] }));
const CT = "/content-manager/collection-types/admin::user";

let galley: Galley;
beforeAll(async () => {
  galley = await createGalley({ project: folder.root, memory: false, admin: true });
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

async function send(path: string, method = "GET") {
  const headers = { Authorization: "Bearer admin" };
  const response = await galley.fetch(new Request(`http://localhost${path}`, { method, headers }));
  // biome-ignore lint/suspicious/noExplicitAny: the body of any response
  return { status: response.status, body: (await response.json()) as any };
}

test.each([
  ["", 1],
  ["filters[email][$eq]=admin@example.com", 1],
  ["filters[email][$eq]=x", 0],
  ["filters[$or][0][firstname]=x&filters[$or][1][firstname][$contains]=dmi", 1],
  ["filters[firstname][$startsWith]=B&_q=a", 0],
  ["filters[isActive][$eq]=false", 0],
  // conditions on secrets are dropped
  ["filters[password][$startsWith]=$2", 1],
  ["sort=email:desc", 1],
])("/admin/users?%s", async (query, count) => {
  const { body } = await send(`/admin/users?${query}`);
  expect([body.data.results.length, body.data.pagination.total]).toEqual([count, count]);
});

test("invalid filters and orders are refused", async () => {
  expect((await send("/admin/users?filters=x")).body.error.message).toBe(
    "The filters parameter must be an object or an array",
  );
  expect((await send("/admin/users?sort=nothing")).body.error.message).toBe("Invalid key nothing");
});

test("the content manager reads the administrator, without secrets", async () => {
  const { body } = await send(CT);
  const [user] = body.results;
  expect(user).toMatchObject({ id: 1, email: "admin@example.com", roles: { count: 1 } });
  for (const name of ["password", "resetPasswordToken", "registrationToken"]) expect(user).not.toHaveProperty(name);
  expect((await send(`${CT}/${user.documentId}`)).body.data).toEqual(user);
  expect((await send(`${CT}/nothing`)).status).toBe(404);
  expect((await send(`${CT}/${user.documentId}`, "DELETE")).status).toBe(403);
});
