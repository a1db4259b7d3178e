/** `galley-cms/test` on Node.js: as it is packed, with the executable in a process of its own. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleForNode } from "../scripts/package/library.ts";
import { createGalley } from "../src/test.ts";
import { projectFolder, typeFile } from "./project.ts";

const node = Bun.which("node");
const folder = mkdtempSync(join(tmpdir(), "galley-node-"));
const { root, remove } = projectFolder(typeFile("tag", { name: { type: "string", required: true } }));
afterAll(() => {
  remove();
  rmSync(folder, { recursive: true, force: true });
});

/** The same for the library in this process and for the executable. */
const PROGRAM = `
  const seen = [];
  const galley = await createGalley({ project: ${JSON.stringify(root)}, publicRead: true, webhooks: [{ events: ["entry.create"] }] });
  const names = async () => (await (await galley.fetch("/api/tags?sort=name")).json()).data.map(({ name }) => name);
  const tags = galley.documents("api::tag.tag");
  await tags.create({ data: { name: "fog" } });
  seen.push(await names(), (await tags.findMany({ filters: { name: "fog" } })).length);
  const request = new Request("http://any.example/api/tags?filters[name]=fog", { headers: { "strapi-response-format": "v4" } });
  seen.push((await (await galley.handle(request)).json()).data[0].attributes.name);
  seen.push((await (await fetch(galley.serve() + "/api/tags")).json()).data.length);
  const refused = await tags.create({ data: {} }).catch((error) => error);
  seen.push([refused.name, refused.status, refused.message, refused.details.errors.length]);
  const snapshot = await galley.snapshot();
  await galley.reset();
  seen.push(await names());
  await galley.reset(snapshot);
  seen.push(await names());
  await galley.reset();
  seen.push((await galley.as("authenticated").fetch("/api/users/me")).status, (await galley.as("public").fetch("/api/users/me")).status);
  seen.push((await galley.as("nobody").fetch("/api/tags").catch((error) => error)).message.slice(0, 12));
  const branch = await galley.branch();
  seen.push(await branch.clock.set(new Date("2030-01-01")), (await branch.documents("api::tag.tag").create({ data: { name: "a" } })).createdAt);
  seen.push(await branch.clock.advance("1 day"), (await branch.clock.reset()).slice(0, 10) < "2030");
  const before = await branch.snapshot();
  seen.push((await branch.changes()).map(({ kind }) => kind), await branch.changes(before));
  seen.push((await galley.changes(before).catch((error) => error)).message);
  const [told] = await branch.webhooks();
  seen.push([told.event, told.payload.entry.name, told.problem, told.url === undefined]);
  const early = await branch.clock.set("soon").catch((error) => error);
  seen.push([early instanceof TypeError, early.message.slice(0, 12)]);
  await galley.close();
  await branch.close();
`;
const EXPECTED = [
  ["fog"],
  1,
  "fog",
  1,
  ["ValidationError", 400, "name must be defined.", 1],
  [],
  ["fog"],
  200,
  403,
  'as("nobody")',
  "2030-01-01T00:00:00.000Z",
  "2030-01-01T00:00:00.000Z",
  "2030-01-02T00:00:00.001Z",
  true,
  ["create"],
  [],
  "The snapshot is of another project",
  ["entry.create", "a", "it has no URL", true],
  [true, "time must be"],
];

test("in this process", async () => {
  const program = new Function("createGalley", `return (async () => { ${PROGRAM} return seen; })();`);
  expect(await program(createGalley)).toEqual(EXPECTED);
});

test("the entries for Bun and for Node.js export the same names", async () => {
  const names = Object.keys(await import("../src/testing/client.ts")).sort();
  expect(Object.keys(await import("../src/test.ts")).sort()).toEqual(names);
});

test("where there is no Bun, all names of the library can be imported, and the message says what to import", async () => {
  const names = [...Object.keys(await import("../src/index.ts")), ...Object.keys(await import("../src/elysia.ts"))];
  const source = await Bun.file(join(import.meta.dir, "../scripts/package/without-bun.js")).text();
  expect(new Bun.Transpiler({ loader: "js" }).scan(source).exports.sort()).toEqual(names.sort());
  expect(source).toContain("import createGalley from galley-cms/test");
});

describe.skipIf(!node || process.platform === "win32")("on Node.js", async () => {
  await bundleForNode("./test", folder);
  const executable = join(folder, "galley");
  const main = join(import.meta.dir, "../src/main.ts");
  writeFileSync(executable, `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`);
  chmodSync(executable, 0o755);
  const run = async (file: string, text: string, command = executable) => {
    writeFileSync(join(folder, file), text);
    const env = { ...process.env, GALLEY_EXECUTABLE: command };
    const child = Bun.spawn([node!, file], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
    const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code: await child.exited, out, errors };
  };

  const forms = {
    "program.mjs": `import { createGalley } from "./node-test.mjs"; {${PROGRAM} console.log(JSON.stringify(seen)); await galley.fetch("/api/tags").catch(() => console.log("closed")); }`,
    "program.cjs": `const { createGalley } = require("./node-test.cjs"); (async () => {${PROGRAM} console.log(JSON.stringify(seen)); await galley.fetch("/api/tags").catch(() => console.log("closed")); })();`,
  };
  for (const [file, text] of Object.entries(forms))
    test(`the same from ${file}`, async () => {
      const { code, out, errors } = await run(file, text);
      expect(errors).toBe("");
      const [seen = "", end] = out.trim().split("\n");
      expect([JSON.parse(seen), end]).toEqual([EXPECTED, "closed"]);
      expect(code).toBe(0);
    }, 30_000);

  test("requests keep method, headers and body where Request reads own properties only, as in Vitest's jsdom", async () => {
    const text = `import { createGalley } from "./node-test.mjs";
      const galley = await createGalley({ project: ${JSON.stringify(root)} });
      globalThis.Request = class extends Request {
        constructor(input, init) { super(input, init?.body ? { ...init } : init); }
      };
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"data":{"name":"fog"}}' };
      const admin = galley.as("full-access");
      const answers = [await admin.fetch("/api/tags", init), await admin.fetch(new Request("http://any.example/api/tags", init))];
      console.log(answers.map(({ status }) => status).join());
      await galley.close();`;
    expect(await run("requests.mjs", text)).toEqual({ code: 0, out: "201,201\n", errors: "" });
  }, 30_000);

  test("in a virtual machine, as of Jest, values are objects of that machine", async () => {
    const text = `const { createContext, runInContext } = require("node:vm");
      const source = require("node:fs").readFileSync("node-test.cjs", "utf8");
      const context = createContext({ process, console, URL, setTimeout, clearTimeout, require, module: { exports: {} } });
      runInContext("(function () {" + source + "\\n})()", context);
      const program = async (project) => {
        const galley = await module.exports.createGalley({ project });
        const tag = await galley.make("tag");
        console.log(tag instanceof Object, tag.name !== undefined);
        await galley.close();
      };
      runInContext("(" + program + ")", context)(${JSON.stringify(root)});`;
    expect(await run("machine.cjs", text)).toEqual({ code: 0, out: "true true\n", errors: "" });
  }, 30_000);

  test("a project that cannot be served is refused, and nothing is left running", async () => {
    const broken = projectFolder(typeFile("tag", { name: { type: "strnig" } }));
    const text = `import { createGalley } from "./node-test.mjs";
      const project = ${JSON.stringify(broken.root)};
      await createGalley({ project }).catch(({ name, message, stack }) => console.log(name, message, stack));`;
    const { code, out } = await run("refused.mjs", text);
    broken.remove();
    expect([code, out.startsWith("ProjectError"), out.includes("strnig")]).toEqual([0, true, true]);
    expect(out).toMatch(/at .*refused\.mjs:3:/);
  }, 30_000);

  test("a program that forgets to close ends, and its server with it", async () => {
    const text = `import { createGalley } from "./node-test.mjs";
      const galley = await createGalley({ project: ${JSON.stringify(root)}, publicRead: true });
      console.log(galley.serve());`;
    const { code, out } = await run("forgetful.mjs", text);
    expect(code).toBe(0);
    const isGone = async () =>
      fetch(out.trim())
        .then(() => false)
        .catch(() => true);
    for (let tries = 0; tries < 200 && !(await isGone()); tries++) await Bun.sleep(50);
    expect(await isGone()).toBe(true);
  }, 30_000);

  test("reads are compared with another server, and the test fails if it has to answer alike", async () => {
    const peer = Bun.serve({ port: 0, fetch: () => Response.json({ data: [{ name: 1 }] }) });
    const text = `import { createGalley } from "./node-test.mjs";
      process.env.GALLEY_AGAINST = ${JSON.stringify(String(peer.url))};
      process.env.GALLEY_AGAINST_STRICT = "1";
      const galley = await createGalley({ project: ${JSON.stringify(root)}, publicRead: true });
      const open = galley.serve();
      await galley.fetch("/api/tags");
      const branch = await galley.branch();
      await branch.handle(new Request("http://any.example/api/tags"));
      await fetch(open + "/api/tags");
      await branch.close();
      await galley.close().catch(({ message }) => console.log(message));
      await galley.close();`;
    const { code, out, errors } = await run("against.mjs", text);
    await peer.stop(true);
    const sites = "against.mjs:6, against.mjs:8, over the port";
    const lines = [
      `1 request compared with ${peer.url.origin}: 1 are answered differently`,
      `  GET /api/tags (${sites})`,
      "    data.length: here 0, there 1",
      '    meta: here {"pagination":{"page":1,"pageSize":25,"pageCount":0,"total":…, there nothing',
    ];
    expect([code, out.trim(), errors.trim()]).toEqual([0, lines.join("\n"), `galley: ${lines.join("\n")}`]);
  }, 30_000);

  test("an executable that is not there is named", async () => {
    const text = `import { createGalley } from "./node-test.mjs";
      await createGalley({ project: "." }).catch(({ message }) => console.log(message));`;
    const { out } = await run("missing.mjs", text, join(folder, "missing"));
    expect(out).toContain("missing cannot be run");
  }, 30_000);
});
