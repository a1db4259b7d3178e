/** Errors that nothing has caught: they are logged with what was being answered, and the process goes on until they are many. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SafetyNet } from "../../src/cli/safety-net.ts";
import { freePort } from "../free-port.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";
import { until } from "../until.ts";

function net(limit?: number) {
  const printed: string[] = [];
  let ends = 0;
  const made = new SafetyNet({ print: (line) => printed.push(line), end: () => ends++, ...(limit ? { limit } : {}) });
  return { net: made, printed, ends: () => ends };
}

describe("an error that nothing has caught", () => {
  test("is logged with method and path of what is being answered, and nothing that may be secret", async () => {
    const { net: safety, printed, ends } = net();
    const { promise, resolve } = Promise.withResolvers<Response>();
    const answer = safety.watch(() => promise)(
      new Request("http://localhost/api/posts?token=secret", { method: "PUT" }),
    );
    safety.catch(new Error("a timer"));
    resolve(new Response());
    await answer;
    safety.catch("later");
    expect(printed[0]).toStartWith(
      "galley: an error that nothing has caught while answering PUT /api/posts: Error: a timer",
    );
    expect(printed[0]).not.toContain("secret");
    expect(printed[1]).toBe('galley: an error that nothing has caught: "later"');
    expect(ends()).toBe(0);
  });

  test("does not keep a request whose handler fails", async () => {
    const { net: safety, printed } = net();
    const failing = safety.watch(async () => {
      throw new Error("no");
    });
    await expect(failing(new Request("http://localhost/x"))).rejects.toThrow("no");
    safety.catch(new Error("later"));
    expect(printed[0]).not.toContain("/x");
  });

  test("ends the process when it is the tenth within a minute", () => {
    const { net: safety, printed, ends } = net();
    for (let count = 0; count < 9; count++) safety.catch(new Error("again"));
    expect(ends()).toBe(0);
    safety.catch(new Error("again"));
    expect(ends()).toBe(1);
    expect(printed.at(-1)).toBe("galley: 10 such errors within a minute: the server ends");
  });
});

const MAIN = join(import.meta.dir, "../../src/main.ts");
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
  const child = Bun.spawn([process.execPath, MAIN, "serve", root, "--quiet", "--port", String(port), ...args], {
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

test("one that fails again and again ends with a message", async () => {
  const code = `setTimeout(() => setInterval(() => { throw new Error("again") }, 10), 300)`;
  await served(failing(code), async (_url, child, errors) => {
    expect(await child.exited).toBe(1);
    await until("it is told", () => errors().includes("10 such errors within a minute: the server ends"));
  });
}, 30_000);
