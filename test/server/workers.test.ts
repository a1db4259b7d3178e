/** Several processes on one port: they answer as one, replace each other, follow the files together and end together. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings } from "../../src/engine/config/settings.ts";
import { type PoolOptions, WorkerPool } from "../../src/server/workers/pool.ts";
import { pngOf } from "../engine/media/samples.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile, writeFiles } from "../project.ts";
import { until } from "../until.ts";
import { isAlive, Server, WORKERS } from "./worker-server.ts";

const MAX_LOGINS = 5;
const project = {
  ...configFile({
    auth: { ratelimit: { enabled: true, interval: 600_000, max: MAX_LOGINS } },
    roles: { public: ["plugin::users-permissions.auth.callback"] },
    users: [{ username: "ada", email: "ada@example.org", password: "long enough" }],
  }),
  ...typeFile("post", { title: { type: "string" } }),
};

describe.skipIf(process.platform !== "linux")("galley serve --workers", () => {
  const { root, remove } = projectFolder(project);
  let server: Server;
  beforeAll(async () => {
    server = new Server(root);
    await server.started();
  });
  afterAll(async () => {
    await server.stop("SIGKILL");
    remove();
  });

  test("starts as many processes as told, and says so once", () => {
    expect(server.workers().length).toBe(WORKERS);
    expect(server.out.match(/Galley serves/g)?.length).toBe(1);
    expect(server.out).toContain(`http://localhost:${server.port}`);
  });

  test("an image that one worker takes is served by all, with its copies", async () => {
    const form = new FormData();
    form.append("files", new Blob([await pngOf({ width: 400, height: 300 })], { type: "image/png" }), "a.png");
    const { status, body } = await server.call("POST", "/api/upload", form);
    expect(status).toBe(201);
    const { url, formats } = body[0];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => server.call("GET", index % 2 ? url : formats.thumbnail.url)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
  });

  test("requests to routes that guess are counted for all workers together", async () => {
    const login = () => server.call("POST", "/api/auth/local", { identifier: "ada", password: "wrong one" });
    const answers = await Promise.all(Array.from({ length: 6 * WORKERS }, login));
    const taken = answers.filter(({ status }) => status !== 429);
    expect(taken.map(({ status }) => status)).toEqual(Array(MAX_LOGINS).fill(400));
    await until("all lines are there", () => server.answeredBy("POST /api/auth/local").size > 1);
    const refused = await server.call("POST", "/api/auth/local", { identifier: "ada", password: "long enough" });
    expect(refused.body.error.name).toBe("RateLimitError");
  });

  test("changed files are served by every worker", async () => {
    writeFiles(root, {
      ...typeFile("post", { title: { type: "string" }, size: { type: "integer" } }),
      ...typeFile("tag", { label: { type: "string" } }),
    });
    await until("all workers have read the files", async () => {
      await Promise.all(Array.from({ length: 8 }, () => server.call("GET", "/api/tags")));
      return server.answeredBy("GET /api/tags 200").size === WORKERS;
    });
    const answers = await Promise.all(Array.from({ length: 24 }, () => server.call("GET", "/api/tags")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const made = await server.call("POST", "/api/posts", { data: { title: "sized", size: 4 } });
    expect((await server.call("GET", `/api/posts/${made.body.data.documentId}`)).body.data.size).toBe(4);
    expect(server.out.match(/files have changed and are served now/g)?.length).toBe(1);
  }, 30_000);

  test("broken files are reported once, and everything stays as it was, for new workers too", async () => {
    writeFiles(root, { "src/api/tag/content-types/tag/schema.json": "{ broken" });
    await until("the file is reported", () => server.errors.includes("is not valid JSON"));
    const before = server.workers();
    process.kill(before[0]!, "SIGKILL");
    await until("the worker is replaced", () => server.workers().filter((pid) => !before.includes(pid)).length === 1);
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => server.call("GET", "/api/tags").catch(() => ({ status: 0 }))),
    );
    // connections that were given to the dead worker are lost with it
    expect(new Set(answers.map(({ status }) => status)).has(404)).toBe(false);
    expect((await server.call("GET", "/api/tags")).status).toBe(200);
    expect(server.errors.match(/is not valid JSON/g)?.length).toBe(1);
  }, 30_000);

  test("a worker that dies is replaced, and answers", async () => {
    const before = server.workers();
    const told = server.errors.length;
    for (const pid of before) process.kill(pid, "SIGKILL");
    await until("all are replaced", () => {
      const now = server.workers();
      return now.length === WORKERS && now.every((pid) => !before.includes(pid));
    });
    await until(
      "one answers",
      async () => (await server.call("GET", "/api/posts").catch(() => undefined))?.status === 200,
    );
    const message = /^galley: worker \d ended by SIGKILL; it is started again$/gm;
    expect(server.errors.slice(told).match(message)?.length).toBe(WORKERS);
  }, 30_000);
});

describe.skipIf(process.platform !== "linux")("the end of a server with workers", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${signal} ends every process, after what they are answering`, async () => {
      const { root, remove } = projectFolder(project);
      const server = new Server(root);
      await server.started();
      const pids = server.workers();
      const calls = Array.from({ length: 20 }, () => server.call("POST", "/api/posts", { data: {} }));
      // connections that no worker has accepted yet are closed, possibly before the processes have ended
      const answers = Promise.allSettled(calls);
      await until("requests are answered", () => server.out.includes("POST /api/posts 201"));
      const code = await server.stop(signal);
      await answers;
      remove();
      expect(code).toBe(0);
      expect(pids.length).toBe(WORKERS);
      expect(pids.filter(isAlive)).toEqual([]);
      expect(server.errors).toBe("");
    }, 30_000);
  }

  test("workers do not outlive a main process that was killed", async () => {
    const { root, remove } = projectFolder(project);
    const server = new Server(root);
    await server.started();
    const pids = server.workers();
    await server.stop("SIGKILL");
    await until("the workers have ended", () => !pids.some(isAlive));
    remove();
  }, 30_000);

  test("a second server on the same port is refused", async () => {
    const { root, remove } = projectFolder(project);
    const server = new Server(root);
    await server.started();
    const args = ["serve", root, "--port", String(server.port), "--workers", "2"];
    const second = Bun.spawn([...PROGRAM, ...args], { stdout: "ignore", stderr: "pipe" });
    expect(await new Response(second.stderr).text()).toMatch(
      new RegExp(`^galley: port ${server.port} is in use.*; --port chooses another one, and --port 0 a free one\n$`),
    );
    expect(await second.exited).toBe(1);
    await server.stop("SIGTERM");
    remove();
  }, 30_000);
});

describe("workers that cannot serve", () => {
  const pool = (script: string, reports: string[], more: Partial<PoolOptions> = {}): WorkerPool => {
    const setup = {
      root: "/",
      port: 1,
      host: "localhost",
      address: "",
      publicRead: false,
      isPublished: false,
      quiet: true,
      admin: false,
      environment: {},
    };
    return new WorkerPool({
      count: 2,
      command: [process.execPath, "-e", script],
      setup,
      source: { settings: loadSettings("/nowhere", {}), schema: { types: [], components: [] } },
      report: (message) => void reports.push(message),
      ...more,
    });
  };

  test.skipIf(process.platform === "win32")(
    "a worker that is stopped or stuck is replaced, and one that responds stays",
    async () => {
      const reports: string[] = [];
      const folder = mkdtempSync(join(tmpdir(), "galley-stopped-"));
      const responding = pool(
        `const isFirst = () => { try { require("node:fs").mkdirSync("${folder}/first"); return true } catch { return false } };
       process.on("message", ({ kind, setup }) => {
         if (setup) process.send({ kind: "listening" });
         if (setup?.number === 2 && isFirst()) setTimeout(() => process.kill(process.pid, "SIGSTOP"), 100);
         if (kind === "ping") process.send({ kind: "pong" });
         if (kind === "stop") process.exit(0);
       })`,
        reports,
        { pingMs: 50 },
      );
      await responding.start();
      await until("it is replaced", () => reports.length > 0);
      await Bun.sleep(1_500);
      expect(reports).toEqual(["worker 2 ended by SIGKILL (it did not respond any more); it is started again"]);
      await responding.stop();
      rmSync(folder, { recursive: true });
    },
    180_000,
  );

  test.skipIf(process.platform === "win32")(
    "a worker that is stopped before it listens ends a start, and is replaced later",
    async () => {
      const reports: string[] = [];
      const folder = mkdtempSync(join(tmpdir(), "galley-stopped-"));
      /** In the order of its starts, the second worker does what `steps` say. */
      const stepping = (...steps: readonly string[]) =>
        pool(
          `const { mkdirSync } = require("node:fs");
         const step = () => {
           for (const [index, name] of ${JSON.stringify(steps)}.entries())
             try { mkdirSync("${folder}/" + index); return name } catch {}
         };
         process.on("message", ({ kind, setup }) => {
           const name = setup?.number === 2 ? step() : undefined;
           if (name === "stop") return process.kill(process.pid, "SIGSTOP");
           if (setup) process.send({ kind: "listening" }, undefined, undefined, () => name === "exit" && process.exit(3));
           if (kind === "ping") process.send({ kind: "pong" });
           if (kind === "stop") process.exit(0);
         })`,
          reports,
          { pingMs: 50 },
        );
      await expect(stepping("stop").start()).rejects.toThrow("worker 2 ended by SIGKILL (it did not respond any more)");
      rmSync(join(folder, "0"), { recursive: true });
      const replacing = stepping("exit", "stop");
      await replacing.start();
      await until("both ends are told", () => reports.length === 2);
      expect(reports).toEqual([
        "worker 2 ended with code 3; it is started again",
        "worker 2 ended by SIGKILL (it did not respond any more); it is started again",
      ]);
      await replacing.stop();
      rmSync(folder, { recursive: true });
    },
    180_000,
  );

  test("a worker that fails at the first start ends the others, and its reason is told", async () => {
    const reports: string[] = [];
    const failing = pool(
      `process.on("message", ({ setup }) => setup && process.send(
         setup.number === 2 ? { kind: "failed", message: "no port" } : { kind: "listening" },
         undefined, undefined, () => process.exit(3)))`,
      reports,
    );
    await expect(failing.start()).rejects.toThrow("worker 2 ended with code 3 (no port)");
    expect(reports).toEqual([]);
  });

  test("a worker whose channel is closed before it ends is waited for, and sent nothing", async () => {
    const closing = pool(
      `process.send({ kind: "listening" }, undefined, undefined, () => { process.disconnect(); setTimeout(process.exit, 300, 0) })`,
      [],
    );
    await closing.start();
    await Bun.sleep(100);
    expect(() =>
      closing.reload({ settings: loadSettings("/nowhere", {}), schema: { types: [], components: [] } }),
    ).not.toThrow();
    await closing.stop();
  });

  test("workers that keep dying are started again less and less often", async () => {
    const reports: string[] = [];
    const dying = pool(`process.send({ kind: "listening" }, undefined, undefined, () => process.exit(3))`, reports);
    await dying.start();
    const ends = (): number =>
      reports.filter((message) => message === "worker 1 ended with code 3; it is started again").length;
    await Bun.sleep(1_500);
    expect(ends()).toBeLessThanOrEqual(5);
    await until("worker 1 has ended again", () => ends() >= 2);
    await dying.stop();
    const told = reports.length;
    await Bun.sleep(300);
    expect(reports.length).toBe(told);
  });
});
