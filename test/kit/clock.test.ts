/** The clock of a test: what it governs, what runs when it is advanced, and what it refuses. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { signInLink } from "../../src/admin/session/session.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import { askAs } from "../admin/signed-in.ts";
import { type Body, configFile, projectFolder, relation, typeFile } from "../project.ts";

const KEY = "a key for tests";
const POST = "api::post.post";
const POSTS = `/content-manager/collection-types/${POST}`;
const START = "2030-01-01T00:00:00.000Z";
const JSON_TYPE = { "content-type": "application/json" };
const OWN = { host: "localhost", "sec-fetch-site": "same-origin", "x-galley-admin": "1", ...JSON_TYPE };

const files = {
  ...typeFile(
    "post",
    { title: { type: "string", required: true }, tags: relation("manyToMany", "tag") },
    { draftAndPublish: true },
  ),
  ...typeFile("tag", { name: { type: "string" } }),
};
const settings = {
  roles: {
    public: ["callback", "register", "forgotPassword", "resetPassword", "refresh"].map(
      (name) => `plugin::users-permissions.auth.${name}`,
    ),
  },
  users: [{ username: "ada", email: "ada@example.org", password: "secret of Ada" }],
};
const plugins = { "users-permissions": { config: { ratelimit: { enabled: true, interval: { min: 2 }, max: 5 } } } };
const folder = projectFolder({ ...files, ...configFile(settings), "config/plugins.json": JSON.stringify(plugins) });

let galley: Galley;
beforeAll(async () => {
  galley = await createGalley({ project: folder.root, admin: true, environment: { ADMIN_JWT_SECRET: KEY } });
});
afterEach(() => galley.reset());
afterAll(async () => {
  await galley.close();
  folder.remove();
});

const posts = (of: Galley = galley) =>
  of.documents<{ title: string; createdAt: string; publishedAt: string | null }>(POST);
const call = async (of: Galley, path: string, body?: object, headers: Record<string, string> = {}) => {
  const init = body
    ? { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) }
    : { headers };
  const response = await of.fetch(path, init);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
};
const logIn = (of: Galley = galley) => call(of, "/api/auth/local", { identifier: "ada", password: "secret of Ada" });
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function signIn(now: string): Promise<{ cookie: string; ask: ReturnType<typeof askAs> }> {
  const token = signInLink("http://localhost", KEY, Date.parse(now)).split("#")[1];
  const init = { method: "POST", headers: OWN, body: JSON.stringify({ token }) };
  const response = await galley.fetch("http://localhost/admin/api/session", init);
  expect(response.status).toBe(200);
  const cookie = response.headers.get("set-cookie")!.split(";")[0]!;
  return { cookie, ask: askAs(galley, cookie) };
}

describe("the clock", () => {
  test("is the machine's until it is set, stands then, and moves a millisecond with each write", async () => {
    const before = Date.now();
    const { createdAt } = await posts().create({ data: { title: "a" } });
    expect(Date.parse(createdAt as string)).toBeWithin(before, Date.now() + 1_000);
    expect(await galley.clock.set(START)).toBe(START);
    const [first, second] = [
      await posts().create({ data: { title: "b" } }),
      await posts().create({ data: { title: "c" } }),
    ];
    expect([first.createdAt, second.createdAt]).toEqual([START, "2030-01-01T00:00:00.001Z"]);
    await Bun.sleep(5);
    expect(await galley.clock.advance(0)).toBe("2030-01-01T00:00:00.002Z");
    expect(await galley.clock.advance("2 days")).toBe("2030-01-03T00:00:00.002Z");
    expect(await galley.clock.advance(500)).toBe("2030-01-03T00:00:00.502Z");
    const { entries } = await posts().publish({ documentId: first.documentId });
    expect(entries[0]).toMatchObject({ publishedAt: "2030-01-03T00:00:00.502Z" });
    expect(Math.abs(Date.parse(await galley.clock.reset()) - Date.now())).toBeLessThan(1_000);
  });

  test("may go back: times of writes follow it", async () => {
    await galley.clock.set(START);
    const { documentId } = await posts().create({ data: { title: "a" } });
    await galley.clock.set("2020-02-29");
    const updated = await posts().update({ documentId, data: { title: "b" } });
    expect(updated).toMatchObject({ createdAt: START, updatedAt: "2020-02-29T00:00:00.000Z" });
  });

  test("begins at `now`, and a reset of it or of the project returns there", async () => {
    await using fixed = await createGalley({ project: folder.root, now: START, environment: {} });
    await posts(fixed).create({ data: { title: "a" } });
    await fixed.clock.advance("1 week");
    expect((await fixed.clock.reset()).slice(0, 10)).toBe("2030-01-01");
    await fixed.clock.advance("1 week");
    await fixed.reset();
    expect((await posts(fixed).create({ data: { title: "a" } })).createdAt).toStartWith("2030-01-01");
  });

  test("of a branch is a copy of its parent's, and its own from then on", async () => {
    await galley.clock.set(START);
    await using branch = await galley.branch();
    await using machine = await createGalley({ project: folder.root, environment: {} });
    await branch.clock.advance("1 day");
    await using inner = await branch.branch();
    await galley.clock.advance("1 year");
    const times = [];
    for (const one of [galley, branch, inner])
      times.push((await posts(one).create({ data: { title: "a" } })).createdAt);
    expect(times).toEqual(["2031-01-01T06:00:00.000Z", "2030-01-02T00:00:00.000Z", "2030-01-02T00:00:00.000Z"]);
    expect(await branch.clock.reset()).toBe(START);
    expect(await machine.clock.reset()).toBeString();
  });
});

describe("what the clock governs", () => {
  test("tokens of users: when they are issued, and when they expire", async () => {
    await galley.clock.set(START);
    const { jwt } = (await logIn()).body;
    const { iat, exp } = claimsOf(jwt);
    expect([iat, exp - iat]).toEqual([Date.parse(START) / 1000, 30 * 86_400]);
    const me = async () => (await call(galley, "/api/users/me", undefined, bearer(jwt))).status;
    await galley.documents("plugin::users-permissions.role").count();
    const asUser = async () => (await galley.as("authenticated").fetch("/api/users/me")).status;
    await galley.clock.advance("29 days");
    expect([await me(), await asUser()]).toEqual([200, 200]);
    await galley.clock.advance("1 day");
    expect([await me(), await asUser()]).toEqual([401, 200]);
    await galley.clock.set(START);
    expect(await me()).toBe(200);
  });

  test("sessions in refresh mode", async () => {
    const other = projectFolder({ ...files, ...configFile({ ...settings, auth: { jwtManagement: "refresh" } }) });
    await using app = await createGalley({ project: other.root, now: START, environment: {} });
    const { jwt, refreshToken } = (await logIn(app)).body;
    expect(claimsOf(jwt).iat).toBe(Math.floor(Date.parse(START) / 1000));
    const { body } = await call(app, "/api/auth/sessions", undefined, bearer(jwt));
    expect(body.data[0].loginAt).toStartWith("2030-01-01T00:00:00");
    await app.clock.advance("11 minutes");
    expect((await call(app, "/api/users/me", undefined, bearer(jwt))).status).toBe(401);
    const refresh = (token: string) => call(app, "/api/auth/refresh", { refreshToken: token });
    const renewed = await refresh(refreshToken);
    expect(renewed.status).toBe(200);
    await app.clock.advance("15 days");
    expect((await refresh(renewed.body.refreshToken ?? refreshToken)).status).toBe(401);
    other.remove();
  });

  test("codes of mails", async () => {
    await galley.clock.set(START);
    const forgot = () => call(galley, "/api/auth/forgot-password", { email: "ada@example.org" });
    const resetWith = async (code: string) =>
      (
        await call(galley, "/api/auth/reset-password", {
          code,
          password: "another 1",
          passwordConfirmation: "another 1",
        })
      ).status;
    const code = async (): Promise<string> => {
      await forgot();
      const link = (await galley.mails()).at(-1)!.links[0]!;
      return new URL(link).searchParams.get("code")!;
    };
    galley.serve();
    const late = await code();
    await galley.clock.advance("1 hour");
    expect(await resetWith(late)).toBe(400);
    const early = await code();
    await galley.clock.advance("59 minutes");
    expect(await resetWith(early)).toBe(200);
  });

  test("API tokens: when they expire, and when they were last used", async () => {
    await galley.clock.set(START);
    const { ask } = await signIn(START);
    const token = { name: "week", description: "", type: "full-access", lifespan: 7 * 86_400_000 };
    const { body, status } = await ask("POST", "/admin/api-tokens", token);
    expect([status, body.data.expiresAt]).toEqual([201, "2030-01-08T00:00:00.000Z"]);
    const use = async () => (await call(galley, "/api/posts", undefined, bearer(body.data.accessKey))).status;
    await galley.clock.set("2030-01-07T12:00:00Z");
    expect(await use()).toBe(200);
    expect((await ask("GET", `/admin/api-tokens/${body.data.id}`)).body.data.lastUsedAt).toBe(
      "2030-01-07T12:00:00.000Z",
    );
    await galley.clock.advance("12 hours");
    expect(await use()).toBe(401);
  });

  test("sessions of the admin page, and their links", async () => {
    await galley.clock.set(START);
    const { ask } = await signIn(START);
    const status = async () => (await ask("GET", POSTS)).status;
    await galley.clock.advance("29 days");
    expect(await status()).toBe(200);
    await galley.clock.advance("1 day");
    expect(await status()).toBe(401);
    const token = signInLink("http://localhost", KEY, Date.parse(START)).split("#")[1];
    const late = await galley.fetch("http://localhost/admin/api/session", {
      method: "POST",
      headers: OWN,
      body: JSON.stringify({ token }),
    });
    expect(late.status).toBe(401);
  });

  test("all times from 1970 to 9999", async () => {
    for (const time of [0, "9998-12-31T23:00:00Z"]) {
      const at = await galley.clock.set(time);
      const { ask } = await signIn(at);
      expect((await ask("GET", POSTS)).status).toBe(200);
      expect((await galley.as("authenticated").fetch("/api/users/me")).status).toBe(200);
      await posts().create({ data: { title: at } });
    }
  });

  test("rate limits, which going back does not prolong", async () => {
    await galley.clock.set(START);
    const statuses = async (): Promise<number[]> => {
      const seen = [];
      for (let index = 0; index < 7; index++) seen.push((await logIn()).status);
      return seen;
    };
    const limited = [200, 200, 200, 200, 200, 429, 429];
    expect(await statuses()).toEqual(limited);
    await galley.clock.advance("119 seconds");
    const { status, headers } = await logIn();
    expect([status, headers.get("x-ratelimit-reset")]).toEqual([
      429,
      String(Date.parse("2030-01-01T00:02:00Z") / 1000),
    ]);
    await galley.clock.advance("1 second");
    expect(await statuses()).toEqual(limited);
    await galley.clock.set("2020-01-01");
    await galley.clock.advance("2 minutes");
    expect((await logIn()).status).toBe(200);
  });

  test("the trash and the history", async () => {
    await galley.clock.set(START);
    const { ask } = await signIn(START);
    const { documentId } = (await ask("POST", POSTS, { title: "a" })).body.data;
    await galley.clock.advance("1 day");
    await ask("PUT", `${POSTS}/${documentId}`, { title: "b" });
    const { body } = await ask("GET", `/content-manager/history-versions?contentType=${POST}&documentId=${documentId}`);
    expect(body.data.map((version: Body) => version.createdAt.slice(0, 10))).toEqual(["2030-01-02", "2030-01-01"]);
    await ask("DELETE", `${POSTS}/${documentId}`);
    const deleted = async () =>
      (await ask("GET", "/trash")).body.results.map((one: Body) => one.deletedAt.slice(0, 10));
    expect(await deleted()).toEqual(["2030-01-02"]);
    await galley.clock.advance("28 days");
    expect(await deleted()).toEqual(["2030-01-02"]);
    const later = await signIn(await galley.clock.advance("3 days"));
    expect((await later.ask("GET", "/trash")).body).toEqual({ results: [] });
  });

  test("the change log, which forgets what is older than 30 days", async () => {
    await galley.clock.set(START);
    const feed = async (since = "") => {
      const response = await galley.as("full-access").fetch(`/galley/changes?status=draft&since=${since}`);
      return { status: response.status, body: (await response.json()) as Body };
    };
    const { token } = (await feed()).body;
    await posts().create({ data: { title: "a" } });
    expect((await feed(token)).body.changes).toHaveLength(1);
    await galley.clock.advance("29 days");
    await posts().create({ data: { title: "b" } });
    expect((await feed(token)).body.changes).toHaveLength(2);
    await galley.clock.advance("2 days");
    await posts().create({ data: { title: "c" } });
    expect((await feed(token)).status).toBe(410);
  });
});

describe("what is scheduled", () => {
  const schedule = async (ask: ReturnType<typeof askAs>, documentId: string, times: object) =>
    expect((await ask("PUT", "/schedule", { contentType: POST, documentId, ...times })).status).toBe(200);
  const online = async (documentId: string) => posts().findOne({ documentId, status: "published" });

  test("is done in order and at its time when the clock is advanced, and at once when it is set", async () => {
    await galley.clock.set(START);
    const { ask } = await signIn(START);
    const refused = await ask("PUT", "/schedule", {
      contentType: POST,
      documentId: "none",
      publish: "2029-12-31T00:00:00Z",
    });
    expect(refused.status).toBe(404);
    const made = await posts().create({ data: { title: "a" } });
    const { documentId } = made;
    const late = await ask("PUT", "/schedule", { contentType: POST, documentId, publish: "2029-12-31T00:00:00Z" });
    expect(late.body.error.message).toBe("The time to publish must be in the future");
    await schedule(ask, documentId, { publish: "2030-01-02T00:00:00Z", unpublish: "2030-01-03T00:00:00Z" });
    await galley.clock.advance("23 hours");
    expect(await online(documentId)).toBe(null);
    await galley.clock.advance("2 hours");
    expect((await online(documentId))?.publishedAt).toBe("2030-01-02T00:00:00.000Z");
    await galley.clock.advance("1 day");
    expect(await online(documentId)).toBe(null);
    await schedule(ask, documentId, { publish: "2030-02-01T00:00:00Z" });
    await galley.clock.set("2031-01-01");
    expect((await online(documentId))?.publishedAt).toStartWith("2031-01-01T00:00:00");
  });

  test("is all done, also if it is much, and what is invalid stays", async () => {
    await galley.clock.set(START);
    const { ask } = await signIn(START);
    const ids = [];
    for (let index = 0; index < 130; index++)
      ids.push((await posts().create({ data: { title: `t${index}` } })).documentId);
    for (const id of ids) await schedule(ask, id, { publish: "2030-01-02T00:00:00Z" });
    await galley.clock.advance("2 days");
    expect(await posts().count({ status: "published" })).toBe(130);
  }, 30_000);
});

describe("tasks of own code", () => {
  const cron = (tasks: string) => ({
    ...files,
    ...configFile(),
    "config/server.js": `module.exports = { cron: { enabled: true, tasks: { ${tasks} } } };`,
  });

  test("run when the clock is advanced: each time, in order, with the clock at their time", async () => {
    const own = projectFolder(
      cron(`
        daily: { task: async ({ strapi }, time) => {
          const post = await strapi.documents("${POST}").create({ data: { title: "daily " + time.toISOString() } });
          globalThis.ranAt.push(["daily", time.toISOString(), post.createdAt]);
        }, options: { rule: "0 0 12 * * *", tz: "UTC" } },
        hourly: { task: (_, time) => { globalThis.ranAt.push(["hourly", time.toISOString()]); if (time.getUTCHours() === 13) throw new Error("on purpose"); }, options: "0 0 */6 * * *" },
        once: { task: (_, time) => globalThis.ranAt.push(["once", time.toISOString()]), options: new Date("2030-01-01T07:00:00Z") },
        each: { task: () => globalThis.ranAt.push(["machine"]), options: { rule: "* * * * * *", end: new Date("2029-06-01T00:00:00Z") } },`),
    );
    const state = globalThis as { ranAt?: unknown[][] };
    state.ranAt = [];
    await using app = await createGalley({ project: own.root, now: START, environment: {} });
    await Bun.sleep(1_100);
    expect(state.ranAt).toEqual([]);
    await app.clock.advance("12 hours");
    expect(state.ranAt).toEqual([
      ["hourly", "2030-01-01T06:00:00.000Z"],
      ["once", "2030-01-01T07:00:00.000Z"],
      ["daily", "2030-01-01T12:00:00.000Z", "2030-01-01T12:00:00.000Z"],
      ["hourly", "2030-01-01T12:00:00.000Z"],
    ]);
    state.ranAt = [];
    await app.clock.set("2030-01-10");
    expect(state.ranAt).toEqual([]);
    await app.clock.advance("6 hours");
    expect(state.ranAt).toEqual([["hourly", "2030-01-10T06:00:00.000Z"]]);
    delete state.ranAt;
    own.remove();
  });

  test("run in each branch, with the `strapi` of that", async () => {
    const own = projectFolder(
      cron(
        `daily: { task: () => strapi.documents("${POST}").create({ data: { title: "daily" } }), options: "0 0 12 * * *" },`,
      ),
    );
    await using app = await createGalley({ project: own.root, now: START, environment: {} });
    await using one = await app.branch();
    await using two = await app.branch();
    await Promise.all([one.clock.advance("3 days"), two.clock.advance("1 day")]);
    expect([await posts(one).count(), await posts(two).count(), await posts(app).count()]).toEqual([3, 1, 0]);
    own.remove();
  });

  test("are bounded, and the clock stays where they ended", async () => {
    const own = projectFolder(
      cron(
        `each: { task: () => {}, options: { rule: "* * * * * *" } }, never: { task: () => {}, options: "0 0 31 2 *" },`,
      ),
    );
    await using app = await createGalley({ project: own.root, now: START, environment: {} });
    await expect(app.clock.advance("1 year")).rejects.toThrow(
      "More than 10000 tasks were due: the clock is at 2030-01-01T02:46:4",
    );
    expect(await app.clock.advance("10 seconds")).toStartWith("2030-01-01T02:46:5");
    own.remove();
  }, 30_000);
});

describe("what is no time", () => {
  const times = [
    "soon",
    "",
    "2030",
    "2030-02-30",
    "2030-1-1",
    "2030-01-01T00:00:00",
    "2030-01-01T25:00:00Z",
    "2030-01-01; DROP TABLE posts",
  ];
  const others = [
    -1,
    1e18,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    undefined,
    {},
    [],
    true,
    1n,
    new Date("no"),
    "9999-12-31",
  ];
  test.each([...times, ...others])("%p is refused, and changes nothing", async (time) => {
    await galley.clock.set(START);
    const error = await galley.clock.set(time as never).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toStartWith("time must be a time from 1970-01-01 to 9999-01-01");
    expect(await galley.clock.advance(0)).toBe(START);
    await expect(
      createGalley({ project: folder.root, now: time as never }).then((opened) =>
        opened.close().then(() => (time === undefined ? Promise.reject(new TypeError("not given")) : undefined)),
      ),
    ).rejects.toBeInstanceOf(TypeError);
  });

  const spans = [
    "",
    "soon",
    "-1 day",
    "2 fortnights",
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    undefined,
    {},
    1n,
    "9".repeat(400),
  ];
  test.each(spans)("a span of %p is refused, and changes nothing", async (span) => {
    await galley.clock.set(START);
    expect(await galley.clock.advance(span as never).catch((caught: unknown) => caught)).toBeInstanceOf(TypeError);
    expect(await galley.clock.advance(0)).toBe(START);
  });

  test("what leads beyond 9999 is refused as well, and so are two moves at once", async () => {
    await galley.clock.set(START);
    await expect(galley.clock.advance("9000 years")).rejects.toThrow(
      "the time after advance must be a time from 1970-01-01 to 9999-01-01",
    );
    const both = await Promise.allSettled([galley.clock.advance("1 day"), galley.clock.advance("1 day")]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(await galley.clock.advance(0)).toBe("2030-01-02T00:00:00.000Z");
  });
});
