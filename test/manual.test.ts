/**
 * The manual says what the code's tables have: each key of the configuration, limit, error, operator, attribute type and environment
 * variable has its line; its modules and tests run.
 */
import { describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { scalarTypes } from "../src/engine/attributes/index.ts";
import { GalleyFile } from "../src/engine/config/galley-file.ts";
import { comparisons } from "../src/engine/query/operators.ts";
import { createGalley } from "../src/index.ts";
import { limitNames } from "../src/lib/budget.ts";
import { errorTable } from "../src/lib/errors.ts";
import { codeBlocks, documents, page, ROOT } from "./documents.ts";
import { closeBrowser, hasBrowser, openBrowser } from "./ui/browser.ts";

/** The rows of all tables of a page, as lists of their cells. */
const rowsOf = (name: string): string[][] =>
  page(name)
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(1, -1).split(/(?<!\\)\|/));

const namesIn = (text: string): string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
const firstNames = (name: string): string[] => rowsOf(name).flatMap(([first = ""]) => namesIn(first));

/** Of a TypeBox schema. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
}

/** The keys of an object's shape that have no keys of their own, as paths. */
const leafKeys = ({ properties = {} }: Shape, path: readonly string[] = []): string[][] =>
  Object.entries(properties).flatMap(([key, shape]) =>
    shape.properties ? leafKeys(shape, [...path, key]) : [[...path, key]],
  );

describe("the manual has a line for", () => {
  const configuration = rowsOf("configuration");

  test.each(
    leafKeys(GalleyFile as Shape)
      .filter(([first]) => first !== "limits")
      .map((path) => [path.join("."), path] as const),
  )("the key %s", (_, path) => {
    const prefixes = path.map((__, index) => path.slice(0, index + 1).join("."));
    const found = configuration.some(([first = "", ...others]) => {
      const named = namesIn(first);
      const length = prefixes.findLastIndex((prefix) => named.includes(prefix)) + 1;
      const rest = path.slice(length);
      return length > 0 && (rest.length === 0 || namesIn(others.join()).some((name) => name.endsWith(rest.join("."))));
    });
    expect(found).toBe(true);
  });

  test.each(limitNames)("the limit %s", (name) => {
    expect(firstNames("limits")).toContain(name);
  });

  test.each(Object.entries(errorTable))("the error %s, with its status", (kind, { status, ...row }) => {
    const name = "name" in row ? row.name : kind;
    const rows = rowsOf("errors").filter(([first = ""]) => namesIn(first).includes(name));
    expect(rows.flatMap(([, statuses = ""]) => statuses.trim().split(", "))).toContain(`${status}`);
  });

  test.each(Object.keys(comparisons))("the operator %s", (name) => {
    expect(firstNames("rest")).toContain(name);
  });

  test.each(Object.keys(scalarTypes))("the attribute type %s", (name) => {
    expect(namesIn(page("project"))).toContain(name);
  });

  /** Those by which a desktop or a terminal is recognised. */
  const ofDesktops = [
    "BROWSER",
    "DISPLAY",
    "NO_COLOR",
    "SSH_CONNECTION",
    "TERM",
    "WAYLAND_DISPLAY",
    "WSL_DISTRO_NAME",
    "WSL_INTEROP",
  ];
  const variables = new Set(
    [...new Bun.Glob("src/**/*.ts").scanSync(ROOT)]
      .map((file) => readFileSync(join(ROOT, file), "utf8"))
      .flatMap((code) =>
        [...code.matchAll(/\b(?:env|environment)\??\.([A-Z][A-Z0-9_]{3,})\b/g)].map(([, name]) => name!),
      ),
  );

  test.each([...variables].filter((name) => !ofDesktops.includes(name)).sort())("the variable %s", (name) => {
    expect([...documents.values()].some((text) => text.includes(name))).toBe(true);
  });
});

test("settings that are shown are valid, and so is other JSON", () => {
  const blocks = [...documents.values()].flatMap(codeBlocks).filter(({ language }) => language === "json");
  const files = blocks.filter(({ file }) => file.endsWith("galley.json"));
  expect(files.length).toBeGreaterThan(1);
  for (const { code } of files) expect([...Value.Errors(GalleyFile, JSON.parse(code))]).toEqual([]);
  // answers of requests are compared by test/executed-documents.test.ts
  for (const { code, follows } of blocks) if (!follows) expect(() => JSON.parse(code)).not.toThrow();
});

test("the tests of the manual pass", () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-manual-tests-"));
  const examples = codeBlocks(page("tests")).filter(({ code }) => code.includes('from "bun:test"'));
  expect(examples.length).toBeGreaterThan(1);
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules/galley-cms"));
    cpSync(join(ROOT, "data/starter"), join(folder, "cms"), { recursive: true });
    for (const [index, { code }] of examples.entries()) writeFileSync(join(folder, `${index}.test.ts`), code);
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, "test"], { cwd: folder });
    expect([exitCode, stderr.toString()]).toEqual([0, expect.stringContaining(" 0 fail")]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 180_000);

test("the comparison with Strapi counts the recordings, and its features have the columns and cells that they should", () => {
  const [, requests, recordings] = /: ([\d,]+) recorded requests of (\d+) recordings/.exec(page("compare"))!;
  const folder = join(ROOT, "test/conformance/recordings");
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const steps = files.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).steps.length as number);
  const sum = steps.reduce((all, count) => all + count, 0);
  // a few more may have come since
  for (const [shown, now] of [
    [Number(requests!.replaceAll(",", "")), sum],
    [Number(recordings), files.length],
  ] as const)
    expect([shown, shown <= now && shown > now * 0.95]).toEqual([shown, true]);
  const [, features] = page("compare").split(/\n\n(?=\| \| Galley )/);
  const rows = features!
    .split("\n\n")[0]!
    .split("\n")
    .map((row) =>
      row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
  expect(rows.length).toBeGreaterThan(8);
  for (const row of rows) expect(row).toHaveLength(rows[0]!.length);
  expect(rows.slice(1).flat()).not.toContain("");
});

/** Writes the files that a page names. */
function writeFilesOf(name: string, folder: string): void {
  for (const { file, code } of codeBlocks(page(name))) {
    if (file === "" || file === "on") continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
}

test.skipIf(!hasBrowser)(
  "the contact form of the manual is sent, and says so",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "galley-manual-form-"));
    writeFilesOf("contact-form", folder);
    const galley = await createGalley({ project: join(folder, "site"), environment: {} });
    const browser = await openBrowser();
    try {
      const form = await browser.newPage();
      await form.goto(`${galley.serve()}/contact.html`);
      await form.getByLabel("Your address").fill("ada@example.org");
      await form.getByLabel("Message").fill("Hello");
      await form.getByRole("button", { name: "Send" }).click();
      await form.getByText("Thank you.").waitFor();
      const messages = await galley.documents("api::message.message").findMany({});
      expect(messages).toMatchObject([{ email: "ada@example.org", text: "Hello" }]);
    } finally {
      await closeBrowser(browser);
      await galley.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);

/** Programs that read a file of the manual, and what they are given it as. */
const readers: Readonly<Record<string, { command: (path: string) => string[]; adapt: (text: string) => string }>> = {
  "nginx.conf": {
    command: (path) => ["nginx", "-t", "-e", "stderr", "-p", dirname(path), "-c", path],
    adapt: (text) => `pid nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${text}}\n`,
  },
  "galley.service": {
    command: (path) => ["systemd-analyze", "verify", path],
    // another place than the manual's has the executable
    adapt: (text) => text.replace("/usr/local/bin/galley", process.execPath),
  },
};

const configurations = [...documents.values()]
  .flatMap(codeBlocks)
  .filter(({ language }) => ["nginx", "ini"].includes(language));

test("each configuration of another program has one that reads it", () => {
  expect(configurations.map(({ file }) => file).sort()).toEqual(Object.keys(readers).sort());
});

for (const { file, code } of configurations) {
  const { command, adapt } = readers[file]!;
  test.skipIf(Bun.which(command("")[0]!) === null)(`${command("")[0]} takes ${file}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "galley-manual-configuration-"));
    const check = (text: string): number => {
      writeFileSync(join(folder, file), adapt(text));
      return Bun.spawnSync(command(join(folder, file)), { cwd: folder }).exitCode;
    };
    try {
      expect(check(code)).toBe(0);
      expect(check(code.replace(/^(ExecStart| {2}listen)/m, "$1Unknown"))).not.toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
