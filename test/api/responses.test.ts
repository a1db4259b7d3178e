/** Answers that are kept: for the same question of the same caller only, and never past a change of the content. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ResponseCache } from "../../src/api/responses.ts";
import { Storage } from "../../src/engine/storage/storage.ts";
import { type App, createApp } from "../../src/server/app.ts";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { ADMIN, configFile, projectFolder, typeFile } from "../project.ts";
import { Random } from "../random.ts";

const files = {
  ...typeFile("note", { title: { type: "string" }, secret: { type: "string", private: true } }),
  ...configFile({
    roles: {
      public: ["api::note.note.find", "api::note.note.findOne", "plugin::users-permissions.auth.callback"],
      authenticated: ["plugin::users-permissions.user.me"],
    },
    users: ["ada", "bob"].map((username) => ({
      username,
      email: `${username}@example.com`,
      password: "Secret-123",
      role: "authenticated",
      confirmed: true,
    })),
  }),
};
const folder = projectFolder(files);

/** The same database opened twice, as two processes would. */
let one: { project: Project; app: App };
let two: { project: Project; app: App };

function open(): { project: Project; app: App } {
  const project = openProject(folder.root, { memory: false, publicRead: false, environment: {} });
  return { project, app: createApp(project) };
}

beforeAll(() => {
  one = open();
  two = open();
});
afterAll(async () => {
  await one.project.close();
  await two.project.close();
  folder.remove();
});

type Headers = Readonly<Record<string, string>>;

const get = (app: App, path: string, headers: Headers = {}): Promise<Response> =>
  app.handle(new Request(`http://localhost${path}`, { headers }));

async function write(app: App, method: string, path: string, title?: string): Promise<string> {
  const body = title === undefined ? null : JSON.stringify({ data: { title } });
  const headers = { ...ADMIN, "content-type": "application/json" };
  const answer = await app.handle(new Request(`http://localhost${path}`, { method, headers, body }));
  expect(answer.status).toBeLessThan(300);
  if (answer.status === 204) return "";
  return ((await answer.json()) as { data: { documentId: string } }).data.documentId;
}

const graphql = (app: App, query: string, headers: Headers = {}): Promise<Response> =>
  app.handle(
    new Request("http://localhost/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query }),
    }),
  );

/** How many statements ran during the work. */
async function statements(project: Project, work: () => Promise<unknown>): Promise<number> {
  const before = project.context.storage.statements;
  await work();
  return project.context.storage.statements - before;
}

describe("over HTTP", () => {
  const asked: Readonly<Record<string, (app: App) => Promise<Response>>> = {
    "a list": (served) => get(served, "/api/notes?sort=title"),
    "an operation": (served) => graphql(served, '{ notes(sort: "title") { title } }'),
  };

  for (const [name, ask] of Object.entries(asked)) {
    test(`${name}: the third of equal requests runs no statement, and answers the same`, async () => {
      await write(one.app, "POST", "/api/notes", `for ${name}`);
      const first = await (await ask(one.app)).text();
      await ask(one.app);
      let third = "";
      const count = await statements(one.project, async () => {
        third = await (await ask(one.app)).text();
      });
      expect(count).toBe(0);
      expect(third).toBe(first);
      expect(first).toContain(`for ${name}`);
    });
  }

  test("callers with different rights, and different formats, never share an answer", async () => {
    const path = "/api/notes?pagination[pageSize]=3&status=published";
    const v4 = { "strapi-response-format": "v4" };
    const answers = async () => [
      await (await get(one.app, path)).text(),
      await (await get(one.app, path, v4)).text(),
      (await get(one.app, path, { authorization: "Bearer nobody" })).status,
      (await get(one.app, "/api/upload/files")).status,
      (await get(one.app, "/api/upload/files", ADMIN)).status,
    ];
    const first = await answers();
    expect(first[0]).not.toBe(first[1]);
    expect(first.slice(2)).toEqual([401, 403, 200]);
    for (let again = 0; again < 3; again++) expect(await answers()).toEqual(first);
  });

  test("GraphQL: users with one role have answers of their own", async () => {
    await one.project.idle();
    const login = async (identifier: string) => {
      const body = JSON.stringify({ identifier, password: "Secret-123" });
      const headers = { "content-type": "application/json" };
      const request = new Request("http://localhost/api/auth/local", { method: "POST", headers, body });
      const { jwt } = (await (await one.app.handle(request)).json()) as { jwt: string };
      return { authorization: `Bearer ${jwt}` };
    };
    const users = { ada: await login("ada"), bob: await login("bob") };
    for (let again = 0; again < 3; again++) {
      for (const [username, headers] of Object.entries(users)) {
        const answer = await graphql(one.app, "{ me { username } }", headers);
        expect(await answer.json()).toEqual({ data: { me: { username } } });
      }
    }
  });

  test("GraphQL: variables and operation names have answers of their own", async () => {
    const ask = async (query: string, variables?: unknown, operationName?: string) => {
      const request = new Request("http://localhost/graphql", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query, variables, operationName }),
      });
      return JSON.stringify(await (await one.app.handle(request)).json());
    };
    const text = "query A($n: Int) { notes(pagination: { limit: $n }) { title } } query B { notes { documentId } }";
    for (let again = 0; again < 3; again++) {
      expect(await ask(text, { n: 1 }, "A")).not.toBe(await ask(text, { n: 2 }, "A"));
      expect(await ask(text, { n: 1 }, "B")).toContain("documentId");
    }
  });

  test("mutations and errors are never kept", async () => {
    const mutation = 'mutation { createNote(data: { title: "again" }) { title } }';
    const ids = new Set<string>();
    for (let again = 0; again < 4; again++) {
      const answer = await graphql(one.app, mutation.replace("{ title }", "{ documentId }"), ADMIN);
      ids.add(await answer.text());
      expect(await (await graphql(one.app, "{ note(documentId: 3) { title } wrong }")).json()).toHaveProperty("errors");
    }
    expect(ids.size).toBe(4);
  });

  test("a client that has the answer gets 304 until the content changes, in this process or another", async () => {
    const path = "/api/notes?fields=title&sort=id";
    const first = await get(one.app, path);
    const tag = first.headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"\w+"$/);
    expect(first.headers.get("cache-control")).toBe("no-cache");
    expect((await get(one.app, path, ADMIN)).headers.get("cache-control")).toBe("private, no-cache");
    const known = { "if-none-match": `"other", ${tag}` };
    for (let again = 0; again < 3; again++) {
      const answer = await get(one.app, path, known);
      expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([304, "", tag]);
    }
    await write(two.app, "POST", "/api/notes", "changes the list");
    const changed = await get(one.app, path, known);
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(tag);
  });

  test("a cached response has the headers of the first, whatever other requests for it were", async () => {
    const path = "/api/notes?fields=title&sort=id:desc";
    const headersOf = ({ status, headers }: Response) => [status, Object.fromEntries(headers)];
    const first = await get(one.app, path);
    const others: Headers[] = [
      {},
      { "if-none-match": first.headers.get("etag")! },
      { origin: "http://example.com" },
      { "strapi-response-format": "v4" },
      ADMIN,
    ];
    for (const headers of [...others, ...others]) {
      await get(one.app, path, headers);
      expect(headersOf(await get(one.app, path))).toEqual(headersOf(first));
    }
    const allowed = (await get(one.app, path, { origin: "http://example.com" })).headers;
    expect(allowed.get("access-control-allow-origin")).toBe("http://example.com");
    expect((await get(one.app, path, others[1])).headers.has("content-type")).toBe(false);
    await one.app.handle(new Request(`http://localhost${path}`, { method: "HEAD" }));
    expect(headersOf(await get(one.app, path))).toEqual(headersOf(first));
  });

  test("no answer is stale after an acknowledged write, whichever process wrote and whichever is asked", async () => {
    const random = new Random(20_541);
    const apps = [one.app, two.app];
    const titles = new Map<string, string>();
    for (const { documentId, title } of await listed(one.app)) titles.set(documentId, title);
    for (let step = 0; step < 1_500; step++) {
      const app = random.pick(apps);
      const documentId = titles.size > 0 ? random.pick([...titles.keys()]) : "";
      if (random.chance(0.3)) {
        const title = `title ${step}`;
        if (titles.size < 5 || random.chance(0.3)) titles.set(await write(app, "POST", "/api/notes", title), title);
        else if (titles.size > 20 || random.chance(0.3)) {
          await write(app, "DELETE", `/api/notes/${documentId}`);
          titles.delete(documentId);
        } else {
          await write(app, "PUT", `/api/notes/${documentId}`, title);
          titles.set(documentId, title);
        }
        continue;
      }
      const answer = await get(app, `/api/notes/${documentId}`);
      const { data } = (await answer.json()) as { data: { title: string } };
      expect(data.title).toBe(titles.get(documentId) ?? "");
      expect(new Map((await listed(app)).map((note) => [note.documentId, note.title]))).toEqual(titles);
      const { data: answered } = (await (
        await graphql(app, "{ notes(pagination: { limit: 100 }) { documentId title } }")
      ).json()) as { data: { notes: { documentId: string; title: string }[] } };
      expect(new Map(answered.notes.map((note) => [note.documentId, note.title]))).toEqual(titles);
    }
  });

  async function listed(app: App): Promise<{ documentId: string; title: string }[]> {
    const answer = await get(app, "/api/notes?pagination[pageSize]=100");
    return ((await answer.json()) as { data: { documentId: string; title: string }[] }).data;
  }

  test("a right that is taken away counts at once", async () => {
    for (let again = 0; again < 3; again++) expect((await get(one.app, "/api/notes")).status).toBe(200);
    two.project.context.storage.run("DELETE FROM up_permissions WHERE action = 'api::note.note.find'");
    expect((await get(one.app, "/api/notes")).status).toBe(403);
  });
});

describe("the room that answers take", () => {
  const text = (index: number) => String(index).padEnd(1_000_000, "x");

  function keep(cache: ResponseCache, key: string, content: string): void {
    for (const _ of [1, 2]) {
      const found = cache.find(key);
      if (!("content" in found)) cache.store(found, 200, content);
    }
  }
  const isKept = (cache: ResponseCache, key: string): boolean => "content" in cache.find(key);

  const names = (from: number, count: number) => Array.from({ length: count }, (_, index) => `key ${from + index}`);

  test("is bounded: going through more than fits, again and again, finds what came first", () => {
    const cache = new ResponseCache(Storage.open(":memory:"));
    const all = names(0, 40);
    for (let round = 0; round < 3; round++) for (const [index, key] of all.entries()) keep(cache, key, text(index));
    const kept = all.filter((key) => isKept(cache, key));
    expect(kept.length).toBeGreaterThan(10);
    expect(kept).toEqual(all.slice(0, kept.length));
    expect(kept.length).toBeLessThan(17);
  });

  test("goes to what is asked for now: those that were not asked for the longest go first", () => {
    const cache = new ResponseCache(Storage.open(":memory:"));
    const [early, late] = [names(0, 16), names(100, 8)];
    for (const [index, key] of early.entries()) keep(cache, key, text(index));
    for (let round = 0; round < 40; round++) {
      for (const key of [...early.slice(-4), ...late]) keep(cache, key, text(round));
    }
    expect([...early.slice(-4), ...late].filter((key) => !isKept(cache, key))).toEqual([]);
    expect(isKept(cache, "key 0")).toBe(false);
  });

  test("counts keys too, and is not given to answers that would push out many others", () => {
    const cache = new ResponseCache(Storage.open(":memory:"));
    keep(cache, "large", "x".repeat(3_000_000));
    expect(isKept(cache, "large")).toBe(false);
    keep(cache, "k".repeat(2_000_000), "small");
    expect(isKept(cache, "k".repeat(2_000_000))).toBe(false);
  });

  test("counts the headers of small answers", () => {
    const cache = new ResponseCache(Storage.open(":memory:"));
    const all = names(0, 20_000);
    for (const key of all) keep(cache, key, "{}");
    expect(all.filter((key) => isKept(cache, key)).length).toBeLessThan(17_000);
  });

  test("a rest of the server empties it, and it is filled again", () => {
    const storage = Storage.open(":memory:");
    const cache = new ResponseCache(storage);
    keep(cache, "key", "text");
    expect(isKept(cache, "key")).toBe(true);
    storage.trim();
    expect(isKept(cache, "key")).toBe(false);
    keep(cache, "key", "text");
    expect(isKept(cache, "key")).toBe(true);
  });

  test("what was asked for before a rest is offered after it", () => {
    const storage = Storage.open(":memory:");
    const cache = new ResponseCache(storage);
    const missed = cache.find("key");
    if ("content" in missed) throw new Error("nothing was stored");
    storage.trim();
    cache.store(missed, 200, "text");
    expect(isKept(cache, "key")).toBe(false);
    cache.store(missed, 200, "text");
    expect(isKept(cache, "key")).toBe(true);
  });

  test("an answer is nothing worth when content changed while it was made", () => {
    const storage = Storage.open(":memory:");
    const cache = new ResponseCache(storage);
    for (const _ of [1, 2, 3]) {
      const found = cache.find("key");
      storage.setMeta("changed", String(_));
      if (!("content" in found)) cache.store(found, 200, "old");
    }
    expect(isKept(cache, "key")).toBe(false);
  });
});
