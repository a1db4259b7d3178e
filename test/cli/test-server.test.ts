/** `galley test-server` as a process, as test runners of other languages start it. */
import { afterAll, expect, test } from "bun:test";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";

const { root, remove } = projectFolder({ ...typeFile("tag", { name: { type: "string" } }), ...configFile() });
afterAll(remove);

const start = (args: readonly string[], env: Record<string, string> = {}) =>
  Bun.spawn([...PROGRAM, "test-server", ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString();
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0]!;
}

test("it serves the project of the folder, says where, and ends with a signal", async () => {
  const port = freePort();
  const child = start(["--public", "--now", "2026-01-01T00:00:00Z", "--seed", "1"], { PORT: `${port}` });
  const line = await firstLine(child.stdout);
  expect(line).toBe(`Tests: http://localhost:${port}, branches: POST http://localhost:${port}/_branches`);
  const make = async (): Promise<object> => {
    const { data } = (await (await fetch(`http://localhost:${port}/_branches`, { method: "POST" })).json()) as {
      data: { url: string };
    };
    const body = JSON.stringify(["tag", {}]);
    return (await fetch(`${data.url}/_test/make`, { method: "POST", body })).json() as Promise<object>;
  };
  const made = await make();
  expect(made).toMatchObject({ data: { createdAt: expect.stringMatching(/^2026-01-01T00:00:00/) } });
  expect(await make()).toEqual(made);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
}, 60_000);

test("a port in use, an impossible time and an unknown project are errors with one line", async () => {
  const taken = Bun.serve({ port: 0, hostname: "localhost", fetch: () => new Response() });
  const cases: [string[], string][] = [
    [["--port", `${taken.port}`], "is in use"],
    [["--port", "0", "--now", "soon"], "--now is not a valid time: soon"],
    [["--port", "0", "--now", "12 May 2030"], "--now is not a valid time: 12 May 2030"],
    [["--port", "0", "nowhere"], "nowhere"],
    [["--port", "many"], "--port must be a port number"],
    [["--port", "0", "--key", "x"], "--key is for archives"],
  ];
  for (const [args, message] of cases) {
    const child = start(args);
    const [errors, code] = [await child.stderr.text(), await child.exited];
    expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
    expect(errors.trim().split("\n")).toHaveLength(1);
  }
  taken.stop(true);
}, 60_000);
