/** Questions to git, wherever this process was started. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "../../src/lib/git.ts";
import { findRepository } from "../../src/server/content-changes/repository.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "galley-git-test-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [hooked, asked] = ["hooked", "asked"].map((name) => join(folder, name)) as [string, string];
for (const root of [hooked, asked]) Bun.spawnSync(["git", "init", "-q", root]);
mkdirSync(join(asked, "content"));

async function askWith(environment: Record<string, string>): Promise<string> {
  Object.assign(process.env, environment);
  try {
    const text = await git(join(asked, "content"), ["rev-parse", "--absolute-git-dir", "--show-prefix"]);
    return text.toString();
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name];
  }
}

test("what git sets for a hook does not name the repository of another folder", async () => {
  const found = `${asked}/.git\ncontent/\n`;
  expect(await askWith({ GIT_DIR: join(hooked, ".git"), GIT_INDEX_FILE: join(hooked, ".git/index.lock") })).toBe(found);
  // of its own repository, it is seen from the root
  expect(await askWith({ GIT_DIR: join(asked, ".git"), GIT_PREFIX: "" })).toBe(found);
  expect(await askWith({ GIT_DIR: "." })).toBe(found);
});

test("a folder that is missing is none of git's", async () => {
  expect(git(join(folder, "missing"), ["status"])).rejects.toThrow("missing: is missing");
  expect(await findRepository(join(folder, "missing"))).toBeUndefined();
});

test("a named working tree has the named repository", async () => {
  const other = { GIT_DIR: join(hooked, ".git"), GIT_WORK_TREE: asked };
  expect(await askWith(other)).toBe(`${hooked}/.git\ncontent/\n`);
});
