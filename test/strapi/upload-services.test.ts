/** Uploads over HTTP through members of the upload plugin's services that code has replaced. Expected: Strapi's responses. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { strapiUtils } from "../../src/strapi/packages/utils.ts";
import { pngOf } from "../engine/media/samples.ts";
import { ADMIN, type Body, configFile, createCall, projectFolder, type TestApp, typeFile } from "../project.ts";
import { until } from "../until.ts";

const media = (multiple: boolean) => ({ type: "media", multiple });
const files = {
  ...configFile(),
  "config/plugins.js": "module.exports = { upload: { config: { breakpoints: { small: 120 } } } };",
  ...typeFile("note", { title: { type: "string" }, cover: media(false), gallery: media(true) }),
};
const state = globalThis as { uploadCalls?: string[]; uploadOwn?: Record<string, unknown>; uploadHook?: unknown };

let app: TestApp & { root: string };
afterEach(() => app.close());

/** Opens a project with an extension that records every call, and calls `uploadOwn[member](original, ...args)` instead if it is there. */
async function open(own: Record<string, unknown> = {}, more: Record<string, string> = {}, options: object = {}) {
  state.uploadCalls = [];
  state.uploadOwn = own;
  const { root, remove } = projectFolder({
    ...files,
    "src/extensions/upload/strapi-server.js": `module.exports = (plugin) => {
      for (const name of ["upload", "provider", "image-manipulation", "file", "folder", "api-upload-folder"]) {
        // as in Strapi, some are objects and others make one
        const exported = plugin.services[name];
        const record = (service) => {
          return { ...service, ...Object.fromEntries(Object.entries(service).map(([member, original]) => [member, function (...args) {
            globalThis.uploadCalls.push(name + "." + member);
            const own = globalThis.uploadOwn[name + "." + member];
            return own ? own(original.bind(this), ...args) : original.apply(this, args);
          }])) };
        };
        plugin.services[name] = typeof exported === "function" ? (context) => record(exported(context)) : record(exported);
      }
      return plugin;
    };`,
    ...more,
  });
  const galley = await createGalley({ project: root, memory: false, environment: {}, ...options });
  const close = async () => {
    await galley.close();
    remove();
  };
  app = { ...galley, close, root, call: createCall(galley, ADMIN) };
}

type Part = readonly [name: string, content: string | Uint8Array, fileName?: string, type?: string];

async function send(parts: readonly Part[], path = "/api/upload"): Promise<{ status: number; body: Body }> {
  const form = new FormData();
  for (const [name, content, fileName, type] of parts) {
    if (fileName === undefined) form.append(name, String(content));
    else form.append(name, new File([content], fileName, { type: type ?? "" }));
  }
  const init = { method: "POST", headers: ADMIN, body: form };
  const response = await app.handle(new Request(`http://localhost${path}`, init));
  return { status: response.status, body: await response.json() };
}

const text: Part = ["files", "hello", "a.txt", "text/plain"];
const image = async (): Promise<Part> => ["files", await pngOf({ width: 250, height: 20 }), "big.png", "image/png"];
const calls = (): string[] => (state.uploadCalls ?? []).splice(0);
/** Finished files on disk. */
const stored = (): string[] => {
  const folder = join(app.root, "public/uploads");
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
};
const unfinished = (): string[] =>
  readdirSync(join(app.root, "public/uploads/.galley")).filter((name) => !name.endsWith(".lock"));

test("each request calls Strapi's members in its order", async () => {
  await open();
  calls();
  await send([text]);
  const plain = [
    "image-manipulation.isImage",
    "provider.checkFileSize",
    "image-manipulation.isImage",
    "provider.upload",
  ];
  const named = ["file.getFolderPath", "image-manipulation.generateFileName"];
  expect(calls()).toEqual([
    "api-upload-folder.getAPIUploadFolder",
    "upload.upload",
    ...named,
    ...plain,
    "file.signFileUrls",
  ]);
  const { status, body } = await send([await image()]);
  // in the order in which they were ready, as in Strapi
  expect([status, body[0].width, Object.keys(body[0].formats).sort()]).toEqual([201, 250, ["small", "thumbnail"]]);
  expect(calls().filter((name) => name !== "upload.getSettings")).toEqual([
    "api-upload-folder.getAPIUploadFolder",
    "upload.upload",
    ...named,
    ...["isImage", "isFaultyImage", "isOptimizableImage", "optimize"].map((name) => `image-manipulation.${name}`),
    "provider.checkFileSize",
    "image-manipulation.isImage",
    "image-manipulation.getDimensions",
    "provider.upload",
    "image-manipulation.isResizableImage",
    "image-manipulation.generateThumbnail",
    "provider.upload",
    "image-manipulation.generateResponsiveFormats",
    "provider.upload",
    "file.signFileUrls",
  ]);
  expect(stored().length).toBe(4);
  await app.call("GET", "/api/upload/files/1");
  expect(calls()).toEqual(["upload.findOne", "file.signFileUrls", "file.signFileUrls"]);
  await app.call("GET", "/api/upload/files/page");
  expect(calls()).toEqual(["upload.findAndCountPage", "file.signFileUrls", "file.signFileUrls"]);
  await app.call("DELETE", "/api/upload/files/2");
  expect(calls()).toEqual(["upload.findOne", "file.signFileUrls", "upload.remove", "file.signFileUrls"]);
  expect(stored().length).toBe(1);
  await app.call("POST", "/graphql", { query: "mutation { deleteUploadFile(id: 1) { name } }" });
  expect(calls()).toEqual(["upload.findOne", "file.signFileUrls", "upload.remove"]);
  expect([stored(), unfinished()]).toEqual([[], []]);
});

test("an upload has the record and the files that it has without code", async () => {
  await open();
  const picture = await image();
  const [own] = (await send([picture])).body;
  const info = JSON.stringify({ name: "Name.png", caption: "c", alternativeText: "t", focalPoint: { x: 1, y: 2 } });
  const [described] = (await send([picture, ["fileInfo", info]])).body;
  const { hash: _, url: __, ...shown } = described;
  await app.close();
  const { root, remove } = projectFolder(files);
  const plain = await createGalley({ project: root, environment: {} });
  app = { ...plain, close: () => plain.close().then(remove), root, call: createCall(plain, ADMIN) };
  const [native] = (await send([picture])).body;
  const comparable = ({ hash, url, id, documentId, createdAt, updatedAt, publishedAt, formats, ...rest }: Body) => ({
    ...rest,
    formats: Object.fromEntries(
      Object.entries(formats as Record<string, Body>).map(([key, { hash, url, ...format }]) => [key, format]),
    ),
  });
  expect(comparable(own)).toEqual(comparable(native));
  expect(shown).toMatchObject({ name: "Name.png", caption: "c", alternativeText: "t", focalPoint: { x: 1, y: 2 } });
});

test("a deletion that code refuses keeps record and file, by every route", async () => {
  const { ApplicationError } = strapiUtils().errors;
  await open({
    "upload.remove": () => {
      throw new ApplicationError("kept", { by: "guard" });
    },
  });
  await send([text]);
  const refused = {
    status: 400,
    body: { data: null, error: { status: 400, name: "ApplicationError", message: "kept", details: { by: "guard" } } },
  };
  expect(await app.call("DELETE", "/api/upload/files/1")).toEqual(refused);
  const { body } = await app.call("POST", "/graphql", { query: "mutation { deleteUploadFile(id: 1) { name } }" });
  expect([body.errors[0].message, body.errors[0].extensions.code]).toEqual(["kept", "STRAPI_APPLICATION_ERROR"]);
  expect((await app.call("GET", "/api/upload/files/1")).status).toBe(200);
  expect(stored().length).toBe(1);
});

const never = new Promise(() => {});
const big = () => image();
const plain = async () => text;
const cases: readonly [string, Record<string, unknown>, () => Promise<Part>, (body: Body) => unknown, unknown][] = [
  [
    "generateFileName",
    { "image-manipulation.generateFileName": (_: unknown, name: string) => `fixed-${name}` },
    plain,
    ([{ hash, url }]) => [hash, url],
    ["fixed-a", "/uploads/fixed-a.txt"],
  ],
  [
    "isImage",
    { "image-manipulation.isImage": () => false },
    big,
    ([{ width, formats }]) => [width, formats],
    [null, null],
  ],
  [
    "generateThumbnail",
    { "image-manipulation.generateThumbnail": () => null },
    big,
    ([{ formats }]) => Object.keys(formats),
    ["small"],
  ],
  [
    "generateResponsiveFormats",
    { "image-manipulation.generateResponsiveFormats": () => [null] },
    big,
    ([{ formats }]) => Object.keys(formats),
    ["thumbnail"],
  ],
  [
    "getDimensions",
    { "image-manipulation.getDimensions": () => ({ width: 7, height: 8 }) },
    big,
    ([{ width, height, formats }]) => [width, height, Object.keys(formats)],
    [7, 8, ["small"]],
  ],
  [
    "optimize",
    {
      "image-manipulation.optimize": (_: unknown, file: Body) => ({
        ...file,
        name: "b.webp",
        ext: ".webp",
        mime: "image/webp",
      }),
    },
    big,
    ([{ name, mime, formats }]) => [name, mime, formats.small.name, formats.small.ext],
    ["b.webp", "image/webp", "small_b.webp", ".webp"],
  ],
  ["optimize without a result", { "image-manipulation.optimize": () => null }, big, (body) => body.error.status, 500],
  [
    "formatFileInfo, which no upload calls",
    { "upload.formatFileInfo": () => ({ name: "never" }) },
    plain,
    ([{ name }]) => name,
    "a.txt",
  ],
  [
    "upload, with its result",
    {
      "upload.upload": async (original: Body, ...args: unknown[]) => {
        const [file] = await original(...args);
        return [{ ...file, name: "changed", extra: 1 }];
      },
    },
    plain,
    ([{ name, extra, folderPath }]) => [name, extra, folderPath],
    ["changed", 1, undefined],
  ],
  ["upload without files", { "upload.upload": () => [] }, plain, (body) => body, []],
  ["upload without a list", { "upload.upload": () => null }, plain, (body) => body.error.name, "InternalServerError"],
  [
    "signFileUrls",
    { "file.signFileUrls": (_: unknown, file: Body) => ({ ...file, url: "signed" }) },
    plain,
    ([{ url, isUrlSigned }]) => [url, isUrlSigned],
    ["signed", undefined],
  ],
  [
    "provider.upload",
    {
      "provider.upload": (_: unknown, file: Body) => {
        file.url = `/own/${file.hash}`;
      },
    },
    plain,
    ([{ url }]) => url.slice(0, 7),
    "/own/a_",
  ],
];
test.each(cases)("a replaced member decides: %s", async (_, own, part, shown, expected) => {
  await open(own);
  expect(shown((await send([await part()])).body)).toEqual(expected);
});

test("members for changes of a file decide", async () => {
  await open();
  await send([text]);
  state.uploadOwn = {
    "upload.updateFileInfo": (original: Body, id: unknown, info: Body) => original(id, { ...info, caption: "forced" }),
    "upload.findMany": () => [{ id: 1, name: "z", secret: 1, folderPath: "/1" }],
  };
  expect((await send([["fileInfo", '{"caption":"x"}']], "/api/upload?id=1")).body.caption).toBe("forced");
  expect((await app.call("GET", "/api/upload/files")).body).toEqual([
    { id: 1, name: "z", secret: 1, isUrlSigned: false },
  ]);
  state.uploadOwn = { "upload.replace": () => ({ id: 5, name: "rep" }), "upload.findOne": () => null };
  expect(await send([text], "/api/upload?id=1")).toEqual({
    status: 200,
    body: { id: 5, name: "rep", isUrlSigned: false },
  });
  expect((await app.call("GET", "/api/upload/files/1")).body.error.message).toBe("file.notFound");
  expect((await app.call("DELETE", "/api/upload/files/1")).status).toBe(404);
  state.uploadOwn = {};
  expect((await send([text], "/api/upload?id=99")).status).toBe(404);
  expect((await app.call("GET", "/api/upload/files?filters[folderPath]=x")).body.error.message).toBe(
    "Invalid key folderPath",
  );
});

test("a replaced image keeps its URL and loses copies that the new one does not have", async () => {
  await open();
  const [{ url }] = (await send([await image()])).body;
  expect(stored().length).toBe(3);
  const { body } = await send([text], "/api/upload?id=1");
  expect([body.url, body.formats, body.mime]).toEqual([url, {}, "text/plain"]);
  expect(stored()).toEqual([url.slice("/uploads/".length)]);
  expect(readFileSync(join(app.root, "public", url), "utf8")).toBe("hello");
});

test("a failed upload leaves no file, and a failed replacement the old content", async () => {
  await open();
  const [{ url }] = (await send([text])).body;
  state.uploadOwn = {
    "provider.upload": async (original: Body, file: Body) => {
      await original(file);
      if (String(file.name).startsWith("small")) throw new Error("full");
    },
    "provider.replace": async (original: Body, ...args: unknown[]) => {
      await original(...args);
      throw new Error("full");
    },
  };
  expect((await send([await image()])).status).toBe(500);
  expect((await send([["files", "other", "b.txt", "text/plain"]], "/api/upload?id=1")).status).toBe(500);
  expect((await app.call("GET", "/api/upload/files")).body.map(({ name }: Body) => name)).toEqual(["a.txt"]);
  expect(stored()).toEqual([url.slice("/uploads/".length)]);
  expect(readFileSync(join(app.root, "public", url), "utf8")).toBe("hello");
  expect(unfinished()).toEqual([]);
});

test("hooks of files see uploads over HTTP, and undo them", async () => {
  await open(
    {},
    {
      "src/index.js": `module.exports = { bootstrap({ strapi }) {
      strapi.db.lifecycles.subscribe({ models: ["plugin::upload.file"],
        beforeCreate: ({ params }) => { params.data.caption = "by hook"; },
        afterCreate: ({ result }) => { if (result.name === "no.txt") throw new Error("no"); } });
    } };`,
    },
  );
  expect((await send([text])).body[0].caption).toBe("by hook");
  expect((await send([["files", "x", "no.txt", "text/plain"]])).status).toBe(500);
  expect((await app.call("GET", "/api/upload/files")).body.length).toBe(1);
  expect(stored().length).toBe(1);
});

test("hooks of files see and change what REST reads", async () => {
  await open(
    {},
    {
      "src/extensions/upload/strapi-server.js": "module.exports = (plugin) => plugin;",
      "src/index.js": `module.exports = { bootstrap({ strapi }) {
      const far = (file) => { file.url = "https://cdn.example.com" + file.url; };
      strapi.db.lifecycles.subscribe({ models: ["plugin::upload.file"],
        afterFindOne: ({ result }) => far(result),
        afterFindMany: ({ result }) => result.forEach(far) });
    } };`,
    },
  );
  await send([["files", "a", "a.txt", "text/plain"]]);
  await send([["files", "b", "b.txt", "text/plain"]]);
  const far = /^https:\/\/cdn\.example\.com\/uploads\/\w+\.txt$/;
  const { body: list } = await app.call("GET", "/api/upload/files?sort=id:desc");
  expect(list).toMatchObject([
    { name: "b.txt", url: expect.stringMatching(far) },
    { name: "a.txt", url: expect.stringMatching(far) },
  ]);
  const { body: one } = await app.call("GET", `/api/upload/files/${list[0].id}`);
  expect(one.url).toMatch(far);
  const page = await app.call(
    "GET",
    "/api/upload/files/page?pagination[page]=2&pagination[pageSize]=1&sort=id&filters[name][$contains]=.txt",
  );
  expect(page.body).toMatchObject({
    data: [{ name: "b.txt", url: expect.stringMatching(far) }],
    meta: { pagination: { page: 2, pageSize: 1, pageCount: 2, total: 2 } },
  });
  expect(Object.keys(page.body.data[0]).sort()).toEqual(Object.keys(one).sort());
});

test("a member that never ends is cut off, and what it has stored is removed", async () => {
  await open(
    {
      "provider.upload": async (original: Body, file: Body) => {
        await original(file);
        await never;
      },
    },
    configFile({ code: { timeout: 1 } }),
  );
  expect((await send([text])).status).toBe(503);
  // the request may be cut off before the upload is
  await until("the file is removed", () => stored().length === 0);
  state.uploadOwn = {};
  expect((await send([text])).status).toBe(201);
});

test("files are attached to an entry, and new ones are in the folder of the API", async () => {
  await open();
  await app.call("POST", "/api/notes", { data: { title: "a" } });
  const fields: Part[] = [
    ["ref", "api::note.note"],
    ["refId", "1"],
    ["field", "gallery"],
  ];
  expect((await send([text, ...fields])).status).toBe(201);
  const { body } = await app.call("GET", "/api/notes?populate=*");
  expect(body.data[0].gallery.map(({ name }: Body) => name)).toEqual(["a.txt"]);
  expect((await send([text, ["ref", "api::none.none"], ["refId", "1"], ["field", "x"]])).status).toBe(400);
});
