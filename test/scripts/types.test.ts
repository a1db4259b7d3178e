/** The declarations of the npm package, as programs compile with them. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { entries, writeTypes } from "../../scripts/package/library.ts";
import { mainManifest } from "../../scripts/package.ts";
import { typescriptTypes } from "../../src/api/descriptions/typescript.ts";
import { readModel } from "../../src/server/project/project-source.ts";
import { codeBlocks, documents } from "../documents.ts";

const root = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "galley-declarations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const installed = join(folder, "node_modules/galley-cms");
mkdirSync(installed, { recursive: true });
writeFileSync(join(installed, "package.json"), JSON.stringify(mainManifest()));
writeTypes(installed);

/** What the compiler prints about files in a new folder. `packages`: of this project's, beside `galley-cms`. */
function compiled(
  name: string,
  files: Readonly<Record<string, string>>,
  compilerOptions: Readonly<Record<string, unknown>>,
  packages: readonly string[] = [],
): string {
  const program = join(folder, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(program, path)), { recursive: true });
    writeFileSync(join(program, path), text);
  }
  for (const used of packages) {
    const link = join(program, "node_modules", used);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", used), link);
  }
  const options = { strict: true, noEmit: true, module: "NodeNext", ...compilerOptions };
  writeFileSync(join(program, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { stdout, stderr } = Bun.spawnSync([process.execPath, compiler, "-p", program], { cwd: program });
  return `${stdout}${stderr}`;
}

const client = (entry: string): string => `
import { ApiError, createGalley, type Entry, type Galley, type GalleyOptions, ProjectError } from "${entry}";

type Article = { title: string; documentId: string };

export async function run(options: GalleyOptions): Promise<string> {
  await using galley: Galley = await createGalley(options);
  const made = await galley.documents("api::tag.tag").create({ data: { name: "fog" }, status: "published" });
  const ids: string = made.documentId;
  const name: unknown = made.name;
  // @ts-expect-error: its type is not known
  const length: number = made.name.length;
  const articles = galley.documents<Article>("api::article.article");
  const article: Entry<Article> | null = await articles.findOne({ documentId: ids, populate: { author: true } });
  const titles: string[] = (await articles.findMany({ filters: { title: "a" }, locale: "en" })).map(({ title }) => title);
  titles.push(...(await articles.publish({ documentId: ids })).entries.map(({ title }) => title));
  // @ts-expect-error: articles have no such attribute
  article?.tilte;
  // @ts-expect-error: there is no such status
  await articles.count({ status: "archived" });
  // @ts-expect-error: the document is not named
  await articles.update({ data: {} });
  const rows = galley.database().query<{ count: number }>("SELECT count(*) AS count FROM tags WHERE id > ?").all(1);
  const response: Response = await galley.as("public").fetch(new Request("http://localhost/api/tags"));
  await galley.reset(await galley.snapshot());
  return [name, length, rows[0]?.count, response.status, ...titles].join();
}

export function tell(error: unknown): unknown {
  if (error instanceof ProjectError) return error.problems[0]?.file;
  return error instanceof ApiError ? [error.status, error.details] : undefined;
}
`;

test("galley-cms and galley-cms/test need no other types", () => {
  const files = {
    "library.mts": client("galley-cms"),
    "test.mts": client("galley-cms/test"),
    "test.cts": client("galley-cms/test"),
  };
  // an older library has no Symbol.asyncDispose
  for (const [name, target] of Object.entries({ newest: "ESNext", older: "ES2022" })) {
    const options = { target, lib: [target, "DOM"], types: [], skipLibCheck: false };
    expect(compiled(name, files, options)).toBe("");
    expect(compiled(`bundler-${name}`, files, { ...options, module: "Preserve" })).toBe("");
  }
}, 120_000);

test("TypeScript before version 7, which may read no exports, finds the types, too", () => {
  const { types, typesVersions } = mainManifest() as { types: string; typesVersions: Record<"*", object> };
  const files = Object.entries<string[]>({ ".": [types], ...typesVersions["*"] });
  expect(files.map(([name]) => name).sort()).toEqual(
    Object.keys(entries)
      .map((name) => join(name))
      .sort(),
  );
  for (const file of files.flatMap(([, list]) => list)) expect(existsSync(join(installed, file))).toBe(true);
});

/** What examples use of frameworks. */
const frameworks = `
declare module "astro:content" { export function defineCollection(collection: { loader: object; schema: unknown }): object }
declare module "astro/zod" { export const z: { custom<T>(): { output: T } } }
declare module "next/cache" {
  export function revalidateTag(tag: string, profile: { expire: number }): undefined;
  export function cacheTag(...tags: string[]): void;
}
declare module "next/headers" {
  export function draftMode(): Promise<{ readonly isEnabled: boolean; enable(): void; disable(): void }>;
}
declare module "next/navigation" { export function notFound(): never }
declare namespace JSX { interface IntrinsicElements { article: object; h1: object; p: object } }`;

const blocksIn = (...languages: readonly string[]) =>
  [...documents].flatMap(([path, text]) =>
    codeBlocks(text)
      .filter(({ language }) => languages.includes(language))
      .map((block) => ({ ...block, path })),
  );

const exampleOptions = {
  target: "ESNext",
  lib: ["ESNext"],
  types: ["bun"],
  typeRoots: [join(root, "node_modules/@types")],
  skipLibCheck: true,
};

test("the TypeScript of the README and the manual is compiled", () => {
  const examples = blocksIn("ts").map(({ code }) => code);
  expect(examples.length).toBeGreaterThan(4);
  /** What the reader has, by a word of the example. */
  const presupposed: Readonly<Record<string, string>> = {
    "client.collection": `import { strapi } from "@strapi/client";
import type { Article, List } from "./src/strapi.ts";
const client = strapi({ baseURL: "http://localhost:1337/api" });`,
    toMatchSnapshot: `import { expect } from "bun:test";
import { createGalley } from "galley-cms";`,
    "galley.webhooks()": `import { expect } from "bun:test";
import { createGalley } from "galley-cms";`,
    "galley.clock.set": `import { createGalley } from "galley-cms";
const galley = await createGalley({ project: "cms" });`,
    "documents<Article>": `import { expect } from "bun:test";
import { createGalley } from "galley-cms";
import type { Article } from "./src/strapi.ts";
const galley = await createGalley({ project: "cms" });`,
  };
  const program = (example: string): string => {
    const before = Object.entries(presupposed).find(([word]) => example.includes(word))?.[1] ?? "";
    return `${before}\n${example}\nexport {};\n`;
  };
  const files = {
    "package.json": JSON.stringify({ type: "module" }),
    "frameworks.d.ts": frameworks,
    "src/strapi.ts": typescriptTypes(readModel(join(root, "data/starter"), {}).model),
    // for the files of `src`
    "strapi.ts": 'export * from "./src/strapi.ts";',
    ...Object.fromEntries(examples.map((text, at) => [`example-${at}.ts`, program(text)])),
  };
  const options = { ...exampleOptions, allowImportingTsExtensions: true };
  expect(compiled("readme", files, options, ["elysia", "@strapi/client"])).toBe("");
}, 120_000);

test("the pages of a site that a recipe writes are compiled together", () => {
  const pages = blocksIn("tsx");
  expect(pages.length).toBeGreaterThan(0);
  for (const { path } of pages) {
    const site = blocksIn("ts", "tsx").filter((block) => block.path === path && block.file !== "");
    const files = Object.fromEntries(site.map(({ file, code }) => [file, code]));
    const options = { ...exampleOptions, module: "Preserve", jsx: "preserve" };
    expect(compiled("site", { "frameworks.d.ts": frameworks, ...files }, options)).toBe("");
  }
}, 120_000);

test("the JavaScript of the README and the manual is parsed, without an error", () => {
  const examples = blocksIn("js").filter(({ follows }) => !follows);
  expect(examples.length).toBeGreaterThan(4);
  const files = Object.fromEntries(examples.map(({ file, code }, at) => [`${at}/${file || "example.js"}`, code]));
  const options = { ...exampleOptions, allowJs: true, checkJs: false };
  expect(compiled("scripts", files, options)).toBe("");
  expect(compiled("broken", { "broken.js": "const = 1;" }, options)).toContain("broken.js(1,7): error");
}, 120_000);
