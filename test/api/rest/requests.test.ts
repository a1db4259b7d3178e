/** What every route has in common: methods, origins, and bodies in several spellings. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readBody } from "../../../src/api/rest/body.ts";
import { BODY_DEFAULTS } from "../../../src/engine/config/body-settings.ts";
import { ADMIN, type Body, type TestApp, testApp, typeFile } from "../../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp(typeFile("tag", { label: { type: "string" } }));
});
afterAll(() => app.close());

const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  app.handle(new Request(`http://localhost${path}`, { method, headers }));

describe("an OPTIONS that is not a preflight", () => {
  for (const path of ["/api/tags", "/api/unknown", "/uploads/x.png", "/_health", "/graphql", "/"])
    test(`${path}: says nothing about origins`, async () => {
      const { headers } = await ask("OPTIONS", path, { origin: "https://a.example" });
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(headers.get("vary")).toBe("Origin");
    });
});

test("methods that nobody knows are told which are known", async () => {
  const { status, headers } = await ask("PURGE", "/api/tags");
  expect([status, headers.get("allow")]).toEqual([501, "HEAD, GET, POST"]);
});

test("the root leads to the administration, in words too", async () => {
  const response = await ask("GET", "/");
  expect([response.status, response.headers.get("location")]).toEqual([302, "/admin"]);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await response.text()).toBe("Redirecting to /admin.");
});

test.each([
  ["https://cms.example.com/base/", "https://cms.example.com/base/admin"],
  ["/base", "/base/admin"],
])("the root of a server that is published at %s leads to its admin page there", async (url, location) => {
  const published = await testApp({ "config/server.json": JSON.stringify({ url }) });
  const response = await published.handle(new Request("http://localhost/"));
  expect([response.status, response.headers.get("location")]).toEqual([302, location]);
  await published.close();
});

test.each(["/", "https://panel.example.com/"])("a page at the root, %s, is no redirect to itself", async (url) => {
  const published = await testApp({
    "config/server.json": JSON.stringify({ url: "https://cms.example.com/base" }),
    "config/admin.json": JSON.stringify({ url }),
  });
  const response = await published.handle(new Request("http://localhost/"));
  expect(response.headers.get("location")).toBe("admin");
  await published.close();
});

test.each([
  [{ url: "/dashboard" }, "/dashboard", "admin"],
  [{ url: "/dashboard" }, "/dashboard/auth/login", "../../admin"],
  [{ url: "https://cms.example.com/studio/" }, "/studio", "admin"],
  [{ url: "/dashboard" }, "/dashboards", null],
  [{ url: "https://studio.example.com" }, "/studio", null],
  [{}, "/admin/nothing", null],
])("with %j of config/admin, %s leads to %s", async (config, path, location) => {
  const galley = await testApp({ "config/admin.json": JSON.stringify(config) });
  const response = await galley.handle(new Request(`http://localhost${path}`));
  expect([response.status, response.headers.get("location")]).toEqual([location === null ? 404 : 302, location]);
  await galley.close();
});

test("dots are brackets in url-encoded bodies", async () => {
  const headers = { ...ADMIN, "content-type": "application/x-www-form-urlencoded" };
  const request = new Request("http://localhost/api/tags", { method: "POST", headers, body: "data.label=dotted" });
  const response = await app.handle(request);
  expect([response.status, ((await response.json()) as Body).data.label]).toEqual([201, "dotted"]);
});

describe("data that is a list", () => {
  const cases: readonly [unknown, string | RegExp][] = [
    [[{ nope: 1 }], "Invalid key nope"],
    [[[{ nope: 1 }]], "Invalid key nope"],
    [[{ id: 1 }], "Invalid key id"],
    [[{ label: "a" }], /^this must be a `object` type.*"label": "\\"a\\""/s],
    [["x", 5, null], /cast from the value `\[\n {2}\{\n {4}"0": "\\"x\\""\n {2}\},\n {2}\{\},\n {2}\{\}\n\]/],
    [[], /cast from the value `\[\]`/],
  ];
  for (const [data, message] of cases)
    test(`${JSON.stringify(data)} is refused, its keys first`, async () => {
      const { status, body } = await app.call("POST", "/api/tags", { data });
      expect(status).toBe(400);
      expect(body.error.message).toMatch(message);
    });
});

describe("bodies in other spellings", () => {
  const cases: readonly [string, string, string, string | undefined][] = [
    ["a field of a form without a value is an empty text", "application/x-www-form-urlencoded", "data[label]", ""],
    ["a JSON patch is JSON", "application/json-patch+json", '{"data":{"label":"patched"}}', "patched"],
    ["blanks are not an object", "application/json", "  ", undefined],
    ["words are not an object", "application/json", "nonsense", undefined],
  ];
  for (const [title, type, body, label] of cases)
    test(title, async () => {
      const headers = { ...ADMIN, "content-type": type };
      const response = await app.handle(new Request("http://localhost/api/tags", { method: "POST", headers, body }));
      const answer = (await response.json()) as Body;
      if (label === undefined) expect(answer.error.message).toBe("invalid JSON, only supports object and array");
      else expect([response.status, answer.data.label]).toEqual([201, label]);
    });
});

test("an empty JSON body whose length is told is an object without data", async () => {
  const send = (headers: Readonly<Record<string, string>>) => {
    const request = new Request("http://localhost/api/tags", { method: "POST", headers, body: "" });
    return readBody(request, BODY_DEFAULTS);
  };
  const type = { "content-type": "application/json" };
  expect([await send({ ...type, "content-length": "0" }), await send(type)]).toEqual([{}, undefined]);
});
