/** Published archives: downloaded, checked, served read-only, replaced without losing a request, kept when the next is broken. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { ProjectError } from "../../../src/lib/errors.ts";
import { loadArchive } from "../../../src/server/published/load.ts";
import { publishedLocation } from "../../../src/server/published/location.ts";
import { type PublishedOptions, runPublished } from "../../../src/server/published/published.ts";
import type { RunningProject } from "../../../src/server/running.ts";
import { temporaryFolders } from "../../temporary-folders.ts";
import { createTar, metadata } from "../../transfer/tar.ts";
import { createArchive, KEY, Store } from "./archives.ts";

const folders = () => temporaryFolders("published");

let one: Uint8Array;
let two: Uint8Array;
beforeAll(async () => {
  [one, two] = await Promise.all([createArchive("one"), createArchive("two")]);
}, 180_000);

let store: Store;
let running: RunningProject | undefined;
const reports: string[] = [];
beforeEach(() => {
  store = new Store();
  store.put(one);
  reports.length = 0;
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  await store.stop();
});

async function start(options: Partial<PublishedOptions> = {}, url = store.url): Promise<RunningProject> {
  running = await runPublished(publishedLocation(url, {}), {
    publicRead: false,
    environment: { PATH: process.env.PATH },
    key: undefined,
    refresh: undefined,
    load: async (task) => ({ folder: task.folder, source: await loadArchive(task) }),
    filesMs: 0,
    retryMs: 600_000,
    report: (text) => void reports.push(typeof text === "string" ? text : (text as ProjectError).message),
    ...options,
  });
  return running;
}

async function ask(path: string, init?: RequestInit) {
  const response = await running!.handle(new Request(`http://localhost${path}`, init));
  const text = await response.text();
  return { status: response.status, etag: response.headers.get("etag"), text, body: JSON.parse(text || "null") };
}
const titles = async () => (await ask("/api/posts?sort=place")).body.data.map(({ title }: { title: string }) => title);
const post = (body: unknown): RequestInit => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});

describe("what is served", () => {
  test("the archive's content, its uploads, its users; other servers of it answer with the same tags", async () => {
    await start();
    expect(await titles()).toEqual(["one", "one", "one"]);
    const [file] = (await ask("/api/upload/files")).body;
    const stored = await running!.handle(new Request(`http://localhost${file.url}`));
    expect(await stored.text()).toBe("one");
    const login = await ask("/api/auth/local", post({ identifier: "ada", password: "long enough" }));
    expect(login.status).toBe(200);
    const { etag } = await ask("/api/posts");
    expect((await ask("/api/posts", { headers: { "if-none-match": etag! } })).status).toBe(304);
    const first = running!;
    await start();
    expect((await ask("/api/posts")).etag).toBe(etag);
    await first.close();
  });

  test("nothing can be written, over REST or GraphQL, whatever roles may do", async () => {
    await start();
    const form = new FormData();
    form.append("files", new Blob(["x"]), "x.txt");
    const answers = [
      await ask("/api/posts", post({ data: { title: "three" } })),
      await ask("/api/upload", { method: "POST", body: form }),
      await ask(
        "/api/auth/local/register",
        post({ username: "bob", email: "bob@example.org", password: "long enough" }),
      ),
    ];
    for (const { status, body } of answers)
      expect([status, body.error]).toMatchObject([
        403,
        { name: "ForbiddenError", message: "This server is read-only" },
      ]);
    const query = 'mutation { createPost(data: { title: "three" }) { documentId } }';
    const { body } = await ask("/graphql", post({ query }));
    expect(body.errors[0].message).toBe("This server is read-only");
    expect((await ask("/api/tags", post({ data: {} }))).body.error.message).toBe("Forbidden");
    expect(await titles()).toHaveLength(3);
  });

  test("an encrypted archive with its key, and none with another", async () => {
    store.put(await createArchive("secret", { key: KEY }));
    const url = `${store.url}.enc`;
    await expect(start({ key: "another" }, url)).rejects.toThrow("the key is incorrect");
    await expect(start({}, url)).rejects.toThrow("--key");
    await start({ key: KEY }, url);
    expect(await titles()).toEqual(["secret", "secret", "secret"]);
  }, 30_000);
});

describe("the next archive", () => {
  test("is asked for with the tag of the last one, and takes its place with caches and tags", async () => {
    await start();
    const before = await ask("/api/posts");
    await ask("/api/posts");
    expect(await running!.reload()).toBe(true);
    expect(store.statuses).toEqual([200, 304]);
    const { root } = running!.project();
    store.put(two);
    expect(await running!.reload()).toBe(true);
    expect(await titles()).toEqual(["two", "two", "two"]);
    const after = await ask("/api/posts");
    expect(after.etag).not.toBe(before.etag);
    expect((await ask("/api/posts", { headers: { "if-none-match": before.etag! } })).status).toBe(200);
    const [file] = (await ask("/api/upload/files")).body;
    expect(await (await running!.handle(new Request(`http://localhost${file.url}`))).text()).toBe("two");
    expect(reports).toEqual([`The archive at ${store.url} has changed and is served now`]);
    for (let tries = 0; tries < 100 && existsSync(root); tries++) await Bun.sleep(20);
    expect(existsSync(root)).toBe(false);
  });

  test("is found by itself, and by its bytes where a server has no tags", async () => {
    store.put(one, null);
    await start({ refresh: 50 });
    store.put(two, null);
    for (let tries = 0; tries < 200 && (await titles())[0] !== "two"; tries++) await Bun.sleep(25);
    expect((await titles())[0]).toBe("two");
    const { root } = running!.project();
    await running!.reload();
    expect(running!.project().root).toBe(root);
  });

  test("logins outlive it", async () => {
    await start();
    const { jwt } = (await ask("/api/auth/local", post({ identifier: "ada", password: "long enough" }))).body;
    store.put(two);
    await running!.reload();
    const { status } = await ask("/api/posts", { headers: { authorization: `Bearer ${jwt}` } });
    expect(status).not.toBe(401);
  });

  test("takes its place while requests are answered; none is lost, and each is of one archive", async () => {
    await start();
    let isDone = false;
    const seen = new Map<string, number>();
    const load = async (): Promise<void> => {
      while (!isDone) {
        const { status, body } = await ask("/api/posts?populate=*");
        const all = status === 200 ? new Set(body.data.map(({ title }: { title: string }) => title)) : [status];
        const key = [...all].join();
        seen.set(key, (seen.get(key) ?? 0) + 1);
        await Bun.sleep(0);
      }
    };
    const clients = Array.from({ length: 4 }, load);
    for (let swap = 0; swap < 6; swap++) {
      store.put(swap % 2 === 0 ? two : one);
      expect(await running!.reload()).toBe(true);
    }
    isDone = true;
    await Promise.all(clients);
    expect([...seen.keys()].sort()).toEqual(["one", "two"]);
  }, 180_000);
});

describe("what is not served", () => {
  const cut = (bytes: Uint8Array): Uint8Array => bytes.slice(0, Math.floor(bytes.length / 2));
  const bomb = async (): Promise<Uint8Array> =>
    gzipSync(
      await createTar([{ name: "entities/entities_00001.jsonl", content: Buffer.alloc(150_000_000) }, metadata]),
    );
  const climbing = async (): Promise<Uint8Array> =>
    gzipSync(await createTar([metadata, { name: "assets/uploads/../../../x", content: "x" }]));
  const answers: Readonly<Record<string, readonly [put: () => unknown, message: string]>> = {
    "an archive that was cut off": [() => store.put(cut(one)), "is not a valid Strapi data file"],
    "a page": [() => store.put(Buffer.from("<html>")), "is not a valid Strapi data file"],
    nothing: [() => store.put(new Uint8Array()), "is not a valid Strapi data file"],
    "a path that climbs": [async () => store.put(await climbing()), "leads out of the archive"],
    "a bomb": [async () => store.put(await bomb()), "is compressed more than 250 times"],
    "an answer that is none": [() => answer(() => new Response("no", { status: 500 })), "answers 500"],
    "the reason of a store": [
      () => answer(() => new Response("<Error><Code>NoSuchKey</Code></Error>", { status: 404 })),
      "answers 404 (NoSuchKey)",
    ],
    "a circle of redirects": [
      () => answer(({ url }) => Response.redirect(`${url.split("?")[0]}?${Math.random()}`)),
      "redirects more than 5 times",
    ],
    "a redirect to a file": [() => redirect("file:///etc/passwd"), "redirects to file:"],
    "a redirect with credentials": [() => redirect("http://a:b@127.0.0.1/"), "with credentials"],
  };
  const answer = (of: Store["answer"]): void => {
    store.answer = of;
  };
  const redirect = (location: string): void => answer(() => new Response(null, { status: 302, headers: { location } }));

  test("each of them is reported once, and what was served stays", async () => {
    await start();
    for (const [name, [put, message]] of Object.entries(answers)) {
      reports.length = 0;
      store.answer = undefined;
      await put();
      await running!.reload();
      await running!.reload();
      expect([name, reports.length, reports[0]]).toEqual([name, 1, expect.stringContaining(message)]);
      expect(reports[0]).toStartWith(store.url);
      expect(await titles()).toEqual(["one", "one", "one"]);
    }
    store.answer = undefined;
    store.put(two);
    expect(await running!.reload()).toBe(true);
    expect(await titles()).toEqual(["two", "two", "two"]);
  }, 180_000);

  test("a broken archive is not downloaded again", async () => {
    await start();
    store.put(cut(two));
    await running!.reload();
    await running!.reload();
    expect(store.statuses).toEqual([200, 200, 304]);
  });

  test("bytes that were incomplete under the tag of the whole are asked for again", async () => {
    await start({ retryMs: 0 });
    store.put(cut(two), '"two"');
    expect(await running!.reload()).toBe(false);
    store.put(two, '"two"');
    expect(await running!.reload()).toBe(true);
    expect(await titles()).toEqual(["two", "two", "two"]);
  });

  test("a server that is gone leaves what is served; one that never was there ends the start", async () => {
    await start();
    await store.stop();
    expect(await running!.reload()).toBe(false);
    expect(await titles()).toEqual(["one", "one", "one"]);
    await running!.close();
    const before = folders();
    await expect(start()).rejects.toThrow(store.url);
    running = undefined;
    expect(folders().filter((name) => !before.includes(name))).toEqual([]);
  });

  test("what a redirect may have: nothing of the credentials for another origin", async () => {
    const other = new Store();
    other.put(one);
    const headers: (string | null)[] = [];
    store.answer = (request) => {
      headers.push(request.headers.get("authorization"));
      return Response.redirect(other.url);
    };
    other.answer = (request) => void headers.push(request.headers.get("authorization")) as undefined;
    await start({}, store.url.replace("//", "//ada:pass%20word@"));
    await other.stop();
    expect(headers).toEqual([`Basic ${btoa("ada:pass word")}`, null]);
    expect(await titles()).toHaveLength(3);
  });
});
