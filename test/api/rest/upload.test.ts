import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { copyProject, Library, openLibrary } from "../../engine/media/library.ts";
import { createGif, jpegOf, PDF, pngOf, SVG, ZIP } from "../../engine/media/samples.ts";

let library: Library;
beforeEach(() => {
  library = openLibrary();
});
afterEach(() => library.close());

const upload = async (name = "note.txt", content: string | Uint8Array = "hello") => {
  const { body, status } = await library.send([{ name, content }]);
  expect(status).toBe(201);
  return body[0];
};

test("a file is stored with every field of its record and served under its address", async () => {
  const file = await upload("Read me.txt");
  expect(file).toEqual({
    id: 1,
    documentId: expect.stringMatching(/^[a-z0-9]{24}$/),
    name: "Read me.txt",
    alternativeText: null,
    caption: null,
    focalPoint: null,
    width: null,
    height: null,
    formats: null,
    hash: expect.stringMatching(/^Read_me_[0-9a-f]{10}$/),
    ext: ".txt",
    mime: "text/plain",
    size: 0.01,
    url: `/uploads/${file.hash}.txt`,
    previewUrl: null,
    provider: "local",
    provider_metadata: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    publishedAt: expect.any(String),
    isUrlSigned: false,
  });
  expect((await library.ask(file.url, { as: "" })).body).toBe("hello");
  expect(library.unfinished()).toEqual([]);
});

test("a picture gets its formats, each with its own file", async () => {
  const file = await upload("Photo.JPG", await jpegOf({ width: 640, height: 480 }));
  expect(file).toMatchObject({ width: 640, height: 480, ext: ".JPG", mime: "image/jpeg" });
  const { thumbnail, small } = file.formats;
  expect(small).toEqual({
    name: "small_Photo.JPG",
    hash: `small_${file.hash}`,
    ext: ".JPG",
    mime: "image/jpeg",
    path: null,
    width: 500,
    height: 375,
    size: Math.round(small.sizeInBytes / 10) / 100,
    sizeInBytes: small.sizeInBytes,
    url: `/uploads/small_${file.hash}.JPG`,
  });
  for (const format of [thumbnail, small]) {
    const { bytes, headers } = await library.ask(format.url, { as: "" });
    expect(bytes.length).toBe(format.sizeInBytes);
    expect(headers.get("content-type")).toBe("image/jpeg");
    expect(await new Bun.Image(bytes).metadata()).toMatchObject({ width: format.width, height: format.height });
  }
  expect(library.stored().length).toBe(3);
});

test("several files keep the order of the request, whatever their sizes", async () => {
  const files = [50_000, 3, 20_000, 0, 1].map((size, index) => ({ name: `${index}.txt`, content: "x".repeat(size) }));
  const { body } = await library.send(files);
  expect(body.map(({ name }: { name: string }) => name)).toEqual(files.map(({ name }) => name));
  expect(body.map(({ size }: { size: number }) => size)).toEqual([50, 0, 20, 0, 0]);
});

test("fileInfo goes to the files in order", async () => {
  const fileInfo = JSON.stringify([{ name: "one", caption: "first" }, { alternativeText: "second" }]);
  const { body } = await library.send([{ content: "1" }, { content: "2", name: "b.txt" }], { fileInfo });
  expect(body.map((file: { name: string }) => file.name)).toEqual(["one", "b.txt"]);
  expect(body[0]).toMatchObject({ caption: "first", alternativeText: null });
  expect(body[1]).toMatchObject({ caption: null, alternativeText: "second" });
});

test("a file that is refused stops the request, and those before it stay", async () => {
  const { status, body } = await library.send([{ content: "1" }, { content: "2", name: "a:b.txt" }, { content: "3" }]);
  expect(status).toBe(400);
  expect(body.error.message).toBe("File name contains invalid characters");
  expect((await library.ask("/api/upload/files")).body.length).toBe(1);
  expect(library.stored().length).toBe(1);
  expect(library.unfinished()).toEqual([]);
});

const nothing: [string, () => ReturnType<Library["ask"]>][] = [
  ["no body", () => library.ask("/api/upload", { method: "POST" })],
  ["a JSON body", () => library.json("POST", "/api/upload", { files: [] })],
  ["a file under another name", () => library.send([{ content: "x", field: "file" }])],
  ["a file under a bracket name", () => library.send([{ content: "x", field: "files[]" }])],
  ["a text called files", () => library.send([], { files: "x" })],
  ["one empty file", () => library.send([{ content: "" }])],
  ["an empty id", () => library.send([], {}, "/api/upload?id=")],
];
test.each(nothing)("%s is not an upload", async (_, ask) => {
  const { status, body } = await ask();
  expect([status, body.error]).toEqual([
    400,
    { status: 400, name: "ValidationError", message: "Files are empty", details: {} },
  ]);
});

test("texts are changed without a file, and null keeps the old one", async () => {
  const { id, hash } = await upload();
  const path = `/api/upload?id=${id}`;
  const fileInfo = JSON.stringify({ name: "new.md", caption: "c", focalPoint: { x: 1, y: 2 } });
  const first = await library.send([], { fileInfo }, path);
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ name: "new.md", caption: "c", focalPoint: { x: 1, y: 2 }, hash, ext: ".txt" });
  const second = await library.json("POST", path, { fileInfo: { name: null, caption: "", focalPoint: null } });
  expect(second.body).toMatchObject({ name: "new.md", caption: "", focalPoint: { x: 1, y: 2 } });
  const third = await library.ask(path, { method: "POST" });
  expect(third.body.updatedAt > second.body.updatedAt).toBe(true);
  expect(third.body.publishedAt).toBe(first.body.publishedAt);
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const fourth = await library.ask(path, { method: "POST", headers: form, body: "fileInfo[caption]=hello" });
  expect(fourth.body.caption).toBe("hello");
});

test("a replaced file keeps its address and loses the formats that it no longer has", async () => {
  const old = await upload("pic.gif", createGif({ width: 300, height: 100 }));
  const path = `/api/upload?id=${old.id}`;
  const fileInfo = JSON.stringify({ caption: "kept", focalPoint: { x: 1, y: 1 } });
  await library.send([], { fileInfo }, path);
  const text = (await library.send([{ content: "hello", name: "note.txt" }], {}, path)).body;
  expect(text).toMatchObject({
    id: old.id,
    documentId: old.documentId,
    createdAt: old.createdAt,
    url: old.url,
    ext: ".gif",
    name: "note.txt",
    mime: "text/plain",
    size: 0.01,
    formats: {},
    width: 300,
    height: 100,
    caption: "kept",
    focalPoint: null,
  });
  expect(library.stored()).toEqual([`${old.hash}.gif`]);
  const picture = (await library.send([{ content: createGif({ width: 400, height: 100 }), name: "b.gif" }], {}, path))
    .body;
  expect(picture).toMatchObject({ name: "b.gif", width: 400, formats: { thumbnail: { name: "thumbnail_b.gif" } } });
  expect(library.stored().sort()).toEqual([`${old.hash}.gif`, `thumbnail_${old.hash}.gif`]);
});

test("a replacement that fails changes nothing", async () => {
  const old = await upload();
  const path = `/api/upload?id=${old.id}`;
  const cut = Buffer.from(await jpegOf({ width: 300, height: 200 })).subarray(0, -2);
  const failures = [
    await library.send([{ content: cut, name: "a.jpg" }], {}, path),
    await library.send([{ content: "x", name: "a:b" }], {}, path),
    await library.send([{ content: "x" }, { content: "y" }], {}, path),
    await library.send([{ content: "x" }], { fileInfo: "{nope" }, path),
  ];
  expect(failures.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(failures[2]?.body.error.message).toBe("Cannot replace a file with multiple ones");
  expect((await library.ask(`/api/upload/files/${old.id}`)).body).toEqual(old);
  expect((await library.ask(old.url)).body).toBe("hello");
  expect(library.stored().length).toBe(1);
  expect(library.unfinished()).toEqual([]);
});

test.each(["99999", "abc", "0", "-1", "1.5", "1e-1", "1x", "9".repeat(30)])(
  "there is no file with the id %s",
  async (id) => {
    await upload();
    const messages = [
      (await library.ask(`/api/upload/files/${id}`)).body,
      (await library.ask(`/api/upload/files/${id}`, { method: "DELETE" })).body,
      (await library.send([], { fileInfo: "{}" }, `/api/upload?id=${id}`)).body,
      (await library.send([{ content: "x" }], {}, `/api/upload?id=${id}`)).body,
    ].map(({ error }) => [error.status, error.message]);
    expect(messages).toEqual([
      [404, "file.notFound"],
      [404, "file.notFound"],
      [404, "Entity not found"],
      [404, "Entity not found"],
    ]);
  },
);

test.each(["1.0", "%201", "1e0", "01"])("the file with the id 1 is found by %s", async (id) => {
  await upload();
  expect((await library.ask(`/api/upload/files/${id}`)).body.id).toBe(1);
  expect((await library.send([], { fileInfo: '{"caption":"c"}' }, `/api/upload?id=${id}`)).body.caption).toBe("c");
});

test("no fields at all are refused", async () => {
  const { status, body } = await library.ask("/api/upload/files?fields=");
  expect([status, body.error.message]).toEqual([400, "fields must name an attribute"]);
});

test("two ids are none", async () => {
  const { body } = await library.send([], { fileInfo: "{}" }, "/api/upload?id=1&id=2");
  expect(body.error.message).toBe("File id is required and must be a single value");
});

test("removing a file removes its formats and every use of it", async () => {
  const file = await upload("a.png", await pngOf({ width: 600, height: 600 }));
  const other = await upload();
  const data = {
    name: "p",
    images: [other.id, file.id],
    manual: file.id,
    seo: { metaTitle: "t", shareImage: file.id },
  };
  const product = (await library.json("POST", "/api/products", { data })).body.data.documentId;
  const { status, body } = await library.ask(`/api/upload/files/${file.id}`, { method: "DELETE" });
  expect([status, body]).toEqual([200, file]);
  expect(library.stored()).toEqual([`${other.hash}.txt`]);
  const path = `/api/products/${product}?populate[images]=true&populate[manual]=true&populate[seo][populate]=shareImage`;
  const { data: after } = (await library.ask(path)).body;
  expect(after.images.map(({ id }: { id: number }) => id)).toEqual([other.id]);
  expect([after.manual, after.seo.shareImage]).toEqual([null, null]);
  expect((await library.ask(file.url)).status).toBe(404);
});

test("an upload can become the value of an entry's field", async () => {
  const created = (await library.json("POST", "/api/authors?status=published", { data: { name: "Ann" } })).body.data;
  const fields = { ref: "api::author.author", refId: String(created.id), field: "avatar" };
  const avatar = async (status: string) =>
    (await library.ask(`/api/authors/${created.documentId}?populate=avatar&status=${status}`)).body.data.avatar?.name;
  for (const name of ["a.txt", "b.txt"]) await library.send([{ content: "x", name }], fields);
  expect([await avatar("published"), await avatar("draft")]).toEqual(["b.txt", undefined]);
  const product = (await library.json("POST", "/api/products", { data: { name: "p" } })).body.data;
  const images = { ref: "api::product.product", refId: String(product.id), field: "images" };
  await library.send(
    [
      { content: "1", name: "1.txt" },
      { content: "2", name: "2.txt" },
    ],
    images,
  );
  await library.send([{ content: "3", name: "3.txt" }], images);
  const { data } = (await library.ask(`/api/products/${product.documentId}?populate=images`)).body;
  expect(data.images.map(({ name }: { name: string }) => name)).toEqual(["1.txt", "2.txt", "3.txt"]);
  expect(data.images[0].isUrlSigned).toBeUndefined();
});

const names = (files: readonly { name: string }[]): string[] => files.map(({ name }) => name);

test("files are connected to an entry that is there already, last, and the one of a single field stays", async () => {
  const ids: number[] = [];
  for (const name of ["a.txt", "b.txt", "c.txt"]) ids.push((await upload(name)).id);
  const [a, b, c] = ids;
  const write = async (method: string, path: string, data: object) =>
    (await library.json(method, `/api/products${path}?populate=images,manual`, { data })).body.data;
  const created = await write("POST", "", { name: "p", images: { connect: [a] }, manual: { connect: [a] } });
  expect([created.images, created.manual]).toEqual([[], null]);
  const change = (data: object) => write("PUT", `/${created.documentId}`, data);
  expect(names((await change({ images: { connect: [a, b] } })).images)).toEqual(["a.txt", "b.txt"]);
  const moved = { connect: [{ id: c, position: { start: true } }] };
  expect(names((await change({ images: moved })).images)).toEqual(["a.txt", "b.txt", "c.txt"]);
  expect((await change({ manual: { connect: [a] } })).manual.name).toBe("a.txt");
  expect((await change({ manual: { connect: [b] } })).manual.name).toBe("a.txt");
  expect((await change({ manual: { connect: [b], disconnect: [a] } })).manual.name).toBe("b.txt");
  const seo = { shareImage: { connect: [a] } };
  await change({ seo });
  const { body } = await library.ask(`/api/products/${created.documentId}?populate[seo][populate]=*`);
  expect(body.data.seo.shareImage).toBeNull();
});

test.each([[true], [{}], [{ connect: [] }], [{ disconnect: null }], [{ options: {} }]])(
  "media that %j is written to has no files afterwards",
  async (value) => {
    const { id } = await upload();
    const data = { name: "p", images: [id], manual: id };
    const { documentId } = (await library.json("POST", "/api/products", { data })).body.data;
    const path = `/api/products/${documentId}?populate=images,manual`;
    const { status, body } = await library.json("PUT", path, { data: { images: value, manual: value } });
    expect([status, body.data.images, body.data.manual]).toEqual([200, [], null]);
  },
);

test("a single field answers the first of the files that it was given, and a published version takes that one", async () => {
  const ids: number[] = [];
  for (const name of ["a.txt", "b.txt"]) ids.push((await upload(name)).id);
  const [a, b] = ids;
  const { documentId } = (await library.json("POST", "/api/authors", { data: { name: "Ann", avatar: [a, b] } })).body
    .data;
  const path = `/api/authors/${documentId}?populate=avatar`;
  const change = async (avatar: object) =>
    (await library.json("PUT", path, { data: { avatar } })).body.data.avatar.name;
  const users = async () =>
    (await library.ask("/api/upload/files?populate=related&sort=id")).body.map(
      ({ related }: { related: { publishedAt: string | null }[] }) =>
        related.map(({ publishedAt }) => (publishedAt ? "published" : "draft")),
    );
  expect((await library.ask(path)).body.data.avatar.name).toBe("a.txt");
  expect(await users()).toEqual([["draft", "published"], ["draft"]]);
  expect(await change({ connect: [a] })).toBe("b.txt");
  // by their places in the field, and then in the order in which they came
  expect(await users()).toEqual([["draft"], ["published", "draft"]]);
  expect(await change({ disconnect: [b] })).toBe("a.txt");
});

test("a list in the place of a file is refused", async () => {
  const { id } = await upload();
  const { status, body } = await library.json("POST", "/api/products", { data: { name: "p", images: [[id]] } });
  expect([status, body.error.message]).toEqual([400, "Invalid key 0 at images"]);
});

const places: [string, Record<string, string>, number][] = [
  ["an unknown type", { ref: "api::nope.nope", refId: "1", field: "x" }, 400],
  ["a document id", { ref: "api::author.author", refId: "abcdefghijklmnopqrstuvwx", field: "avatar" }, 400],
  ["an unknown field", { ref: "api::author.author", refId: "1", field: "nope" }, 201],
  ["an unknown field of no entry", { ref: "api::author.author", refId: "x", field: "nope" }, 201],
  ["a field without media", { ref: "api::author.author", refId: "1", field: "name" }, 201],
  ["an entry that is not there", { ref: "api::author.author", refId: "999", field: "avatar" }, 201],
  ["no field", { ref: "api::author.author", refId: "1" }, 201],
];
test.each(places)("a place in %s is refused, or the file is stored without it", async (_, fields, expected) => {
  const { status } = await library.send([{ content: "x" }], fields);
  expect([status, library.stored().length]).toEqual([expected, expected === 201 ? 1 : 0]);
  expect(library.unfinished()).toEqual([]);
});

test("lists take filters, sorting, fields, a search, start and limit, and ignore pagination", async () => {
  for (const name of ["banana.txt", "Apple.txt", "cherry.pdf"]) await upload(name, name.endsWith("pdf") ? PDF : "text");
  const names = async (query: string) =>
    (await library.ask(`/api/upload/files?${query}`)).body.map(({ name }: { name: string }) => name);
  expect(await names("sort=name:desc")).toEqual(["cherry.pdf", "banana.txt", "Apple.txt"]);
  expect(await names("filters[mime][$contains]=text&sort=id")).toEqual(["banana.txt", "Apple.txt"]);
  expect(await names("_q=APPLE")).toEqual(["Apple.txt"]);
  expect(await names("sort=id&start=1&limit=1")).toEqual(["Apple.txt"]);
  expect((await names("pagination[pageSize]=1&limit=0")).length).toBe(3);
  expect((await names("page=2&pageSize=1")).length).toBe(3);
  for (const query of ["page=0", "page=2&limit=0"])
    expect((await library.ask(`/api/upload/files?${query}`)).body.error.name).toBe("PaginationError");
  const { body } = await library.ask("/api/upload/files?fields=name&filters[id]=1");
  expect(body).toEqual([{ id: 1, documentId: expect.any(String), name: "banana.txt", isUrlSigned: false }]);
});

test("pages have their numbers, and both styles do not mix", async () => {
  for (let count = 0; count < 3; count++) await upload();
  const page = async (query: string) => (await library.ask(`/api/upload/files/page?fields=id&${query}`)).body;
  expect((await page("")).meta.pagination).toEqual({ page: 1, pageSize: 25, pageCount: 1, total: 3 });
  expect((await page("pagination[page]=2&pagination[pageSize]=2")).data.length).toBe(1);
  expect((await page("pagination[start]=1&pagination[limit]=1")).meta.pagination).toEqual({
    start: 1,
    limit: 1,
    total: 3,
  });
  expect((await page("pagination[withCount]=false")).meta.pagination).toEqual({ page: 1, pageSize: 25 });
  expect((await page("pagination[page]=1&pagination[limit]=1")).error.name).toBe("PaginationError");
});

const invalid: [string, string, string | null][] = [
  ["filters[nope]=1", "nope", null],
  ["filters[folderPath]=/", "folderPath", "folderPath"],
  ["filters[related][id]=1", "related", "related"],
  ["sort=nope", "nope", null],
  ["fields=folder", "folder", "folder"],
  ["populate=folder", "folder", "folder"],
];
test.each(invalid)("%s names an invalid key", async (query, key, path) => {
  const { status, body } = await library.ask(`/api/upload/files?${query}`);
  expect([status, body.error.details.key, body.error.details.path]).toEqual([400, key, path]);
});

test("a file tells who uses it", async () => {
  const file = await upload();
  const author = (await library.json("POST", "/api/authors?status=published", { data: { name: "A", avatar: file.id } }))
    .body.data;
  const data = { name: "p", secret: "s", images: [file.id], seo: { metaTitle: "t", shareImage: file.id } };
  const product = (await library.json("POST", "/api/products", { data })).body.data;
  const related = async (query: string, as = "full") =>
    (await library.ask(`/api/upload/files?${query}`, { as })).body[0].related;
  const users = await related("populate=*");
  expect(users.map(({ __type, id }: { __type: string; id: number }) => [__type, id])).toEqual([
    ["api::author.author", expect.any(Number)],
    ["api::author.author", author.id],
    ["api::product.product", product.id],
  ]);
  expect(users[2]).toMatchObject({ documentId: product.documentId, name: "p" });
  expect(users[2].secret).toBeUndefined();
  expect(await related("populate[related][count]=true")).toEqual({ count: 3 });
  expect(await related("populate[related][on][shared.seo][fields]=metaTitle")).toEqual([
    { id: 1, metaTitle: "t", __type: "shared.seo" },
  ]);
  expect(await related("populate[related][fields]=name")).toBeUndefined();
  // the public may find authors only
  expect((await related("populate=related", "")).length).toBe(2);
  // they are told wherever a file is populated
  const nested = async (query: string, as = "full") =>
    (await library.ask(`/api/authors?populate[avatar]${query}`, { as })).body.data[0].avatar.related;
  expect((await nested("[populate]=*")).length).toBe(3);
  expect((await nested("[populate][related]=true", "")).length).toBe(2);
  expect(await nested("[populate][related][on][shared.seo][fields]=metaTitle")).toEqual([
    { id: 1, metaTitle: "t", __type: "shared.seo" },
  ]);
  expect(await nested("[populate][related][populate]=*")).toBeUndefined();
  for (let count = 0; count < 5; count++) await upload();
  const before = library.project.context.storage.statements;
  await related("populate=related");
  // the token, the files, the links, and one for each of three types, however many files there are
  expect(library.project.context.storage.statements - before).toBeLessThan(8);
});

test("who may do what", async () => {
  const file = await upload();
  const statuses = async (as: string) => [
    (await library.send([{ content: "x" }], {}, "/api/upload", as)).status,
    (await library.ask("/api/upload/files", { as })).status,
    (await library.ask("/api/upload/files/page", { as })).status,
    (await library.ask(`/api/upload/files/${file.id}`, { as })).status,
    (await library.ask("/api/upload/files/999", { method: "DELETE", as })).status,
  ];
  expect(await statuses("full")).toEqual([201, 200, 200, 200, 404]);
  expect(await statuses("read")).toEqual([403, 200, 403, 200, 403]);
  expect(await statuses("custom")).toEqual([403, 403, 403, 200, 403]);
  expect(await statuses("")).toEqual([403, 200, 403, 403, 403]);
  expect(await statuses("unknown")).toEqual([401, 401, 401, 401, 401]);
});

test("a body of somebody without permission is not looked at", async () => {
  const { status } = await library.ask("/api/upload", {
    method: "POST",
    as: "read",
    headers: { "Content-Type": "multipart/form-data" },
    body: "nonsense",
  });
  expect(status).toBe(403);
});

test("other methods are refused with those that there are", async () => {
  const { status, headers } = await library.ask("/api/upload/files/1", { method: "PUT" });
  expect([status, headers.get("allow")]).toEqual([405, "HEAD, GET, DELETE"]);
  expect((await library.ask("/api/upload", { method: "PUT" })).headers.get("allow")).toBe("HEAD, GET, POST");
  expect((await library.ask("/api/upload")).status).toBe(404);
  expect((await library.ask("/api/Upload/Files")).status).toBe(200);
});

test("limits and lists of types hold for new files and for replacements", async () => {
  library.close();
  library = openLibrary({
    upload: {
      sizeLimit: 3000,
      breakpoints: { wide: 280, tiny: 64 },
      security: { allowedTypes: ["text/plain", "image/*"], deniedTypes: ["image/svg+xml"] },
    },
  });
  const answer = async (name: string, content: string | Uint8Array) => {
    const { status, body } = await library.send([{ name, content }]);
    return status === 201 ? status : [status, body.error.name, body.error.message];
  };
  expect(await answer("a.txt", "x".repeat(3004))).toBe(201);
  const large = [413, "PayloadTooLargeError", "a.txt exceeds size limit of 3 KB."];
  expect(await answer("a.txt", "x".repeat(3006))).toEqual(large);
  expect(await answer("a.svg", SVG)).toEqual([400, "ValidationError", "File type 'image/svg+xml' is not allowed"]);
  expect(await answer("a.zip", ZIP)).toEqual([400, "ValidationError", "MIME type is not allowed"]);
  const gif = (await library.send([{ name: "a.gif", content: createGif({ width: 30, height: 10 }) }])).body[0];
  expect(gif.formats).toBeNull();
  const replaced = await library.send([{ name: "a.txt", content: "x".repeat(3006) }], {}, `/api/upload?id=${gif.id}`);
  expect(replaced.status).toBe(413);
  const mixed = await library.send(
    [
      { name: "a.zip", content: ZIP },
      { content: "x", name: "b.txt" },
    ],
    {
      fileInfo: '[{"name":"zip"},{"name":"text"}]',
    },
  );
  expect(mixed.body.map(({ name }: { name: string }) => name)).toEqual(["text"]);
  const none = await library.send([
    { name: "a.zip", content: ZIP },
    { name: "b.svg", content: SVG },
  ]);
  expect(none.body.error.message).toBe("MIME type is not allowed");
});

test("in memory nothing is written below the project, and its own uploads are served", async () => {
  const root = copyProject();
  const memory = new Library(root, true);
  await Bun.write(join(root, "public/uploads/own.txt"), "own");
  const { body } = await memory.send([{ content: "hello" }]);
  expect((await memory.ask(body[0].url)).body).toBe("hello");
  expect((await memory.ask("/uploads/own.txt")).body).toBe("own");
  expect(memory.stored()).toEqual(["own.txt"]);
  memory.close();
});

test("the content on disk is what was sent, byte for byte, where it is not a picture", async () => {
  const content = crypto.getRandomValues(new Uint8Array(60_000));
  const { url } = await upload("data.bin", Buffer.concat(Array.from({ length: 30 }, () => content)));
  const stored = readFileSync(join(library.root, "public", url));
  expect(stored.equals(Buffer.concat(Array.from({ length: 30 }, () => content)))).toBe(true);
  const served = await library.ask(url);
  expect(Buffer.from(served.bytes).equals(stored)).toBe(true);
});
