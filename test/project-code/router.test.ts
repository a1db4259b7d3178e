/** Parameters of own routes, as Koa's router finds them. */
import { describe, expect, test } from "bun:test";
import { Router } from "../../src/project-code/http/router.ts";

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
      expect(new Router([route]).find("GET", path)).toEqual(params && { route, params });
    });
});
