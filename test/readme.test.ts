/**
 * The README and the manual: the list of commands is complete, links lead
 * somewhere, and source files that the documents name exist.
 */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readmeTable } from "../scripts/bench/readme-table.ts";
import { commands } from "../src/cli/commands/index.ts";
import { documents, page, ROOT, readme, readText } from "./documents.ts";

/** The list of commands, by the command: its lines, and the indented ones below. */
const listed = new Map(
  (/^```\n(galley serve[\s\S]*?)^```$/m.exec(page("command-line"))?.[1] ?? "")
    .split(/^(?=galley )/m)
    .map((text) => [/^galley ((?:(?:config|content|token) )?[\w-]+)/.exec(text)?.[1] ?? "", text] as const),
);

test("the list of commands has all of them, with their options and no others", () => {
  const shown = commands.filter(({ hidden }) => !hidden);
  expect([...listed.keys()].filter((name) => name !== "help").sort()).toEqual(shown.map(({ name }) => name).sort());
  const names = (text: string): string[] => [...text.matchAll(/--([a-z][\w-]*)/g)].map(([, name]) => name!).sort();
  for (const { name, options = {} } of shown)
    expect({ [name]: [...new Set(names(listed.get(name)!))] }).toEqual({ [name]: Object.keys(options).sort() });
});

test("the table of figures has the rows and columns that the benchmark prints", () => {
  const headings = (table: string): string[] =>
    table.split("\n").map((row, index) => (index === 0 ? row : row.split("|")[1]!.trim()));
  const printed = headings(readmeTable({}));
  expect(readme).toContain(printed[0]!);
  const table = readme.slice(readme.indexOf(printed[0]!)).split("\n\n")[0]!;
  expect(headings(table)).toEqual(printed);
});

test("the README is short, and names every page of the manual", () => {
  expect(readme.split("\n").length).toBeLessThanOrEqual(250);
  const missing = [...documents.keys()].filter((path) => path !== "README.md" && !readme.includes(`](${path})`));
  expect(missing).toEqual([]);
});

test("CONTRIBUTING is read in ten minutes or so", () => {
  expect(readText("CONTRIBUTING.md").split(/\s+/).length).toBeLessThanOrEqual(2_700);
});

/** As GitHub makes them of headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** Of those who change Galley. */
const FOR_ENGINEERS = [
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...new Bun.Glob("{src,scripts,test}/**/README.md").scanSync(ROOT),
].filter((path) => !path.includes("node_modules"));

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, "");
const anchorsOf = (path: string): string[] =>
  [...withoutCode(readText(path)).matchAll(/^#{1,4} (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

test.each([...documents.keys(), ...FOR_ENGINEERS])(
  "the links of %s lead to headings and files that are there",
  (path) => {
    const targets = [...withoutCode(readText(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const broken = targets
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [file = "", anchor] = target.split("#");
        const found = file === "" ? path : join(dirname(path), file);
        if (!existsSync(join(ROOT, found))) return true;
        return anchor !== undefined && !anchorsOf(found).includes(anchor);
      });
    expect(broken).toEqual([]);
  },
);

test("source files that the documents name are there", () => {
  const files = [...new Bun.Glob("{src,test,scripts}/**/*.{ts,tsx}").scanSync(ROOT)].map((file) => `/${file}`);
  const missing = [...FOR_ENGINEERS, ...documents.keys()].flatMap((document) => {
    const names = [...readText(document).matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name]) => name!);
    return names
      .filter((name) => !files.some((file) => file.endsWith(`/${name}`)))
      .map((name) => `${document}: ${name}`);
  });
  expect(missing).toEqual([]);
});
