import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-routes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Route {
  readonly method: string;
  readonly path: string;
  readonly handler?: string;
  readonly permissions?: readonly string[];
  readonly roles: readonly string[];
}

async function galley(...args: readonly string[]) {
  const child = Bun.spawn([...PROGRAM, "routes", ...args], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const output = await new Response(child.stdout).text();
  return { code: await child.exited, output };
}

function copyProject(path: string, name: string): string {
  cpSync(join(import.meta.dir, path), join(folder, name), { recursive: true });
  return join(folder, name);
}

test("the routes of content-types, plugins and Galley are listed with permissions and roles; nothing is written", async () => {
  const root = copyProject("../../data/starter", "starter");
  const { code, output } = await galley(root, "--json");
  expect(code).toBe(0);
  const routes = JSON.parse(output) as Route[];
  const find = (method: string, path: string) => routes.find((route) => route.method === method && route.path === path);
  const action = "api::article.article.find";
  expect(find("GET", "/api/articles")).toEqual({
    method: "GET",
    path: "/api/articles",
    handler: action,
    permissions: [action],
    roles: ["authenticated", "public"],
  });
  expect(find("POST", "/api/articles")?.roles).toEqual([]);
  expect(find("POST", "/api/auth/change-password")?.roles).toEqual(["authenticated"]);
  expect(find("ALL", "/graphql")?.handler).toBeUndefined();
  expect(routes.some(({ path }) => path.startsWith("/admin"))).toBe(false);
  expect(existsSync(join(root, ".galley"))).toBe(false);
  const withAdmin = (await galley(root, "--admin")).output.split("\n");
  expect(withAdmin[0]).toMatch(/^method +path +handler +permission, if another +roles$/);
  expect(withAdmin.some((line) => /^GET +\/admin\/content-api\/routes +Galley +administrator$/.test(line))).toBe(true);
}, 60_000);

test("routes of own code are listed with their handlers", async () => {
  const { code, output } = await galley(copyProject("../projects/own-code", "own-code"), "--json");
  expect(code).toBe(0);
  const find = (path: string): unknown => {
    const { handler, permissions, roles } = (JSON.parse(output) as Route[]).find((route) => route.path === path)!;
    return [handler, permissions, roles];
  };
  expect(find("/api/articles/slug/:slug")).toEqual(["article.bySlug", undefined, ["everybody"]]);
  expect(find("/api/notes/chain")).toEqual(["(a function), (a function)", undefined, ["everybody"]]);
  expect(find("/api/notes/function-closed")).toEqual(["(a function handler)", [], ["authenticated", "public"]]);
}, 60_000);
