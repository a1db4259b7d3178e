import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../src/server/app.ts";
import { openProject } from "../../src/server/project/project.ts";
import { PROGRAM } from "../program.ts";
import { CONFORMANCE } from "../project.ts";

const FULL = "conformance-full-access";
const folder = mkdtempSync(join(tmpdir(), "galley-pull-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a pull recognises an API token, remembers when it was, and says what it left out", async () => {
  const source = openProject(CONFORMANCE, { memory: true, publicRead: false, environment: {} });
  await source.idle();
  const app = createApp(source);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) =>
      // as Strapi answers a token that is not a transfer token
      request.url.includes("/admin/transfer/") ? new Response(null, { status: 401 }) : app.handle(request),
  });
  const headers = { authorization: `Bearer ${FULL}`, "content-type": "application/json" };
  const add = (label: string) =>
    app.handle(
      new Request("http://localhost/api/tags", { method: "POST", headers, body: JSON.stringify({ data: { label } }) }),
    );
  const root = join(folder, "target");
  cpSync(CONFORMANCE, root, { recursive: true });
  const pull = async (token: string, ...more: readonly string[]) => {
    const url = `http://127.0.0.1:${server.port}/admin`;
    const child = Bun.spawn([...PROGRAM, "pull", url, root, "--yes", ...more], {
      stdout: "pipe",
      stderr: "pipe",
      env: { ...process.env, GALLEY_REMOTE_TOKEN: token },
    });
    const [out, errors, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, output: out + errors };
  };
  const labels = (): unknown[] => {
    const project = openProject(root, { memory: false, publicRead: false, environment: {} });
    const found = project.context.storage.all("SELECT label FROM tags ORDER BY id").map(([label]) => label);
    void project.close();
    return found;
  };
  await add("first");
  const early = await pull(FULL, "--since", "last");
  expect([early.code, early.output]).toEqual([1, expect.stringContaining("there was no pull over REST from there")]);
  const abandoned = join(root, ".galley", `pull-${Bun.spawnSync([process.execPath, "--version"]).pid}`);
  mkdirSync(abandoned);
  utimesSync(abandoned, 0, 0);
  const first = await pull(FULL);
  expect(existsSync(abandoned)).toBe(false);
  expect([first.code, labels()]).toEqual([0, ["first"]]);
  expect(first.output).toContain("not answered by REST: ");
  expect(first.output).toContain("not copied over REST: users, roles, permissions and settings");
  await add("second");
  const next = await pull(FULL, "--since", "last");
  expect([next.code, labels().toSorted()]).toEqual([0, ["first", "second"]]);
  expect(next.output).toContain("deletions are not seen");
  const wrong = await pull("no-such-token");
  expect([wrong.code, labels().length]).toEqual([1, 2]);
  expect(wrong.output.split("\n").length).toBe(2);
  const withSchemas = await pull(FULL, "--schemas");
  expect(withSchemas.code).toBe(1);
  for (const { output } of [wrong, withSchemas])
    expect(output).toMatch(
      /A transfer token with the right to pull copies everything.*; an API token copies the documents/,
    );
  expect(labels().length).toBe(2);
  expect((await pull(FULL, "--since", "yesterday")).code).toBe(1);
  // a token that may find tags and articles only
  const project = openProject(root, { memory: false, publicRead: false, environment: {} });
  await project.idle();
  const made = await createApp(project).handle(
    new Request("http://localhost/api/authors", {
      method: "POST",
      headers,
      body: JSON.stringify({ data: { name: "Ada" } }),
    }),
  );
  expect(made.status).toBe(201);
  await project.close();
  const strict = await pull("conformance-custom", "--strict");
  expect([strict.code, strict.output]).toEqual([1, expect.stringContaining("would be left out: api::author.author")]);
  const partial = await pull("conformance-custom");
  expect([partial.code, labels()]).toEqual([1, ["first", "second"]]);
  expect(partial.output).toContain("kept: 2 rows of api::author.author, which the token may not read");
  const deleting = await pull("conformance-custom", "--delete-unread");
  expect([deleting.code, deleting.output]).toEqual([0, expect.not.stringContaining("kept: ")]);
  expect((await pull("conformance-custom")).code).toBe(0);
  expect(readdirSync(join(root, ".galley")).filter((name) => name.startsWith("pull"))).toEqual([]);
  server.stop(true);
  await source.close();
}, 180_000);
