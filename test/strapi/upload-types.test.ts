/** Types of files that code uploads through the service. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configFile, testApp, typeFile } from "../project.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-given-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Name and given type, and the type and extension that are stored. */
const uploads = [
  ["a.txt", "'text/plain'", "text/plain", ".txt"],
  ["a.txt", "'text/csv'", "text/csv", ".txt"],
  ["a", "'text/plain'", "text/plain", ".txt"],
  ["a.bin", "'application/pdf'", "application/pdf", ".bin"],
  ["a.js", "'text/javascript'", "text/javascript", ".js"],
  ["a.txt", "undefined", "application/octet-stream", ".txt"],
  ["a.txt", "new File(['a'], 'a.txt', { type: 'text/plain' }).type", "text/plain", ".txt"],
] as const;

for (const steps of ["at once", "by steps"]) {
  test(`a file is stored ${steps} with the type that is given`, async () => {
    const given = uploads.map(([name, type]) => `["${name}", ${type}]`);
    const app = await testApp({
      ...configFile({ upload: { security: { allowedTypes: ["image/*"] } } }),
      ...typeFile("own", { name: { type: "string" } }),
      ...(steps === "at once"
        ? {}
        : {
            "src/extensions/upload/strapi-server.js": `module.exports = (plugin) => {
              const create = plugin.services.provider;
              plugin.services.provider = (context) => ({ ...create(context), upload: (file) => create(context).upload(file) });
              return plugin;
            };`,
          }),
      "src/api/own/routes/own.js": `module.exports = { routes: [{ method: "POST", path: "/upload", handler: "own.upload", config: { auth: false } }] };`,
      "src/api/own/controllers/own.js": `const fs = require("fs");
        module.exports = { async upload(ctx) {
          ctx.body = [];
          for (const [originalFilename, mimetype] of [${given}]) {
            const filepath = ${JSON.stringify(join(folder, "a"))};
            fs.writeFileSync(filepath, "a");
            const files = { filepath, originalFilename, mimetype, size: 1 };
            const [{ mime, ext }] = await strapi.plugin("upload").service("upload").upload({ data: {}, files });
            ctx.body.push([mime, ext]);
          }
        } };`,
    });
    const { body } = await app.call("POST", "/api/upload");
    expect(body).toEqual(uploads.map(([, , mime, ext]) => [mime, ext]));
    await app.close();
  });
}
