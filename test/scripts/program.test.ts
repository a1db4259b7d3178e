/** The modules of an executable: a start evaluates one, and what other chunks share with it exists once. */

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Chunk } from "../../scripts/executable/chunks.ts";
import { importFromProgram, joinProgram } from "../../scripts/executable/program.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-program-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const chunk = (text: string, imports: readonly string[] = []): Chunk => ({ text, imports, exports: [], sources: {} });

const texts = {
  "main.js":
    'import "./first.js"; import { count, Shared as S, increment } from "./shared.js"; increment(); export const ofMain = { S, count: () => count };',
  "first.js": "(globalThis.programOrder ??= []).push('first');",
  "shared.js":
    "globalThis.programOrder.push('shared'); export class Shared {} export let count = 0; export const increment = () => { count++; };",
  "lazy.js":
    'import "./first.js"; import { Shared, count as seen } from "./shared.js"; export const ofLazy = { Shared, seen: () => seen };',
};

test("a start evaluates one module, in order, and lazy chunks share it", async () => {
  const chunks = new Map([
    ["main.js", chunk(texts["main.js"], ["first.js", "shared.js"])],
    ["first.js", chunk(texts["first.js"])],
    ["shared.js", chunk(texts["shared.js"])],
    ["lazy.js", chunk(texts["lazy.js"], ["first.js", "shared.js"])],
  ]);
  const program = await joinProgram(chunks, folder);
  expect([...program.chunks]).toEqual(["first.js", "shared.js"]);
  const modules = await importFromProgram(chunks, ["main.js", "lazy.js"], program, join(folder, "separate"));
  const written = join(folder, "modules");
  for (const [name, text] of [...modules, ["program.js", program.text] as const])
    await Bun.write(join(written, name), text);
  const scanner = new Bun.Transpiler({ loader: "js" });
  expect(new Set(scanner.scanImports(modules.get("main.js")!).map(({ path }) => path))).toEqual(
    new Set(["./program.js"]),
  );
  expect(scanner.scanImports(program.text)).toEqual([]);
  const { ofMain } = await import(join(written, "main.js"));
  const { ofLazy } = await import(join(written, "lazy.js"));
  expect((globalThis as { programOrder?: string[] }).programOrder).toEqual(["first", "shared"]);
  expect(ofLazy.Shared).toBe(ofMain.S);
  // a live binding
  expect([ofMain.count(), ofLazy.seen()]).toEqual([1, 1]);
});

test("a chunk that a start would evaluate separately is refused", async () => {
  const chunks = new Map([
    ["main.js", chunk('import "./first.js";', ["first.js"])],
    ["first.js", chunk('import { Shared } from "./shared.js"; console.log(Shared);')],
    ["shared.js", chunk(texts["shared.js"])],
  ]);
  await expect(joinProgram(chunks, folder)).rejects.toThrow("a start evaluates ./shared.js separately");
});
