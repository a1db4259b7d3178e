/** Parameters of own routes, as Koa's router finds them. */
import { describe, expect, test } from "bun:test";
import { Router } from "../../src/strapi/routes/router.ts";

const cases: readonly (readonly [pattern: string, path: string, params: Record<string, string> | undefined])[] = [
  ["/files/:path*", "/files", {}],
  ["/files/:path*", "/files/a", { path: "a" }],
  ["/files/:path*", "/files/a/b%20c", { path: "a/b c" }],
  ["/files/:path+", "/files/a/b", { path: "a/b" }],
  ["/files/:path+", "/files", undefined],
  ["/u/:a/:b*", "/u/1/2/3", { a: "1", b: "2/3" }],
  ["/x/(.*)", "/x/y/z", { 0: "y/z" }],
  ["/f/:name.:ext?", "/f/a", { name: "a" }],
  ["/:p(.*)", "/u/1", { p: "u/1" }],
  ["/n/:id(\\d+)", "/n/12", { id: "12" }],
  ["/n/:id(\\d+)", "/n/a", undefined],
  ["/n/:id", "/n/%E0%A4%A", { id: "%E0%A4%A" }],
];

describe("parameters", () => {
  for (const [pattern, path, params] of cases)
    test(`${pattern} of ${path}`, () => {
      const route = { method: "GET", path: pattern };
      const match = new Router([route]).find("GET", path);
      expect(match?.params).toEqual(params);
      expect(match?.route).toBe(params && route);
    });
});

test("captures are the parts of the path that match parameters, as received", () => {
  const route = { method: "GET", path: "/u/:a/:b*" };
  expect(new Router([route]).find("GET", "/u/1%20/2/3")?.captures).toEqual(["1%20", "2/3"]);
  expect(new Router([{ method: "GET", path: "/u" }]).find("GET", "/u")?.captures).toEqual([]);
});
