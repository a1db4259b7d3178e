/** Upload providers of `config/plugins`. Expected: Strapi's calls and responses. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { startProject } from "../../src/server/start.ts";
import { pngOf } from "../engine/media/samples.ts";
import { ADMIN, type Body, configFile, createCall, projectFolder, type TestApp, TOKEN, typeFile } from "../project.ts";

interface Cloud {
  /** Contents by key. */
  readonly stored: Map<string, number>;
  readonly calls: string[];
  fail?: (operation: string, file: Body) => unknown;
}
const state = globalThis as { uploadCloud?: Cloud };
const cloud = () => state.uploadCloud!;

/** A package that stores files in `uploadCloud`. */
const provider = (members: string) => ({
  "node_modules/@strapi/provider-upload-cloud/package.json":
    '{ "name": "@strapi/provider-upload-cloud", "main": "index.js" }',
  "node_modules/@strapi/provider-upload-cloud/index.js": `module.exports = { init(options) {
    const cloud = globalThis.uploadCloud;
    const call = (name, file, own) => {
      cloud.calls.push([name, file.name, own && own.tag].filter(Boolean).join(" "));
      const error = cloud.fail && cloud.fail(name, file);
      if (error) throw error;
    };
    const store = (file, size) => {
      cloud.stored.set(file.hash + file.ext, size);
      file.url = options.base + "/" + file.hash + file.ext;
      file.provider_metadata = { key: file.hash };
    };
    return { ${members}, async delete(file, own) { call("delete", file, own); cloud.stored.delete(file.hash + file.ext); } };
  } };`,
});
const buffering = `async upload(file, own) { call("upload", file, own); store(file, file.buffer.length); }`;
const streaming = `async uploadStream(file, own) {
  let size = 0;
  for await (const chunk of file.stream) size += chunk.length;
  call("uploadStream", file, own);
  store(file, size);
}`;
const hidden = `${streaming}, isPrivate: async () => true,
  async getSignedUrl(file) { call("sign", file); return { url: file.url.split("?")[0] + "?signed" }; }`;

const config = {
  ...configFile({
    tokens: [
      { name: "full", type: "full-access", key: TOKEN },
      { name: "admin", type: "admin", key: "test-admin" },
    ],
  }),
  "config/plugins.js": `module.exports = { upload: { config: { provider: "cloud", sizeLimit: 100000, breakpoints: { small: 120 },
    providerOptions: { base: "https://cdn.test" }, actionOptions: { upload: { tag: "u" }, uploadStream: { tag: "s" }, delete: { tag: "d" } } } } };`,
  ...typeFile("note", {
    title: { type: "string" },
    cover: { type: "media", multiple: false },
    gallery: { type: "media", multiple: true },
  }),
};

let app: TestApp & { root: string };
afterEach(() => app.close());

async function open(members: string, more: Record<string, string> = {}) {
  state.uploadCloud = { stored: new Map(), calls: [] };
  const { root, remove } = projectFolder({ ...config, ...provider(members), ...more });
  const galley = await createGalley({ project: root, memory: false, admin: true, environment: {} });
  app = { ...galley, close: () => galley.close().then(remove), root, call: createCall(galley, ADMIN) };
}

async function send(content: string | Uint8Array, name: string, path = "/api/upload", headers = ADMIN) {
  const form = new FormData();
  form.append("files", new File([content], name));
  const response = await app.handle(new Request(`http://localhost${path}`, { method: "POST", headers, body: form }));
  return { status: response.status, body: (await response.json()) as Body };
}
const calls = (): string[] => cloud().calls.splice(0);
const local = (): string[] => {
  const folder = join(app.root, "public/uploads");
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
};
const picture = () => pngOf({ width: 250, height: 20 });

test("files and their copies are stored, replaced and removed by a provider that takes buffers", async () => {
  await open(buffering);
  const { status, body } = await send(await picture(), "a.png");
  const [file] = body;
  expect([status, file.provider, file.provider_metadata]).toEqual([201, "cloud", { key: file.hash }]);
  expect([file.url, file.formats.small.url]).toEqual(
    [file.hash, file.formats.small.hash].map((hash) => `https://cdn.test/${hash}.png`),
  );
  // they are sent at the same time
  expect(calls().sort()).toEqual(["upload a.png u", "upload small_a.png u", "upload thumbnail_a.png u"]);
  expect(local()).toEqual([]);
  const replaced = await send("hello", "b.txt", "/api/upload?id=1");
  expect([replaced.body.url, replaced.body.formats]).toEqual([file.url, {}]);
  const [first, second, ...others] = calls();
  expect([first, second]).toEqual(["delete a.png d", "upload b.txt u"]);
  // they are removed at the same time
  expect(others.sort()).toEqual(["delete small_a.png d", "delete thumbnail_a.png d"]);
  expect([...cloud().stored.values()]).toEqual([5]);
  expect((await app.call("DELETE", "/api/upload/files/1")).status).toBe(200);
  expect([cloud().stored.size, (await app.call("GET", "/api/upload/files")).body]).toEqual([0, []]);
});

test("files are stored in the project with upload.provider, as without the provider", async () => {
  await open(buffering, {
    "config/galley.json": JSON.stringify({
      tokens: [{ name: "full", type: "full-access", key: TOKEN }],
      upload: { provider: "local" },
    }),
  });
  const { status, body } = await send("hello", "a.txt");
  expect([status, body[0].provider, body[0].url, calls()]).toEqual([201, "local", `/uploads/${body[0].hash}.txt`, []]);
  expect(local()).toEqual([`${body[0].hash}.txt`]);
});

test("a start says that the provider is not installed", async () => {
  const { root, remove } = projectFolder({ ...config });
  const { project } = await startProject(root, { memory: true, publicRead: false, environment: {} });
  await project.close();
  remove();
  expect(project.warnings.map(({ file, key }) => `${file} ${key}`)).toEqual([
    "config/plugins.js upload.config.provider",
  ]);
  await open(buffering);
});

test("a provider that takes streams gets the content", async () => {
  await open(streaming);
  expect((await send("x".repeat(70_000), "a.txt")).status).toBe(201);
  expect([calls(), [...cloud().stored.values()]]).toEqual([["uploadStream a.txt s"], [70_000]]);
  const tooLarge = await send("x".repeat(200_000), "b.txt");
  expect([tooLarge.status, tooLarge.body.error.name]).toEqual([413, "PayloadTooLargeError"]);
  expect(calls()).toEqual([]);
});

test("URLs of a private provider are signed in every response, and stored without the signature", async () => {
  await open(hidden);
  const [file] = (await send(await picture(), "a.png")).body;
  const signed = `https://cdn.test/${file.hash}.png?signed`;
  expect([file.url, file.isUrlSigned, file.formats.small.isUrlSigned]).toEqual([signed, true, true]);
  await app.call("POST", "/api/notes", { data: { title: "n", cover: 1 } });
  const urls = [
    (await app.call("GET", "/api/upload/files")).body[0].url,
    (await app.call("GET", "/api/upload/files/1")).body.url,
    (await app.call("GET", "/api/upload/files/page")).body.data[0].url,
    (await app.call("GET", "/api/notes?populate=*")).body.data[0].cover.url,
    (await app.call("GET", "/upload/files", undefined, { authorization: "Bearer test-admin" })).body.results[0].url,
    (await app.call("GET", "/upload/files/1", undefined, { authorization: "Bearer test-admin" })).body.url,
  ];
  expect(urls).toEqual(urls.map(() => signed));
  // the administration's files keep what REST does not show
  expect(
    (await app.call("GET", "/upload/files", undefined, { authorization: "Bearer test-admin" })).body.results[0],
  ).toMatchObject({ folderPath: "/1", folder: { name: "API Uploads" }, locale: null });
  expect((await app.call("GET", "/api/upload/files")).body[0]).not.toHaveProperty("folderPath");
  await app.call("PUT", "/api/notes/none", { data: {} });
  expect((await send("x", "b.txt", "/api/upload?id=1")).body.url).toBe(signed);
});

test("GraphQL signs the URLs of files in media attributes and of root fields", async () => {
  await open(hidden);
  const [file] = (await send(await picture(), "a.png")).body;
  const signed = `https://cdn.test/${file.hash}.png?signed`;
  const ask = async (query: string) => (await app.call("POST", "/graphql", { query })).body.data;
  const fields = "cover { url address: url formats name } gallery { url } gallery_connection { nodes { url hash } }";
  const { createNote } = await ask(
    `mutation { createNote(data: { title: "n", cover: 1, gallery: [1] }) { documentId ${fields} } }`,
  );
  const { notes, note } = await ask(
    `{ notes { ${fields} } note(documentId: "${createNote.documentId}") { ${fields} } }`,
  );
  for (const { cover, gallery, gallery_connection } of [createNote, notes[0], note]) {
    expect(cover).toMatchObject({ url: signed, address: signed, name: "a.png" });
    expect(cover.formats.small.url).toBe(`https://cdn.test/${file.formats.small.hash}.png?signed`);
    expect(gallery).toEqual([{ url: signed }]);
    expect(gallery_connection.nodes).toEqual([{ url: signed, hash: file.hash }]);
  }
  expect((await ask("{ uploadFiles { url } }")).uploadFiles).toEqual([{ url: signed }]);
});

const errors: readonly [string, () => unknown, number, string][] = [
  ["an Error", () => new Error("no net"), 500, "InternalServerError"],
  [
    "an Error with the status of a gateway",
    () => Object.assign(new Error("odd"), { status: 502 }),
    502,
    "BadGatewayError",
  ],
  ["a text", () => "text", 500, "InternalServerError"],
];
test.each(errors)(
  "%s of a provider is answered in the envelope, and nothing is left over",
  async (_, error, status, name) => {
    await open(buffering);
    await send("hello", "kept.txt");
    cloud().fail = (operation, { name }) => (operation === "delete" || name.startsWith("small") ? error() : undefined);
    expect((await send(await picture(), "a.png")).body.error).toMatchObject({ status, name });
    expect((await app.call("DELETE", "/api/upload/files/1")).body.error).toMatchObject({ status, name });
    cloud().fail = (_, file) => (file.name.startsWith("small") ? error() : undefined);
    expect((await send(await picture(), "b.png")).status).toBe(status);
    const names = (await app.call("GET", "/api/upload/files")).body.map(({ name }: Body) => name);
    expect(names).toEqual(["kept.txt"]);
    await Bun.sleep(0);
    expect([...cloud().stored.keys()].filter((key) => key.includes("b_"))).toEqual([]);
  },
);

test("the admin's uploads and deletions go through the provider, with the administrator", async () => {
  await open(buffering, {
    "src/extensions/upload/strapi-server.js": `module.exports = (plugin) => {
      const create = plugin.services.upload;
      plugin.services.upload = (context) => {
        const service = create(context);
        return { ...service, upload(input, options) {
          globalThis.uploadCloud.calls.push("by " + (options && options.user.email));
          return service.upload(input, options);
        } };
      };
      return plugin;
    };`,
  });
  const admin = { authorization: "Bearer test-admin" };
  const { status, body } = await send("hello", "a.txt", "/upload", admin);
  expect([status, body[0].provider, calls()]).toEqual([201, "cloud", ["by admin@example.com", "upload a.txt u"]]);
  expect((await app.call("PUT", "/upload/files/1", { fileInfo: { caption: "c" } }, admin)).body.caption).toBe("c");
  const replaced = await send("longer", "b.txt", "/upload/files/1/replace", admin);
  expect([replaced.status, replaced.body.url]).toEqual([200, body[0].url]);
  expect(calls()).toEqual(["delete a.txt d", "upload b.txt u"]);
  const folder = await app.call("POST", "/upload/folders", { name: "F", parent: null }, admin);
  const move = { fileIds: [1], folderIds: [], destinationFolderId: folder.body.data.id };
  expect((await app.call("POST", "/upload/actions/bulk-move", move, admin)).status).toBe(200);
  const selection = { fileIds: [], folderIds: [folder.body.data.id] };
  expect((await app.call("POST", "/upload/actions/bulk-delete", selection, admin)).status).toBe(200);
  expect([calls(), cloud().stored.size]).toEqual([["delete b.txt d"], 0]);
});

test("a provider that code replaces at the start is called", async () => {
  await open(buffering, {
    "config/plugins.js": "module.exports = {};",
    "src/index.js": `module.exports = { bootstrap({ strapi }) {
      strapi.plugin("upload").provider.delete = async (file) => { globalThis.uploadCloud.calls.push("kept " + file.name); };
    } };`,
  });
  await send("hello", "a.txt");
  await app.call("DELETE", "/api/upload/files/1");
  expect([calls(), local().length]).toEqual([["kept a.txt"], 1]);
});

test("a provider that is not installed or cannot start is reported or stops the start", async () => {
  await open(buffering, { "config/plugins.js": 'module.exports = { upload: { config: { provider: "none" } } };' });
  const [file] = (await send("hello", "a.txt")).body;
  expect([file.provider, local().length]).toEqual(["local", 1]);
  const { root, remove } = projectFolder({ ...config, ...provider("describe() {}") });
  try {
    await expect(startProject(root, { memory: true, publicRead: false, environment: {} })).rejects.toThrow(
      'The upload provider "cloud" doesn\'t implement the uploadStream nor the upload method.',
    );
  } finally {
    remove();
  }
});
