/** `galley publish` and `galley serve s3://…` as processes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { createObjectStore } from "../object-store.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile, writeFiles } from "../project.ts";
import { until } from "../until.ts";

const store = createObjectStore();
const folder = mkdtempSync(join(tmpdir(), "galley-cli-published-"));
afterAll(async () => {
  await store.stop();
  rmSync(folder, { recursive: true, force: true });
});

const environment = {
  PATH: process.env.PATH ?? "",
  TMPDIR: folder,
  ...store.environment,
};
const start = (args: readonly string[], env: Record<string, string> = environment) =>
  Bun.spawn([...PROGRAM, ...args], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });

async function run(args: readonly string[], env?: Record<string, string>) {
  const child = start(args, env);
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, errors };
}

/** A project whose only post, which everybody may read, has this title. */
function project(title: string): { root: string; remove: () => void } {
  const made = projectFolder({
    ...configFile({ roles: { public: ["api::post.post.find"] } }),
    ...typeFile("post", { title: { type: "string" } }, { draftAndPublish: true }),
  });
  writeFiles(made.root, { "content/posts.json": JSON.stringify([{ key: "one", data: { title } }]) });
  return made;
}

const OBJECT = "s3://content/site/content.tar.gz";

describe.skipIf(process.platform !== "linux")("published content", () => {
  const one = project("one");
  const two = project("two");
  beforeAll(async () => {
    const { code, out, errors } = await run(["publish", OBJECT, one.root]);
    expect([errors, code]).toEqual(["", 0]);
    expect(out).toMatch(
      /published \d+ rows, \d+ links, 0 media files \(0.00 MB\) to s3:\/\/content\/site\/content.tar.gz/,
    );
  }, 30_000);
  afterAll(() => {
    one.remove();
    two.remove();
  });

  test("is served by all workers, and so is what is published next; nothing is left at the end", async () => {
    const port = freePort();
    const server = start(["serve", OBJECT, "--refresh", "100ms", "--workers", "2", "--port", `${port}`]);
    let out = "";
    const reading = (async () => {
      for await (const chunk of server.stdout) out += new TextDecoder().decode(chunk);
    })();
    const ask = async (init: RequestInit = {}) => {
      const headers = { connection: "close", "content-type": "application/json" };
      const response = await fetch(`http://127.0.0.1:${port}/api/posts`, { headers, ...init });
      return { status: response.status, body: (await response.json()) as { data: { title: string }[] } };
    };
    const titles = async () => (await ask()).body.data.map(({ title }) => title).join();
    await until("the server answers", () => out.includes("Galley serves"));
    expect(await titles()).toBe("one");
    expect((await ask({ method: "POST", body: '{"data":{}}' })).status).toBe(403);

    expect((await run(["publish", OBJECT, two.root])).code).toBe(0);
    const workers = (): number => new Set(out.match(/^\[\d\] GET \/api\/posts 200/gm)).size;
    await until("both workers serve the next archive", async () => {
      const seen = await Promise.all(Array.from({ length: 12 }, titles));
      return new Set(seen).size === 1 && seen[0] === "two" && workers() === 2;
    });
    expect(out).toContain(`The archive at ${OBJECT} has changed and is served now`);
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
    await reading;
    expect(await new Response(server.stderr).text()).toBe("");
    expect(readdirSync(folder).filter((name) => name.startsWith("galley-pub"))).toEqual([]);
  }, 180_000);

  test("follows every publish, and no edit of a draft", async () => {
    const { createGalley } = await import("../../src/index.ts");
    const watcher = start(["publish", OBJECT, two.root, "--on-change"]);
    const lines: string[] = [];
    const reading = (async () => {
      for await (const chunk of watcher.stdout) lines.push(...new TextDecoder().decode(chunk).trim().split("\n"));
    })();
    await until("it is published at first", () => lines.length === 1);
    const galley = await createGalley({ project: two.root, memory: false });
    const posts = galley.documents("api::post.post");
    const [post] = await posts.findMany();
    const documentId = post!.documentId as string;
    await posts.update({ documentId, data: { title: "a draft" } });
    const before = store.objects.get("/content/site/content.tar.gz")!.etag;
    // longer than writes are waited for
    await Bun.sleep(2_500);
    expect([lines.length, store.objects.get("/content/site/content.tar.gz")!.etag]).toEqual([1, before]);
    await posts.publish({ documentId });
    await until("it is published again", () => lines.length === 2);
    expect(store.objects.get("/content/site/content.tar.gz")!.etag).not.toBe(before);
    await galley.close();
    watcher.kill("SIGTERM");
    expect(await watcher.exited).toBe(0);
    await reading;
  }, 180_000);

  test("a signal lets a running upload finish, a second one does not, and nothing is left", async () => {
    const left = (): string[] => readdirSync(join(one.root, ".galley")).filter((name) => name.startsWith("publish-"));
    const upload = async (signals: number) => {
      const started = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      store.onPut = () => {
        started.resolve();
        return released.promise;
      };
      const watcher = start(["publish", OBJECT, one.root, "--on-change"]);
      await started.promise;
      for (let count = 0; count < signals; count++) {
        watcher.kill("SIGINT");
        await Bun.sleep(300);
      }
      released.resolve();
      store.onPut = () => {};
      await watcher.exited;
      return [
        watcher.signalCode ?? watcher.exitCode,
        (await new Response(watcher.stdout).text()).includes("published"),
      ];
    };
    expect(await upload(1)).toEqual([0, true]);
    expect(await upload(2)).toEqual(["SIGINT", false]);
    expect(left()).toEqual([]);
  }, 60_000);
});

describe("what cannot be", () => {
  const keys = { ...environment };
  const none = { PATH: keys.PATH };
  const wrong = { ...keys, AWS_ACCESS_KEY_ID: "another" };
  const { root, remove } = project("three");
  afterAll(remove);
  const cases: readonly [args: readonly string[], message: string, env?: Record<string, string>][] = [
    [["serve", root, "--refresh", "30s"], "--refresh is for archives at https:// or s3://"],
    [["serve", OBJECT, "--refresh", "30"], 'a time such as 30s, 5m or 1h, from 100ms to 24h, not "30"'],
    [["serve", OBJECT, "--memory"], "--memory is for projects"],
    [["serve", OBJECT, "--admin"], "--admin is for projects"],
    [["serve", "s3://bucket"], "not of the form s3://bucket/key"],
    [["serve", OBJECT], "needs S3_ACCESS_KEY_ID or AWS_ACCESS_KEY_ID", none],
    [["serve", OBJECT], "answers 403 (AccessDenied)", wrong],
    [["serve", "s3://content/nothing.tar.gz"], "answers 404 (NoSuchKey)"],
    [["publish", "content.tar.gz", root], "publish needs an object of a store"],
    [["publish", "s3://content/x", root], "the object's name must end with .tar.gz"],
    [["publish", OBJECT, root, "--key", "k"], "the object's name must end with .tar.gz.enc"],
    [["publish", OBJECT, root], `${OBJECT}: cannot be written`, wrong],
  ];
  for (const [args, message, env] of cases)
    test(`galley ${args.map((word) => (word === root ? "project" : word)).join(" ")}: ${message}`, async () => {
      const { code, errors } = await run(args, env);
      expect(errors).toContain(message);
      expect([code, errors.trim().split("\n").length]).toEqual([1, 1]);
    }, 30_000);
});
