import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-config-"));
const root = join(folder, "project");
cpSync(join(import.meta.dir, "../../data/empty"), root, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function galley(args: readonly string[], input = "") {
  const child = Bun.spawn([...PROGRAM, "config", ...args], {
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output, errors };
}

const row = (key: string, value: unknown, type = "object") => ({
  key,
  value: typeof value === "string" ? value : JSON.stringify(value),
  type,
  environment: null,
  tag: null,
});
const LAYOUT = "plugin_content_manager_configuration_content_types::api::a.a";
const dump = async () => JSON.parse((await galley(["dump", root])).output) as { key: string; value: string }[];
const storedValue = async (key: string) => (await dump()).find((found) => found.key === key)?.value;

test("settings of a dump of Strapi are restored by each strategy, and dumped again as they were", async () => {
  const rows = [row(LAYOUT, { settings: { pageSize: 10 } }), row("plugin_i18n_default_locale", "de", "string")];
  const first = await galley(["restore", root], JSON.stringify(rows));
  expect([first.code, first.output]).toEqual([
    0,
    expect.stringMatching(/^created: 1, replaced: 1\ngalley serve .* serves it\n$/),
  ]);
  const dumped = await dump();
  expect(dumped).toEqual(expect.arrayContaining(rows));
  expect(dumped.map(({ key }) => key)).toEqual(dumped.map(({ key }) => key).toSorted());
  const next = JSON.stringify([row(LAYOUT, { settings: { pageSize: 50 } }), row("plugin_x_y", { a: 1 })]);
  const kept = await galley(["restore", root, "--strategy", "keep"], next);
  expect(kept.output).toStartWith("created: 1, left as they are: 1\n");
  expect([await storedValue(LAYOUT), await storedValue("plugin_x_y")]).toEqual([
    '{"settings":{"pageSize":10}}',
    '{"a":1}',
  ]);
  const file = join(folder, "dump.json");
  writeFileSync(file, next);
  expect((await galley(["restore", root, "--file", file, "--strategy", "merge"])).output).toStartWith(
    "created: 0, merged: 2\n",
  );
  expect(await storedValue(LAYOUT)).toBe('{"settings":{"pageSize":50}}');
  const written = join(folder, "written.json");
  expect((await galley(["dump", root, "--file", written, "--pretty"])).output).toContain(`settings are in ${written}`);
  expect(statSync(written).mode & 0o077).toBe(0);
}, 120_000);

test("a file that cannot be read or written is refused", async () => {
  const file = join(folder, "missing/dump.json");
  const read = await galley(["restore", root, "--file", file]);
  const written = await galley(["dump", root, "--file", file]);
  expect([read.code, written.code]).toEqual([1, 1]);
  expect(read.errors).toContain(`--file: ${file} cannot be read (ENOENT)`);
  expect(written.errors).toContain(`--file: ${file} cannot be written (ENOENT)`);
}, 60_000);

test("input that is not a dump is refused, and changes nothing", async () => {
  const before = await dump();
  for (const [input, problem] of [
    ["", "is not valid JSON"],
    ["{}", "is not a list of settings"],
    ['[{"key":"plugin_a_b","value":"1","type":"string"},{"key":1}]', "entry 2 has no key or no value"],
  ] as const) {
    const { code, errors } = await galley(["restore", root], input);
    expect([code, errors.includes(problem)]).toEqual([1, true]);
  }
  expect((await galley(["restore", root, "--strategy", "mix"], "[]")).errors).toContain("--strategy must be one of");
  expect(await dump()).toEqual(before);
}, 120_000);
