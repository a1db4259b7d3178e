/** The admin page of a server that was started at the command line: its link, and when there is none. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile, writeFiles } from "../project.ts";

const LINK = /http:\/\/\S+\/admin#(\S+)/;
const OWN = { "sec-fetch-site": "same-origin", "x-galley-admin": "1", "content-type": "application/json" };

let root: string;
let remove: () => void;
beforeEach(() => {
  ({ root, remove } = projectFolder({ ...configFile(), ...typeFile("post", { title: { type: "string" } }) }));
});
afterEach(() => remove());

async function serve(args: readonly string[], env: Record<string, string> = {}) {
  const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env };
  const child = Bun.spawn([...PROGRAM, "serve", root, "--port", "0", ...args], {
    stdout: "pipe",
    stderr: "pipe",
    env: environment,
  });
  const served = {
    output: "",
    address: "",
    stop: async () => {
      child.kill("SIGTERM");
      await child.exited;
      served.output += await new Response(child.stderr).text();
    },
  };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const read = async (): Promise<void> => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      served.output += chunk;
      served.address ||= /content-types? at (http:\/\/\S+)/.exec(served.output)?.[1] ?? "";
      // the last line of a start without the admin
      if (served.output.includes("/graphql")) resolve();
    }
    reject(new Error(`the server has ended:\n${served.output}`));
  };
  void read();
  await promise;
  // the link follows in the same run
  await Bun.sleep(100);
  return served;
}

const signIn = (address: string, token: string): Promise<Response> =>
  fetch(`${address}/admin/api/session`, { method: "POST", headers: OWN, body: JSON.stringify({ token }) });

describe("the admin page of galley serve", () => {
  test("the printed link signs in once, for all workers, and no log has its token", async () => {
    const served = await serve(["--workers", "2"]);
    const [, token = ""] = LINK.exec(served.output) ?? [];
    const printed = served.output.length;
    const first = await signIn(served.address, token);
    expect(first.status).toBe(200);
    const cookie = first.headers.get("set-cookie")!.split(";")[0]!;
    const again = await Promise.all(Array.from({ length: 6 }, () => signIn(served.address, token)));
    expect(again.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 401));
    const starts = await Promise.all(
      Array.from({ length: 6 }, () => fetch(`${served.address}/admin/api/start`, { headers: { ...OWN, cookie } })),
    );
    expect(starts.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    await served.stop();
    expect(served.output.slice(printed)).not.toContain(token);
    expect(served.output.slice(printed)).not.toContain(cookie);
  });

  test("in production, the link leads to the public address", async () => {
    writeFiles(root, { "config/server.js": 'module.exports = { url: "https://cms.example.org/" };' });
    const served = await serve(["--admin"], { NODE_ENV: "production" });
    await served.stop();
    expect(served.output).toContain("whoever opens this link first: https://cms.example.org/admin#");
    const local = await serve([]);
    await local.stop();
    expect(local.output).toContain(`whoever opens this link first: ${local.address}/admin#`);
  });

  test("whoever has no link left has one printed", async () => {
    const served = await serve([]);
    const printed = served.output.length;
    const ask = () => fetch(`${served.address}/admin/api/session/link`, { method: "POST", headers: OWN, body: "{}" });
    const [first, second] = [await ask(), await ask()];
    expect(await first.json()).toEqual({ data: { isPrinted: true } });
    expect(await second.json()).toEqual({ data: { isPrinted: false } });
    while (!LINK.test(served.output.slice(printed))) await Bun.sleep(10);
    const [, token = ""] = LINK.exec(served.output.slice(printed)) ?? [];
    expect((await signIn(served.address, token)).status).toBe(200);
    await served.stop();
  });

  const cases: readonly [name: string, args: readonly string[], env: Record<string, string>, status: number][] = [
    ["with --no-admin there is none", ["--no-admin"], {}, 404],
    ["in production there is none", [], { NODE_ENV: "production" }, 404],
    ["on a public address there is none", ["--host", "0.0.0.0"], {}, 404],
    ["in production with --admin there is one", ["--admin"], { NODE_ENV: "production" }, 200],
  ];
  test.each(cases)("%s", async (_, args, env, status) => {
    const served = await serve(args, env);
    expect((await fetch(`${served.address}/admin`)).status).toBe(status);
    expect(LINK.test(served.output)).toBe(status === 200);
    await served.stop();
  });
});
