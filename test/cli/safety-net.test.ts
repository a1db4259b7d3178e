/** Uncaught errors: they are logged with what was being answered, and the process goes on until they are many. */
import { describe, expect, test } from "bun:test";
import { SafetyNet } from "../../src/cli/safety-net.ts";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";
import { until } from "../until.ts";

function net() {
  const printed: string[] = [];
  let ends = 0;
  let now = 0;
  const made = new SafetyNet({ print: (line) => printed.push(line), end: () => ends++, now: () => now });
  const fail = (times: number) => {
    for (let count = 0; count < times; count++) made.catch(new Error("again"));
  };
  return { net: made, printed, fail, ends: () => ends, pass: (ms: number) => (now += ms) };
}

describe("uncaught error", () => {
  test("is logged with method and path of what is being answered, and nothing that may be secret", async () => {
    const { net: safety, printed, ends } = net();
    const { promise, resolve } = Promise.withResolvers<Response>();
    const answer = safety.track(() => promise)(
      new Request("http://localhost/api/posts?token=secret", { method: "PUT" }),
    );
    safety.catch(new Error("a timer"));
    resolve(new Response());
    await answer;
    safety.catch("later");
    expect(printed[0]).toStartWith("galley: uncaught error while answering PUT /api/posts: Error: a timer");
    expect(printed[0]).not.toContain("secret");
    expect(printed[1]).toMatch(/^galley: uncaught error(?: after .+)?: "later"$/);
    expect(ends()).toBe(0);
  });

  test("does not keep a request whose handler fails", async () => {
    const { net: safety, printed } = net();
    const failing = safety.track(async () => {
      throw new Error("no");
    });
    await expect(failing(new Request("http://localhost/a-path-of-its-own"))).rejects.toThrow("no");
    safety.catch(new Error("later"));
    expect(printed[0]).not.toContain("/a-path-of-its-own");
  });

  test("ends the process when it is the tenth within a minute", () => {
    const { fail, printed, ends } = net();
    fail(9);
    expect(ends()).toBe(0);
    fail(1);
    expect(ends()).toBe(1);
    expect(printed.at(-1)).toBe("galley: 10 such errors within a minute: the server stops");
  });

  test("does not end it when it comes now and then", () => {
    const { fail, ends, pass } = net();
    for (let minute = 0; minute < 20; minute++) {
      fail(9);
      pass(60_000);
    }
    expect(ends()).toBe(0);
  });
});

describe("whoever sends requests cannot end the process", () => {
  const answer = (safety: SafetyNet) => safety.track(async () => new Response())(new Request("http://localhost/x"));

  test("by errors while one is being answered", async () => {
    const { net: safety, fail, ends } = net();
    const { promise, resolve } = Promise.withResolvers<Response>();
    const answered = safety.track(() => promise)(new Request("http://localhost/x"));
    fail(10_000);
    resolve(new Response());
    await answered;
    expect(ends()).toBe(0);
  });

  test("by errors right after it", async () => {
    const { net: safety, fail, ends, pass } = net();
    for (let times = 0; times < 20; times++) {
      await answer(safety);
      pass(2_000);
      fail(100);
    }
    expect(ends()).toBe(0);
  });

  test("by a few errors of each that come late, such as those of connections", async () => {
    const { net: safety, fail, ends, pass } = net();
    for (let times = 0; times < 20; times++) await answer(safety);
    pass(30_000);
    fail(20 * 20);
    expect(ends()).toBe(0);
    // what goes on without end is not their work
    fail(20);
    expect(ends()).toBeGreaterThan(0);
  });

  test("nor fill the log", async () => {
    const { net: safety, fail, printed, pass } = net();
    await answer(safety);
    fail(5_000);
    expect(printed).toHaveLength(101);
    expect(printed.at(-1)).toContain("not logged");
    pass(61_000);
    fail(1);
    expect(printed).toHaveLength(102);
  });
});

/** Files of a project are the only code of others in the process; what they leave behind fails while it serves. */
const failing = (code: string) => ({
  ...configFile({ roles: { public: ["api::post.post.find"] } }),
  ...typeFile("post", { title: { type: "string" } }),
  "config/server.js": `${code}; module.exports = {};`,
});

async function served(
  files: Record<string, string>,
  work: (url: string, child: Bun.Subprocess, err: () => string) => Promise<void>,
  ...args: string[]
) {
  const { root, remove } = projectFolder(files);
  const port = freePort();
  const child = Bun.spawn([...PROGRAM, "serve", root, "--quiet", "--port", String(port), ...args], {
    stdout: "ignore",
    stderr: "pipe",
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
  });
  let errors = "";
  const reading = (async () => {
    for await (const chunk of child.stderr) errors += new TextDecoder().decode(chunk);
  })();
  try {
    await work(`http://127.0.0.1:${port}/api/posts`, child, () => errors);
  } finally {
    child.kill("SIGKILL");
    await reading;
    remove();
  }
}

const status = async (url: string): Promise<number | undefined> => (await fetch(url).catch(() => undefined))?.status;

test("a served project goes on after errors of timers and promises", async () => {
  const code = `setTimeout(() => { throw new Error("in a timer") }, 300); setTimeout(() => Promise.reject(new Error("of a promise")), 320)`;
  await served(failing(code), async (url, child, errors) => {
    await until("both are logged", () => errors().includes("in a timer") && errors().includes("of a promise"));
    await until("it answers", async () => (await status(url)) === 200);
    expect(child.exitCode).toBeNull();
  });
}, 30_000);

test("errors that requests provoke end nothing", async () => {
  const code = {
    "src/api/post/routes/own.js": `module.exports = { routes: [{ method: "GET", path: "/own", handler: "own.run", config: { auth: false } }] }`,
    "src/api/post/controllers/own.js": `module.exports = { run(ctx) {
      Promise.reject(new Error("left behind"));
      setTimeout(() => { throw new Error("left behind, too") }, 5);
      ctx.body = "done";
    } }`,
  };
  await served({ ...failing(""), ...code }, async (url, child, errors) => {
    const own = url.replace("posts", "own");
    await until("it answers", async () => (await status(own)) === 200);
    for (let times = 0; times < 30; times++) expect(await status(own)).toBe(200);
    await until("they are logged", () => errors().includes("left behind, too"));
    await Bun.sleep(200);
    expect([child.exitCode, await status(own)]).toEqual([null, 200]);
  });
}, 30_000);

test("one that fails again and again ends with a message", async () => {
  const code = `setTimeout(() => setInterval(() => { throw new Error("again") }, 10), 300)`;
  await served(failing(code), async (_url, child, errors) => {
    expect(await child.exited).toBe(1);
    await until("it is told", () => errors().includes("such errors within a minute: the server stops"));
  });
}, 30_000);

/** Own code whose start lasts for some turns of the event loop, in which errors of others arrive. */
const starting = (code: string, plugin = "{}") => ({
  ...failing(""),
  "config/plugins.js": `module.exports = { mine: { enabled: true, resolve: "./src/plugins/mine" } };`,
  "src/plugins/mine/package.json": "{}",
  "src/plugins/mine/strapi-server.js": `module.exports = () => (${plugin});`,
  "node_modules/ending/package.json": `{ "name": "ending", "main": "index.js" }`,
  "node_modules/ending/index.js": `module.exports = () => process.exit(7);`,
  "src/index.js": `module.exports = { async bootstrap({ strapi }) {
    ${code};
    await new Promise((resolve) => setTimeout(resolve, 200));
  } };`,
});

const lost: readonly { name: string; files: Record<string, string>; logged: string | RegExp }[] = [
  {
    name: "a rejection while a file is loaded",
    files: {
      ...starting(""),
      "src/api/post/services/own.js": `Promise.reject(new Error("lost")); module.exports = {};`,
    },
    logged: /^galley: uncaught error: Error: lost\n.*api\/post\/services\/own\.js:1/m,
  },
  {
    name: "a rejection in register of a plugin",
    files: starting("", `{ register() { Promise.reject(new Error("lost")) } }`),
    logged: /^galley: uncaught error: Error: lost\n.*plugins\/mine\/strapi-server\.js:1/m,
  },
  {
    name: "a fetch in bootstrap that nobody awaits",
    files: starting(`fetch("http://127.0.0.1:9/")`),
    logged: /^galley: uncaught error: TypeError: fetch failed\n.*\n.*src\/index\.js:2/m,
  },
  {
    name: "an error without a place",
    files: starting("", `{ bootstrap() { Promise.reject(null) } }`),
    logged: "galley: uncaught error after bootstrap of plugin mine: null",
  },
  {
    name: "process.exit in a package, called by a timer",
    files: starting(`const ending = require("ending"); setTimeout(() => ending(), 10)`),
    logged: /process\.exit\(7\) was called; the server keeps running\n[\s\S]*node_modules\/ending\/index\.js:1/,
  },
  {
    name: "process.exit under another name, in a cron task",
    files: starting(
      `const { exit } = require("node:process");
       strapi.cron.add({ tick: { task: () => exit(0), options: { rule: "* * * * * *" } } })`,
    ),
    logged: /Cron job "tick" failed Error: process\.exit\(0\) was called[\s\S]*src\/index\.js:3/,
  },
  {
    name: "process.exit in a handler of uncaught errors",
    files: starting(
      `process.on("uncaughtException", () => process.exit(1)); setTimeout(() => { throw new Error("lost") }, 10)`,
    ),
    logged: /process\.exit\(1\) was called; the server keeps running\n[\s\S]*src\/index\.js:2/,
  },
];

describe("while code starts, the server stays and names the place of", () => {
  for (const { name, files, logged } of lost) {
    test(name, async () => {
      await served(files, async (url, child, errors) => {
        await until("it answers", async () => (await status(url)) === 200);
        await until("it is logged", () =>
          typeof logged === "string" ? errors().includes(logged) : logged.test(errors()),
        );
        expect([child.exitCode, await status(url)]).toEqual([null, 200]);
      });
    }, 30_000);
  }
});

const cleanUp = `await new Promise((resolve) => setTimeout(resolve, 20))`;

const handlers: readonly { name: string; signal?: NodeJS.Signals; handler: string; code: number }[] = [
  { name: "process.exit", handler: "() => process.exit(3)", code: 3 },
  { name: "process.exit at Ctrl+C", signal: "SIGINT", handler: "() => process.exit(0)", code: 0 },
  {
    name: "strapi.destroy() and process.exit, with a catch around them",
    handler: `async () => { try { await strapi.destroy(); process.exit(4) } catch (error) { console.error(error); process.exit(5) } }`,
    code: 4,
  },
  {
    name: "process.exit after the server has stopped",
    handler: `async () => { ${cleanUp}; process.exit(0) }`,
    code: 0,
  },
];

describe("the process ends without an error where a handler of the signal calls", () => {
  for (const { name, signal = "SIGTERM", handler, code } of handlers) {
    test(name, async () => {
      await served(starting(`process.on("${signal}", ${handler})`), async (url, child, errors) => {
        await until("it answers", async () => (await status(url)) === 200);
        child.kill(signal);
        expect([await child.exited, errors()]).toEqual([code, ""]);
      });
    }, 30_000);
  }
});
