/** `sessions.cookie` of users-permissions, and the cookie that is made of it. */
import { expect, test } from "bun:test";
import { refreshCookie } from "../../../src/engine/access/sessions.ts";
import { cookieSettings } from "../../../src/engine/config/cookie-settings.ts";
import { Reader } from "../../../src/engine/config/reader.ts";
import type { Settings } from "../../../src/engine/config/settings.ts";
import { ProjectReport } from "../../../src/lib/errors.ts";

function createCookie(cookie: object, token = "t", environment = {}) {
  const report = new ProjectReport();
  const settings = cookieSettings(new Reader({ sessions: { cookie } }, "config/plugins.js", report));
  const auth = { cookie: settings, idleRefreshTokenLifespan: 60 };
  return { cookie: refreshCookie(token, { auth, environment } as Settings), warnings: report.warnings.length };
}

const cases: readonly (readonly [cookie: object, expected: string])[] = [
  [{}, "strapi_up_refresh=t; Path=/; HttpOnly; SameSite=Lax"],
  [{ name: "own", sameSite: "Strict" }, "own=t; Path=/; HttpOnly; SameSite=Strict"],
  [{ path: "/api", secure: true }, "strapi_up_refresh=t; Path=/api; Secure; HttpOnly; SameSite=Lax"],
  [
    { domain: "example.com", maxAge: 5000 },
    "strapi_up_refresh=t; Domain=example.com; Path=/; Max-Age=5; HttpOnly; SameSite=Lax",
  ],
];
test.each(cases)("%p is followed", (given, expected) => {
  expect(createCookie(given)).toEqual({ cookie: expected, warnings: 0 });
});

test("the cookie is secure in production, unless the project says otherwise", () => {
  const production = { NODE_ENV: "production" };
  expect(createCookie({}, "t", production).cookie).toContain("; Secure");
  expect(createCookie({ secure: false }, "t", production).cookie).not.toContain("Secure");
});

test("an empty token deletes the cookie", () => {
  expect(createCookie({ maxAge: 5000 }, "").cookie).toContain("Max-Age=0;");
});

test("values that no cookie can have are reported, and have no effect", () => {
  for (const invalid of [{ name: "a;b" }, { path: "api" }, { path: "/;x" }, { domain: "a b" }, { sameSite: "always" }])
    expect(createCookie(invalid)).toEqual({ cookie: createCookie({}).cookie, warnings: 1 });
});
