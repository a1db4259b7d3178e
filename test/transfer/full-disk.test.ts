/** An export that does not fit: one line says so, and no part of it stays. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";
import { Random } from "../random.ts";

const { root, remove } = projectFolder({ ...configFile(), ...typeFile("note", { text: { type: "text" } }) });
afterAll(remove);

test.skipIf(process.platform === "win32")("the disk is full", async () => {
  {
    await using galley = await createGalley({ project: root, memory: false });
    const random = new Random(1);
    // what gzip cannot make much smaller
    const text = Array.from({ length: 100_000 }, () => random.next().toString(36).slice(2, 10)).join("");
    await galley.documents("api::note.note").create({ data: { text } });
  }
  const folder = join(root, "out");
  mkdirSync(folder);
  // that of an export that was killed
  const part = join(folder, `a.tar.gz.${Bun.spawnSync([process.execPath, "--version"]).pid}.part`);
  writeFileSync(part, "");
  utimesSync(part, 0, 0);
  const child = Bun.spawn(["sh", "-c", 'ulimit -f 800; exec "$@"', "sh", ...PROGRAM, "export", "a.tar.gz", root], {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect([await child.exited, out]).toEqual([1, ""]);
  expect(errors).toMatch(/^galley: \S+a\.tar\.gz: cannot be written: the disk is full \([^\n]+\)\n$/);
  expect(readdirSync(folder)).toEqual([]);
});
