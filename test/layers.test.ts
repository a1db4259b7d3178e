/** Imports go one way: what each layer may know of the others, as CONTRIBUTING.md tells it. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const SRC = join(import.meta.dir, "../src");

const content = ["engine/attributes", "engine/schema", "engine/storage", "engine/query", "engine/documents"];
const services = ["engine/config", "engine/media", "engine/access", "engine/webhooks"];
const interfaces = [
  ...content,
  "engine/config",
  "engine/media",
  "engine/access",
  "api/actions.ts",
  "api/responses.ts",
  "api/http-route.ts",
];

/** By folder, or by file where the file is a layer of its own. The longest match counts. All but `loaders` may use `lib`. */
const layers: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  "engine/config": [],
  "engine/attributes": [],
  "engine/schema": ["engine/attributes"],
  "engine/storage": ["engine/attributes", "engine/schema"],
  "engine/query": ["engine/attributes", "engine/schema", "engine/storage"],
  "engine/documents": ["engine/attributes", "engine/schema", "engine/storage", "engine/query"],
  "engine/webhooks": [...content, "engine/config"],
  "engine/media": [...content, "engine/config"],
  "engine/access": [...content, "engine/config"],
  "api/accept-encoding.ts": [],
  "api/actions.ts": [...content, "engine/access"],
  "api/responses.ts": ["engine/storage"],
  "api/embedded-page.ts": ["api/accept-encoding.ts"],
  "api/http-route.ts": ["engine/access", "api/actions.ts"],
  "api/descriptions": ["engine/attributes", "engine/schema"],
  "api/rest": interfaces,
  "api/graphql": [...interfaces, "api/embedded-page.ts"],
  transfer: [...content, ...services],
  strapi: [...content, ...services],
  admin: [...content, ...services, "transfer"],
  // for the browser: types at most
  ui: [],
  // for other programs
  loaders: [],
  server: [
    ...interfaces,
    "engine/webhooks",
    "api/accept-encoding.ts",
    "api/embedded-page.ts",
    "api/descriptions",
    "api/rest",
    "api/graphql",
    "transfer",
    "strapi",
    "admin",
    "ui",
    "public-types.ts",
  ],
  cli: [
    ...interfaces,
    "engine/webhooks",
    "api/descriptions",
    "api/graphql",
    "transfer",
    "strapi",
    "admin",
    "server",
    "testing",
    "index.ts",
  ],
  "public-types.ts": [],
  "caller.ts": ["public-types.ts"],
  "index.ts": [...content, "api/http-route.ts", "caller.ts", "kit", "public-types.ts", "server"],
  kit: [...content, ...services, "api/http-route.ts", "api/rest", "admin", "server", "public-types.ts"],
  "elysia.ts": ["api/http-route.ts", "public-types.ts", "server"],
  "test.ts": ["index.ts"],
  testing: ["api/http-route.ts", "api/rest", "caller.ts", "engine/access", "index.ts", "kit", "public-types.ts"],
  // the thread of an executable must be an entry of its own
  "main.ts": ["cli", "engine/media"],
};

/** By layer: its folders from the bottom up. A folder imports those before it; `.` has the layer's own files. */
const floors: Readonly<Record<string, readonly string[]>> = {
  strapi: [
    ...["lib", "packages", "koa", "members", "loader", "rows", "knex", "data", "runtime.ts", "administration"],
    ...["routes", "sign-in", "uploads", "plugins", "instance", ".", "doctor"],
  ],
  admin: [
    ...[".", "session", "content-manager", "users-permissions", "events", "i18n", "upload", "account"],
    ...[
      "content-manager/history",
      "content-manager/trash",
      "content-manager/schedule",
      "permissions",
      "builder",
      "page",
      "access",
      "email",
      "bulk-edit",
      "rows",
      "sample",
    ],
    "routes.ts",
  ],
  server: [
    "builds",
    "contract",
    "docs",
    "readers",
    "content-sync/problems.ts",
    "project",
    "routes",
    "explain",
    "change-feed",
    "watched-files.ts",
    "watch-files.ts",
    "content-sync",
    "content-diff",
    "content-changes",
    "backup",
    "mcp",
    "compress.ts",
    "elysia-app.ts",
    "admin",
    ".",
    "published",
    "mirror",
    "workers",
  ],
};

const names = Object.keys(layers).sort((a, b) => b.length - a.length);
const layerOf = (file: string): string | undefined =>
  names.find((name) => file === name || file.startsWith(`${name}/`));

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));

/** Files of src that a file imports, types and lazy imports included. */
function listImports(file: string): string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const found = text.matchAll(/(?:from|import|require|typeof import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g);
  return [...found]
    .map(([, path]) => resolve(SRC, dirname(file), path ?? ""))
    .filter((path) => path.startsWith(`${SRC}/`) && existsSync(path))
    .map((path) => relative(SRC, path));
}

test("every file belongs to a layer", () => {
  expect(files.filter((file) => layerOf(file) === undefined)).toEqual([]);
});

test("no layer imports one that it may not know", () => {
  const wrong = files.flatMap((file) => {
    const layer = layerOf(file) ?? "";
    const allowed = new Set([layer, ...(layer === "loaders" ? [] : ["lib"]), ...(layers[layer] ?? [])]);
    return listImports(file)
      .filter((other) => !allowed.has(layerOf(other) ?? ""))
      .map((other) => `${file} imports ${other}`);
  });
  expect(wrong).toEqual([]);
});

/** Where a file is in the list of its layer; the longest match counts. */
function findFloor(layer: string, file: string): number {
  const path = file.slice(layer.length + 1);
  const list = floors[layer] ?? [];
  const found = list.filter((floor) => path === floor || path.startsWith(`${floor}/`));
  const longest = found.sort((a, b) => b.length - a.length)[0] ?? (path.includes("/") ? "" : ".");
  return list.indexOf(longest);
}

const inLayer = (layer: string): string[] => files.filter((file) => file.startsWith(`${layer}/`));

test.each(Object.keys(floors))("every folder of %s has a floor", (layer) => {
  expect(inLayer(layer).filter((file) => findFloor(layer, file) < 0)).toEqual([]);
});

test.each(Object.keys(floors))("no folder of %s imports one above it", (layer) => {
  const upwards = inLayer(layer).flatMap((file) =>
    listImports(file)
      .filter((other) => other.startsWith(`${layer}/`) && findFloor(layer, other) > findFloor(layer, file))
      .map((other) => `${file} imports ${other}`),
  );
  expect(upwards).toEqual([]);
});

/** Files that import each other, directly or around several corners. */
function circles(): string[][] {
  const found: string[][] = [];
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  // Tarjan's strongly connected components
  const visit = (file: string): number => {
    const number = numbers.size;
    numbers.set(file, number);
    lowest.set(file, number);
    open.push(file);
    for (const other of listImports(file)) {
      const reached = numbers.has(other) ? (open.includes(other) ? numbers.get(other)! : number) : visit(other);
      lowest.set(file, Math.min(lowest.get(file)!, reached));
    }
    if (lowest.get(file) === number) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) found.push(circle.sort());
    }
    return lowest.get(file)!;
  };
  for (const file of files) if (!numbers.has(file)) visit(file);
  return found;
}

test("no files import each other in a circle, types and lazy imports included", () => {
  expect(circles()).toEqual([]);
});

/** Names of own code, which `engine/`, `api/` and `admin/` do not know; and words, which the first two do not have. */
const NAMES =
  /[oO]wnCode|[cC]odeActions|[oO]fCode\b|[rR]unsCode|ranOwn|[pP]rojectCode|[rR]owHook|\bis(For|ReadBy)?Code\b|\b(context|mailer|access)\.code\b|[lL]ifecycles?\b|[cC]odeFiles\b|(?<!@)\bstrapi\//;
const WORDS = /\bown[ -]code\b|\bproject(?:'s)? (?:own )?code\b|\bhooks?\b/;

function namesOwnCode(file: string, line: string): boolean {
  if (NAMES.test(line)) return true;
  return !file.startsWith("admin/") && /^\s*(\/?\*|\/\/)/.test(line) && WORDS.test(line);
}

test("engine, api and admin name nothing of own code", () => {
  const below = files.filter((file) => /^(engine|api|admin)\//.test(file));
  const named = below.flatMap((file) => {
    const lines = readFileSync(join(SRC, file), "utf8").split("\n");
    return lines.filter((line) => namesOwnCode(file, line)).map((line) => `${file}: ${line.trim()}`);
  });
  expect(named).toEqual([]);
});

test.each([
  "throw errorOfCode(error);",
  "operation.ranOwnCode = true;",
  "readonly codeActions: readonly string[];",
  "const { rowHooks } = this.context;",
  "mailer.code = undefined;",
  "/** Set by the project's code. */",
  'import { lifecycles } from "../../strapi/data/lifecycles.ts";',
])("a line that names own code is found: %s", (line) => {
  expect(namesOwnCode("engine/access/mail.ts", line)).toBe(true);
});

test("the imports are found", () => {
  expect(listImports("main.ts").length).toBeGreaterThan(0);
  expect(listImports("server/routes/graphql-routes.ts")).toContain("api/graphql/endpoint.ts");
});
