/** Pages of the manual on the command line. */
import { expect, test } from "bun:test";
import { basename } from "node:path";
import { documents, PAGES, page } from "../documents.ts";
import { PROGRAM } from "../program.ts";

function help(...words: string[]): { code: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...PROGRAM, "help", ...words], {
    env: { PATH: process.env.PATH },
  });
  return { code: exitCode, output: `${stdout}${stderr}` };
}

const topics = [...documents.keys()].flatMap((path) => (path.startsWith(PAGES) ? [basename(path, ".md")] : []));

test("galley help names every topic", () => {
  const { code, output } = help();
  const [, named = ""] = /page of the manual: (.*)\.$/m.exec(output) ?? [];
  expect([code, named.split(", ").toSorted()]).toEqual([0, topics.toSorted()]);
  expect(named).toStartWith("start, concepts,");
});

test.each(topics)("galley help %s prints the page as Markdown where there is no terminal", (name) => {
  const [front = "", text = ""] = page(name).split(/\n---\n([\s\S]*)/);
  const title = /^title: (.*)$/m.exec(front)![1]!.replaceAll(/^"|"$/g, "");
  const { code, output } = help(name);
  expect([code, output]).toEqual([0, expect.stringContaining(text.trim())]);
  expect(output).toStartWith(`# ${title}\n`);
});

test("an unknown topic is an error", () => {
  expect(help("grafql")).toEqual({ code: 1, output: expect.stringContaining('unknown command "grafql"') });
  expect(help("graphql", "more").code).toBe(1);
});
