/**
 * How many files of `src/` a request runs through: those of which it executes more lines than the start alone does, as the
 * coverage of a process of its own tells. CONTRIBUTING says why there are bounds.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Request = "none" | "list" | "create";
/** How often each line was executed, by `file:line`. */
type Lines = ReadonlyMap<string, number>;

async function executedLines(request: Request): Promise<Lines> {
  const folder = mkdtempSync(join(tmpdir(), "galley-coverage-"));
  try {
    const coverage = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`];
    const child = Bun.spawn([process.execPath, "test", "./test/one-request.ts", ...coverage], {
      cwd: join(import.meta.dir, ".."),
      env: { ...process.env, REQUEST: request },
      stderr: "pipe",
      stdout: "ignore",
    });
    const output = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(output);
    const lines = new Map<string, number>();
    let file = "";
    for (const line of readFileSync(join(folder, "lcov.info"), "utf8").split("\n")) {
      if (line.startsWith("SF:")) file = line.slice("SF:".length);
      const [, number, count] = /^DA:(\d+),(\d+)/.exec(line) ?? [];
      if (number && file.startsWith("src/")) lines.set(`${file}:${number}`, Number(count));
    }
    return lines;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const lines = {} as Record<Request, Lines>;
beforeAll(async () => {
  for (const request of ["none", "list", "create"] as const) lines[request] = await executedLines(request);
});

function filesOf(request: Request): string[] {
  const more = [...lines[request]].filter(([line, count]) => count > (lines.none.get(line) ?? 0));
  return [...new Set(more.map(([line]) => line.slice(0, line.lastIndexOf(":"))))].sort();
}

describe("the smallest request runs through few files", () => {
  test.each([
    ["list", 34],
    ["create", 69],
  ] as const)("%s: at most %d", (request, most) => {
    const files = filesOf(request);
    // otherwise nothing was measured
    expect(files).toContain("src/api/rest/pipeline.ts");
    expect(files.length > most ? files : []).toEqual([]);
  });
});
