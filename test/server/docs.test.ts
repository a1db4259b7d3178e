/** `/openapi.json` and `/docs`: with the admin, or where a setting says so. */
import { describe, expect, test } from "bun:test";
import { createGalley } from "../../src/index.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";

async function served(options: { admin?: boolean; files?: Record<string, string> }) {
  const { root, remove } = projectFolder({
    ...typeFile("tag", { name: { type: "string" }, note: { type: "string", private: true } }),
    ...configFile(),
    ...options.files,
  });
  const galley = await createGalley({ project: root, admin: options.admin ?? false });
  return {
    galley,
    [Symbol.asyncDispose]: async () => {
      await galley.close();
      remove();
    },
  };
}

const docs = (value: boolean) => configFile({ docs: value });
const paths = [
  "/openapi.json",
  "/docs",
  "/docs/swagger-ui.js",
  "/docs/start.js",
  "/docs/manual/",
  "/llms.txt",
  "/llms-full.txt",
];

describe("the description of REST and its page", () => {
  for (const [name, options, status] of [
    ["are served with the admin", { admin: true }, 200],
    ["are private without it", {}, 404],
    ["are served where a setting says so", { files: docs(true) }, 200],
    ["are not where a setting says so", { admin: true, files: docs(false) }, 404],
  ] as const) {
    test(name, async () => {
      await using project = await served(options);
      for (const path of paths) expect([path, (await project.galley.fetch(path)).status]).toEqual([path, status]);
    });
  }

  test("describe the project's types, without private attributes in answers", async () => {
    await using project = await served({ admin: true });
    const answer = await project.galley.fetch("/openapi.json");
    expect(answer.headers.get("content-type")).toContain("application/json");
    const text = await answer.text();
    const { openapi, paths, components } = JSON.parse(text);
    expect(openapi).toBe("3.1.0");
    expect(Object.keys(paths)).toContain("/api/tags");
    expect(JSON.stringify(components.schemas["api.tag.tag"] ?? components.schemas)).toContain("name");
  });

  test("describe routes that there are, those of files, users and locales included", async () => {
    // without it, there is nothing to refresh
    const sessions = { "users-permissions": { config: { jwtManagement: "refresh" } } };
    await using project = await served({ admin: true, files: { "config/plugins.json": JSON.stringify(sessions) } });
    const { paths } = (await (await project.galley.fetch("/openapi.json")).json()) as { paths: Record<string, object> };
    const methods = ["get", "post", "put", "delete"];
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).flatMap((key) =>
        methods.includes(key) ? [[key.toUpperCase(), path.replace("{id}", "1")]] : [],
      ),
    ) as [method: string, path: string][];
    for (const path of ["/api/upload", "/api/auth/local", "/api/users/me", "/api/i18n/locales"])
      expect(Object.keys(paths)).toContain(path);
    for (const [method, path] of operations)
      expect([400, 403], `${method} ${path}`).toContain((await project.galley.fetch(path, { method })).status);
  });

  test("load nothing from elsewhere", async () => {
    await using project = await served({ admin: true });
    const answer = await project.galley.fetch("/docs");
    expect(answer.headers.get("content-security-policy")).toStartWith("default-src 'none'; script-src 'self'");
    const page = await answer.text();
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.filter((address) => !address.startsWith("docs/") && address !== "data:,")).toEqual([]);
    for (const address of addresses.filter((own) => own.startsWith("docs/")))
      expect((await project.galley.fetch(`/${address}`)).status).toBe(200);
    expect((await project.galley.fetch("/docs/../package.json")).status).toBe(404);
    expect((await project.galley.fetch("/docs/nothing.js")).status).toBe(404);
  });

  test("give way to the project's own files", async () => {
    await using project = await served({ admin: true, files: { "public/docs/index.html": "<p>own</p>" } });
    expect(await (await project.galley.fetch("/docs/index.html")).text()).toBe("<p>own</p>");
    expect((await project.galley.fetch("/openapi.json")).status).toBe(404);
  });
});
