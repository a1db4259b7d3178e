/** `galley test-server`: branches over HTTP, for tests in any language. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { type Listening, listen } from "../../src/server/listen.ts";
import { type BranchServer, createBranchServer } from "../../src/testing/branch-server.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";
import { until } from "../until.ts";

const { root, remove } = projectFolder({
  ...typeFile("tag", { name: { type: "string", required: true, unique: true } }),
  ...configFile({
    users: [{ username: "ada", email: "ada@example.org", password: "secret of Ada" }],
    roles: { public: ["api::tag.tag.find", "plugin::users-permissions.auth.*"] },
  }),
});

interface Served {
  readonly url: string;
  readonly server: BranchServer;
  readonly listening: Listening;
}

async function serve(limits?: Parameters<typeof createBranchServer>[1], galley?: Galley): Promise<Served> {
  const options = { project: root, seed: 1, admin: true, environment: { NODE_ENV: "test" } };
  const server = createBranchServer(galley ?? (await createGalley(options)), limits);
  const listening = listen(server, { port: 0, host: "localhost", graceMs: 100 });
  const url = `http://localhost:${listening.port}`;
  server.setAddress(url);
  return { url, server, listening };
}
const stop = async ({ server, listening }: Served): Promise<void> => {
  await listening.stop();
  await server.close();
};

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(async () => {
  await stop(served);
  remove();
});

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  readonly body: any;
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(path.startsWith("http") ? path : served.url + path, init);
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}
const make = async (body?: object): Promise<{ name: string; url: string; from: string }> => {
  const { status, body: answer } = await ask("POST", "/_branches", body);
  expect(status).toBe(201);
  return answer.data;
};
const tags = async (base: string, headers?: Record<string, string>): Promise<string[]> =>
  (await ask("GET", `${base}/api/tags?sort=name`, undefined, headers)).body.data.map(
    ({ name }: { name: string }) => name,
  );

describe("branches", () => {
  test("are made, chosen by prefix or header, and dropped", async () => {
    const { name, url, from } = await make();
    expect([name, from, url]).toEqual(["branch-1", "main", `${served.url}/_branches/branch-1`]);
    const other = await make({ name: "other" });
    const made = await ask("POST", `${url}/_test/make`, ["tag", { name: "fog" }]);
    expect(made).toMatchObject({ status: 200, body: { data: { name: "fog", documentId: expect.any(String) } } });
    expect([await tags(url), await tags(other.url), await tags("")]).toEqual([["fog"], [], []]);
    expect(await tags("", { "X-Galley-Branch": name })).toEqual(["fog"]);
    const inner = await make({ from: name, name: "inner" });
    await ask("POST", `${inner.url}/_test/documents`, ["api::tag.tag", "create", { data: { name: "rain" } }]);
    await ask("POST", `${inner.url}/_test/documents`, ["api::tag.tag", "create", { data: { name: "sun" } }]);
    expect([await tags(inner.url), await tags(url)]).toEqual([["fog", "rain", "sun"], ["fog"]]);
    const { body } = await ask("GET", "/_branches");
    expect(body.data).toEqual([
      { name, from: "main", url },
      { name: "other", from: "main", url: other.url },
      { name: "inner", from: name, url: inner.url },
    ]);
    expect((await ask("DELETE", `/_branches/${name}`)).status).toBe(204);
    expect(await tags(inner.url)).toEqual(["fog", "rain", "sun"]);
    for (const branch of ["other", "inner"]) expect((await ask("DELETE", `/_branches/${branch}`)).status).toBe(204);
    expect((await ask("GET", "/_branches")).body.data).toEqual([]);
  });

  test("are chosen by the header from pages of other origins, too, as by Playwright's extraHTTPHeaders", async () => {
    const preflight = {
      Origin: "http://localhost:3000",
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "x-galley-branch",
    };
    const { headers } = await fetch(`${served.url}/api/tags`, { method: "OPTIONS", headers: preflight });
    expect(headers.get("access-control-allow-headers")).toBe(
      "Content-Type,Authorization,Origin,Accept, X-Galley-Branch",
    );
    const { headers: others } = await fetch(`${served.url}/api/tags`, { headers: { Origin: "http://localhost:3000" } });
    expect(others.has("access-control-allow-headers")).toBe(false);
  });

  test("that are unknown are errors in the envelope, wherever they are named", async () => {
    const expected = {
      status: 404,
      name: "NotFoundError",
      message: expect.stringContaining('no branch "gone"'),
      details: {},
    };
    for (const [method, path, headers] of [
      ["GET", "/_branches/gone/api/tags"],
      ["GET", "/api/tags", { "X-Galley-Branch": "gone" }],
      ["DELETE", "/_branches/gone"],
      ["POST", "/_branches/gone/_test/make"],
    ] as const) {
      const { status, body } = await ask(method, path, undefined, headers);
      expect([status, body]).toEqual([404, { data: null, error: expected }]);
    }
    expect((await ask("POST", "/_branches", { from: "gone" })).status).toBe(404);
    expect((await ask("GET", "/_branches/main/api/tags")).status).toBe(200);
    expect((await ask("GET", "/_branchesandmore")).status).toBe(404);
  });

  test("have names that cannot be anything else", async () => {
    for (const name of [
      "",
      "..",
      "../up",
      "a/b",
      "a%2fb",
      "-a",
      "a b",
      "a".repeat(65),
      "é",
      "main",
      7,
      null,
      ["a"],
      {},
    ])
      expect((await ask("POST", "/_branches", { name })).status).toBe(400);
    for (const path of ["/_branches/..%2f..%2fetc/api/tags", "/_branches/%00/api/tags", "/_branches/%E0%A4%A/"])
      expect((await ask("GET", path)).status).toBe(404);
    expect((await ask("POST", "/_branches", { nme: "a" })).body.error.message).toBe(
      "Invalid key nme; there are name and from",
    );
    expect((await ask("POST", "/_branches", ["a"])).status).toBe(400);
    const twice = await Promise.all([
      ask("POST", "/_branches", { name: "twin" }),
      ask("POST", "/_branches", { name: "twin" }),
    ]);
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 400]);
    await ask("DELETE", "/_branches/twin");
    expect((await ask("DELETE", "/_branches/main")).status).toBe(400);
  });

  test("are not for other sites, nor for hosts that lead here by their own DNS", async () => {
    const { url } = await make({ name: "private" });
    const others = { origin: "https://evil.example" };
    expect((await ask("POST", "/_branches", {}, others)).status).toBe(403);
    expect((await ask("POST", `${url}/_test/make`, ["tag"], others)).status).toBe(403);
    expect((await ask("DELETE", "/_branches/private", undefined, others)).status).toBe(403);
    expect((await ask("GET", "/_branches", undefined, { host: "evil.example" })).status).toBe(403);
    expect((await ask("GET", "/_branches", undefined, { origin: "http://localhost:3000" })).status).toBe(200);
    await ask("DELETE", "/_branches/private");
  });

  test("are bounded in number and in memory, and dropped when nobody uses them", async () => {
    const few = await serve({ count: 2 });
    const statuses = await Promise.all(Array.from({ length: 4 }, () => ask("POST", `${few.url}/_branches`)));
    expect(statuses.map(({ status }) => status).sort()).toEqual([201, 201, 503, 503]);
    expect(statuses.find(({ status }) => status === 503)?.body.error.message).toBe(
      "There are 2 branches: drop some with DELETE /_branches/NAME",
    );
    await stop(few);
    const small = await serve({ bytes: 1_000 });
    expect((await ask("POST", `${small.url}/_branches`)).status).toBe(503);
    await stop(small);
    const short = await serve({ unusedMs: 300 });
    await ask("POST", `${short.url}/_branches`, { name: "left" });
    await ask("POST", `${short.url}/_branches`, { name: "used" });
    let used = 0;
    await until("a branch that is not used is dropped", async () => {
      used = (await ask("GET", `${short.url}/_branches/used/api/tags`)).status;
      return (await ask("GET", `${short.url}/_branches`)).body.data.length === 1;
    });
    expect(used).toBe(200);
    await stop(short);
  });

  test("answer what they have received before they are dropped", async () => {
    const { url } = await make({ name: "slow" });
    await ask("POST", `${url}/_test/slow`, [150]);
    const answer = ask("GET", `${url}/api/tags`);
    await Bun.sleep(50);
    const [{ status }, dropped] = await Promise.all([answer, ask("DELETE", "/_branches/slow")]);
    expect([status, dropped.status]).toEqual([200, 204]);
  });
});

describe("below its prefix, a branch", () => {
  test("has uploads of its own, and URLs that fit the prefix", async () => {
    const { url } = await make({ name: "files" });
    const { body: caller } = await ask("POST", `${url}/_test/authorization`, ["full-access"]);
    const form = new FormData();
    form.set("files", new File(["text of a file"], "a.txt", { type: "text/plain" }));
    const response = await fetch(`${url}/api/upload`, {
      method: "POST",
      body: form,
      headers: { authorization: caller.data },
    });
    const [file] = (await response.json()) as { url: string }[];
    expect(await (await fetch(url + file!.url)).text()).toBe("text of a file");
    expect((await fetch(served.url + file!.url)).status).toBe(404);
    expect((await fetch(served.url + file!.url, { headers: { "x-galley-branch": "files" } })).status).toBe(200);
    await ask("DELETE", "/_branches/files");
    expect((await fetch(url + file!.url)).status).toBe(404);
  });

  test("has GraphQL, mails with its URL, and its functions", async () => {
    const { url } = await make({ name: "kit" });
    await ask("POST", `${url}/_test/makeMany`, ["tag", 3]);
    const query = "query Tags { tags { name } }";
    const headers = { "content-type": "application/json" };
    expect((await ask("POST", `${url}/graphql`, { query }, headers)).body.data.tags).toHaveLength(3);
    await ask("POST", `${url}/api/auth/forgot-password`, { email: "ada@example.org" }, headers);
    const { body: mails } = await ask("POST", `${url}/_test/mails`);
    expect(mails.data[0].links[0]).toStartWith(`${url}/`);
    expect((await ask("POST", `${url}/_test/expectRequests`, [{ "GraphQL Tags": 1 }])).status).toBe(200);
    const wrong = await ask("POST", `${url}/_test/expectRequests`, [{ "GraphQL Tags": 2 }]);
    expect([wrong.status, wrong.body.error.message]).toEqual([
      400,
      expect.stringContaining("GraphQL Tags: 1 instead of 2"),
    ]);
    await ask("POST", `${url}/_test/fail`, [{ path: "/api/tags", status: 503 }]);
    expect((await ask("GET", `${url}/api/tags`)).status).toBe(503);
    expect((await ask("GET", "/api/tags")).status).toBe(200);
    await ask("POST", `${url}/_test/reset`);
    expect(await tags(url)).toEqual([]);
    await ask("DELETE", "/_branches/kit");
  });

  test("has snapshots, which are numbers, and arguments that are left out", async () => {
    const { url } = await make({ name: "states" });
    const call = async (name: string, ...args: unknown[]) =>
      (await ask("POST", `${url}/_test/${name}`, args)).body.data;
    await call("make", "tag", { name: "first" });
    const snapshot = await call("snapshot");
    await call("make", "tag", null, { status: "draft" });
    expect([await call("changes", snapshot), await call("changes")]).toEqual([
      [expect.objectContaining({ kind: "create" })],
      [expect.anything(), expect.anything()],
    ]);
    await call("reset", snapshot);
    expect(await tags(url)).toEqual(["first"]);
    await call("reset");
    expect(await tags(url)).toEqual([]);
    await ask("DELETE", "/_branches/states");
  });

  test("refuses arguments that are not some, and functions that there are not", async () => {
    const statusOf = async (name: string, body?: unknown) =>
      (await ask("POST", `/_branches/main/_test/${name}`, body)).status;
    expect(await statusOf("make", { type: "tag" })).toBe(400);
    expect(await statusOf("make", ["nothing"])).toBe(400);
    expect(await statusOf("documents", ["api::tag.tag", "constructor"])).toBe(400);
    expect(await statusOf("documents", ["api::tag.tag", "findMany", 7])).toBe(400);
    expect(await statusOf("authorization", [{}])).toBe(400);
    expect(await statusOf("close")).toBe(404);
    expect(await statusOf("toString")).toBe(404);
    for (const [name, args, message] of [
      ["fail", [null], "the failure must be an object"],
      ["fail", [{ path: 7 }], "the failure.path must be a string, not 7"],
      ["fail", [{ statu: 503 }], "the failure has no statu; there are path, method"],
      ["slow", ["x"], "the failure.delay must be a number from 0"],
      ["make", [null], 'There is no content-type "undefined"'],
      ["make", [7], 'There is no content-type "7"'],
      ["make", ["tag", "x"], "The data of a document must be an object"],
      ["make", ["tag", {}, { status: "publish" }], 'the options.status must be "draft" or "published"'],
      ["makeMany", ["tag", "x"], "The number of documents must be"],
      ["makeMany", ["tag", -1], "The number of documents must be"],
      ["expectRequests", [null], "Requests are expected by an object"],
      ["documents", [7, "findMany"], "The arguments of documents are"],
      ["reset", [7], "A snapshot must be a number"],
      ["changes", ["0"], "A snapshot must be a number"],
      ["clock.set", ["9999-12-31"], "time must be a time from 1970-01-01 to 9999-01-01"],
    ] as const) {
      const { status, body } = await ask("POST", `/_branches/main/_test/${name}`, args);
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await ask("GET", "/_branches/main/_test/requests")).status).toBe(404);
    expect((await ask("GET", "/_branches//api")).status).toBe(404);
    const long = await fetch(`${served.url}/_branches/main/_test/make`, {
      method: "POST",
      body: "x".repeat(1_000_001),
    });
    expect(long.status).toBe(413);
    const broken = await fetch(`${served.url}/_branches`, { method: "POST", body: "{" });
    expect(broken.status).toBe(400);
  });

  test("streams events of its own changes, until it is dropped", async () => {
    const { url } = await make({ name: "events" });
    const { body: caller } = await ask("POST", `${url}/_test/authorization`, ["full-access"]);
    const headers = { accept: "text/event-stream", authorization: caller.data };
    const since = (await ask("GET", `${url}/galley/changes`, undefined, { authorization: caller.data })).body.token;
    const response = await fetch(`${url}/galley/changes?since=${since}`, { headers });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    await ask("POST", "/_branches/main/_test/make", ["tag", { name: "elsewhere" }]);
    await ask("POST", `${url}/_test/make`, ["tag", { name: "streamed" }]);
    let text = "";
    while (!text.includes("api::tag.tag")) text += (await reader.read()).value;
    expect(text.match(/api::tag\.tag/g)).toHaveLength(1);
    expect((await ask("DELETE", "/_branches/events")).status).toBe(204);
    while (!(await reader.read()).done);
    await ask("POST", "/_branches/main/_test/reset");
  });

  test("keeps redirects below the prefix, and opens the admin page on a port of its own", async () => {
    const { url } = await make({ name: "page" });
    await ask("POST", `${url}/_test/make`, ["tag", { name: "seen" }]);
    const home = await fetch(`${url}/`, { redirect: "manual" });
    expect(home.headers.get("location")).toBe("/_branches/page/admin");
    const page = await fetch(`${url}/admin`, { headers: { accept: "text/html" }, redirect: "manual" });
    const location = new URL(page.headers.get("location")!);
    expect([page.status, location.pathname, location.origin === served.url]).toEqual([307, "/admin", false]);
    const opened = await fetch(location);
    expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining("<html")]);
    expect(await tags(location.origin)).toEqual(["seen"]);
    expect(await tags(url)).toEqual(["seen"]);
    await ask("DELETE", "/_branches/page");
    await expect(fetch(location)).rejects.toThrow();
  });
});

test("the clock of a branch is set over HTTP, and invalid times are refused", async () => {
  await ask("POST", "/_branches", { name: "later" });
  const call = (name: string, args: unknown[]) => ask("POST", `/_branches/later/_test/${name}`, args);
  expect((await call("clock.set", ["2030-01-01"])).body).toEqual({ data: "2030-01-01T00:00:00.000Z" });
  expect((await call("make", ["tag", { name: "a" }])).body.data.createdAt).toBe("2030-01-01T00:00:00.000Z");
  expect((await call("clock.advance", ["1 day"])).body).toEqual({ data: "2030-01-02T00:00:00.001Z" });
  const { status, body } = await call("clock.set", []);
  expect([status, body.error.message.slice(0, 12)]).toEqual([400, "time must be"]);
  expect((await call("clock", [])).status).toBe(404);
});
