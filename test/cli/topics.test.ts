/** Pages of the manual on the command line. */
import { expect, test } from "bun:test";
import { page } from "../documents.ts";
import { PROGRAM } from "../program.ts";

function help(...words: string[]): { code: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...PROGRAM, "help", ...words], {
    env: { PATH: process.env.PATH },
  });
  return { code: exitCode, output: `${stdout}${stderr}` };
}

test("galley help names the topics, and prints one as Markdown where there is no terminal", () => {
  const { code, output } = help();
  expect(code).toBe(0);
  expect(output).toContain("page of the manual: start, concepts,");
  const text = page("graphql").split("\n---\n")[1]!.trim();
  expect(help("graphql")).toEqual({ code: 0, output: expect.stringContaining(text) });
});

test("an unknown topic is an error", () => {
  expect(help("grafql")).toEqual({ code: 1, output: expect.stringContaining('unknown command "grafql"') });
  expect(help("graphql", "more").code).toBe(1);
});
