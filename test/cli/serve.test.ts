/** The command line as a person uses it: real processes, messages and exit codes. */

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";
import { patience, until } from "../until.ts";

const { root, remove } = projectFolder({ ...configFile(), ...typeFile("post", { title: { type: "string" } }) });
afterAll(remove);

const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
async function galley(...args: string[]) {
  const child = Bun.spawn([...PROGRAM, ...args], { stdout: "pipe", stderr: "pipe", env: environment });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out, err, code };
}

class Served {
  output = "";
  readonly #child;

  constructor(args: string[], env: Record<string, string> = {}) {
    this.#child = Bun.spawn([...PROGRAM, "serve", root, "--memory", ...args], {
      stdout: "pipe",
      stderr: "inherit",
      env: { ...environment, ...env },
    });
    void this.#read();
  }

  async #read(): Promise<void> {
    for await (const chunk of this.#child.stdout) this.output += new TextDecoder().decode(chunk);
  }

  async answers(url: string): Promise<Response> {
    for (let tries = 0; tries < 200; tries++) {
      const response = await fetch(url).catch(() => undefined);
      if (response) return response;
      await Bun.sleep(20);
    }
    throw new Error(`${url} does not answer`);
  }

  async stop(signal: "SIGINT" | "SIGTERM"): Promise<number> {
    this.#child.kill(signal);
    return this.#child.exited;
  }
}

describe("galley serve", () => {
  test("serves on IPv4 and IPv6, tells a line for each request, and stops cleanly", async () => {
    const port = freePort();
    const served = new Served(["--port", String(port), "--public"]);
    expect((await served.answers(`http://127.0.0.1:${port}/api/posts`)).status).toBe(200);
    expect((await fetch(`http://[::1]:${port}/_health`)).status).toBe(204);
    expect(await served.stop("SIGINT")).toBe(0);
    expect(served.output).toContain(`http://localhost:${port}/api/posts?populate=*`);
    expect(served.output).toContain("readable by everybody: posts");
    expect(served.output).toMatch(/GET \/api\/posts 200 \d+\.\d ms/);
  });

  test.skipIf(process.platform === "win32")("goes on when nobody reads what it prints", async () => {
    const port = freePort();
    const [errors, output] = ["error", "output"].map((name) => join(root, `${name}.fifo`));
    Bun.spawnSync(["mkfifo", errors!, output!]);
    // the shell has both ends of each pipe open
    const command = `exec 3<>"$0" 4<>"$1"; shift; exec "$@" 1>&3 2>&4`;
    const args = [...PROGRAM, "serve", root, "--memory", "--public", "--port", String(port)];
    const options = { env: environment, timeout: Math.ceil(patience()), killSignal: "SIGKILL" } as const;
    const child = Bun.spawn(["sh", "-c", command, output!, errors!, ...args], options);
    const url = `http://localhost:${port}/api/posts?filters[title]=${"x".repeat(400)}`;
    await until("it answers", () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    for (let count = 0; count < 400; count++) expect((await fetch(url)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });

  test.skipIf(process.platform === "win32")("ends when its last line was read", async () => {
    using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const index = `module.exports = { bootstrap() { console.log("x".repeat(300_000)); } };`;
    const project = projectFolder({ ...typeFile("post", { title: { type: "string" } }), "src/index.js": index });
    const args = [...PROGRAM, "serve", project.root, "--memory", "--port", String(taken.port)];
    const child = Bun.spawn(["sh", "-c", `"$@" 2>&1 | (sleep 1; cat)`, "sh", ...args], { env: environment });
    expect(await child.stdout.text()).toContain("in use");
    project.remove();
  });

  test("help of a command is that of --help", async () => {
    const [by, asked] = await Promise.all([galley("help", "token", "create"), galley("token", "create", "--help")]);
    expect(by).toEqual(asked);
    expect(by.code).toBe(0);
  });

  test("takes the port from the environment and is quiet when told so", async () => {
    const port = freePort();
    const served = new Served(["--quiet"], { PORT: String(port) });
    expect((await served.answers(`http://localhost:${port}/api/posts`)).status).toBe(403);
    expect(await served.stop("SIGTERM")).toBe(0);
    expect(served.output).toBe("");
  });

  test("takes the port from the project's .env, too", async () => {
    const port = freePort();
    const file = join(root, ".env");
    await Bun.write(file, `PORT=${port}\n`);
    const served = new Served(["--quiet"]);
    expect((await served.answers(`http://localhost:${port}/_health`)).status).toBe(204);
    expect(await served.stop("SIGTERM")).toBe(0);
    await Bun.file(file).delete();
  });

  test("tells that a port is in use", async () => {
    const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const { port } = other;
    const { err, code } = await galley("serve", root, "--memory", "--port", String(port));
    other.stop(true);
    expect(code).toBe(1);
    const by = process.platform === "linux" ? ` by \\S+ \\(process ${process.pid}\\)` : "";
    expect(err).toMatch(
      new RegExp(`^galley: port ${port} is in use${by}; --port chooses another one, and --port 0 a free one\n$`),
    );
  });

  test("tells what to do in a folder without content-types", async () => {
    const { err, code } = await galley("serve", import.meta.dir);
    expect(code).toBe(1);
    expect(err).toContain("has no content-types (src/api); galley init");
  });

  const mistakes: readonly (readonly [args: string[], message: string])[] = [
    [["serve", root, "--port", "many"], '--port must be a port number, not "many"'],
    ...["0", "65", "1.5", "many"].map((text): [string[], string] => [
      ["serve", root, `--workers=${text}`],
      `--workers must be a whole number from 1 to 64, not "${text}"`,
    ]),
    [
      ["serve", root, "--memory", "--workers=2"],
      "--workers needs a database on disk: processes cannot share the one of --memory",
    ],
    [["worker"], "this is started by galley serve"],
    [["serve", root, "--nothing"], "unknown option --nothing (galley serve --help lists the options)"],
    [
      ["serve", root, "--prot=80"],
      "unknown option --prot; did you mean --port? (galley serve --help lists the options)",
    ],
    [["serve", root, "--port"], "--port needs a value: --port <number>"],
    [["serve", root, "two"], "too many arguments: two (usage: galley serve [project | archive | url])"],
    [["serve", "/nowhere/at/all"], "there is no folder /nowhere/at/all"],
    [["--port", "24000"], "--port stands after a command, as in galley serve --port 24000 (galley --help lists"],
    [["nope"], 'unknown command "nope" (galley --help lists the commands)'],
    [["develop"], 'unknown command "develop"; use galley serve instead of strapi develop (galley --help lists'],
    [["start"], 'unknown command "start"; use galley serve instead of strapi start'],
    [
      ["ts:generate-types"],
      'unknown command "ts:generate-types"; use galley types instead of strapi ts:generate-types',
    ],
    [["build"], 'unknown command "build"; nothing needs to be built (galley --help lists the commands)'],
    [["serv"], 'unknown command "serv"; did you mean serve? (galley --help lists the commands)'],
    [["help", "token", "creat"], 'unknown command "token creat"; did you mean token create?'],
  ];
  for (const [args, message] of mistakes) {
    test(`refuses ${args.slice(-2).join(" ")}`, async () => {
      const { err, code } = await galley(...args);
      expect(code).toBe(1);
      expect(err).toContain(message);
      expect(err).not.toContain("    at ");
    });
  }
});

test("help and version", async () => {
  const help = await galley("--help");
  expect(help.out).toContain("galley serve".split(" ")[1]!);
  expect(help.code).toBe(0);
  expect((await galley("serve", "--help")).out).toContain("--port <number>");
  expect((await galley("--version")).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
