/** The first `bun run start` of a clone installs packages: it says so, and what an interruption left is completed by the next. */
import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "galley-first-install-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, value: object): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), JSON.stringify(value));
}

function install() {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, join(folder, "scripts/install.ts")]);
  return { exitCode, output: `${stdout}${stderr}` };
}

test("packages are installed where they are missing, with a line where none are there", () => {
  mkdirSync(join(folder, "scripts"));
  cpSync(join(import.meta.dir, "../../scripts/install.ts"), join(folder, "scripts/install.ts"));
  for (const name of ["one", "two"]) write(`local/${name}/package.json`, { name, version: "1.0.0" });
  write("package.json", { name: "clone", dependencies: { one: "file:./local/one", two: "file:./local/two" } });
  expect(Bun.spawnSync([process.execPath, "install", "--lockfile-only"], { cwd: folder }).exitCode).toBe(0);
  expect(install()).toEqual({
    exitCode: 0,
    output: "installing packages; the next start takes milliseconds …\n",
  });
  expect(install()).toEqual({ exitCode: 0, output: "" });
  // as after Ctrl+C
  rmSync(join(folder, "node_modules/two"), { recursive: true });
  expect(install()).toEqual({ exitCode: 0, output: "" });
  expect(existsSync(join(folder, "node_modules/two/package.json"))).toBe(true);
  write("package.json", { name: "clone", dependencies: { three: "file:./local/three" } });
  expect(install()).toEqual({ exitCode: 1, output: expect.stringContaining("three") });
});
