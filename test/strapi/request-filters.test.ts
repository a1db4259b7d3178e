/** Built-in middlewares that see every request, and middlewares that `config/middlewares` finds by path. */
import { afterAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

const apps: TestApp[] = [];
afterAll(() => Promise.all(apps.map((app) => app.close())));

/** `middlewares`: further entries of `config/middlewares`, as source text. Returns how to ask the project. */
async function projectWith(middlewares: string, files: Readonly<Record<string, string>> = {}) {
  const app = await testApp({
    ...configFile({ roles: { public: ["api::note.note.find"] } }),
    ...typeFile("note", { title: { type: "string" } }),
    "public/robots.txt": "all",
    "config/middlewares.js": `module.exports = ["strapi::errors", "strapi::security", "strapi::cors", ${middlewares}, "strapi::body"];`,
    ...files,
  });
  apps.push(app);
  return (path: string, init: RequestInit = {}) => app.handle(new Request(`http://localhost${path}`, init));
}

const addresses: Readonly<Record<string, readonly [config: string, status: number]>> = {
  "an address on the white list": ["{ whitelist: ['127.0.0.*'] }", 200],
  "an address that is not on it": ["{ whitelist: ['10.0.0.*'] }", 403],
  "an address on the black list": ["{ blacklist: ['127.0.0.*'] }", 403],
  "an address on both lists": ["{ whitelist: ['127.0.0.1'], blacklist: [/^127/] }", 403],
  "a list as options": ["['10.0.0.1']", 403],
  "a handler": ["{ blacklist: ['127'], handler: (ctx) => { ctx.status = 418; ctx.body = 'no'; } }", 418],
};
for (const [name, [config, status]] of Object.entries(addresses))
  test(`strapi::ip: ${name} is answered with ${status}, also without other code`, async () => {
    const ask = await projectWith(`{ name: "strapi::ip", config: ${config} }`);
    for (const path of ["/api/notes", "/robots.txt"]) expect((await ask(path)).status).toBe(status);
  });

test("strapi::responseTime adds its header to every response", async () => {
  const ask = await projectWith('"strapi::responseTime"');
  for (const path of ["/api/notes", "/robots.txt", "/missing"])
    expect((await ask(path)).headers.get("x-response-time")).toMatch(/^\d+ms$/);
});

test("HEAD has the type and length of files that GET has, also through middlewares", async () => {
  const ask = await projectWith('"strapi::responseTime"', { "public/a.png": "image" });
  for (const method of ["GET", "HEAD"]) {
    const { status, headers } = await ask("/a.png", { method });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("image/png");
    expect(headers.get("content-length")).toBe("5");
  }
});

test("a middleware found by path may import, and export with module.exports; it is loaded once", async () => {
  const ask = await projectWith('{ resolve: "./src/middlewares/mark.js", config: { value: "own" } }, "global::mark"', {
    "src/middlewares/mark.ts": `import { join } from "node:path";
      let loaded = 0;
      loaded++;
      module.exports = ({ value }: { value?: string }) => async (ctx: any, next: any) => {
        await next();
        ctx.append("x-mark", join(String(value), String(loaded)));
      };`,
  });
  expect((await ask("/api/notes")).headers.get("x-mark")).toBe("undefined/1, own/1");
});
