/** Where files are used: in media attributes at any depth, and by URL in texts. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, componentFile, type TestApp, testApp, typeFile } from "../project.ts";
import { askAs, signedIn } from "./signed-in.ts";

const KEY = "a key for tests";
const media = { type: "media", multiple: false };
const files = {
  ...typeFile(
    "post",
    {
      title: { type: "string" },
      body: { type: "richtext" },
      article: { type: "customField", customField: "plugin::ckeditor5.CKEditor" },
      cover: media,
      card: { type: "component", component: "page.card" },
      zone: { type: "dynamiczone", components: ["page.card"] },
    },
    { draftAndPublish: true },
  ),
  ...componentFile("page.inner", { image: media, text: { type: "richtext" } }),
  ...componentFile("page.card", { inner: { type: "component", component: "page.inner", repeatable: true } }),
};
const POST = "api::post.post";

let app: TestApp;
let ask: (path: string) => ReturnType<ReturnType<typeof askAs>>;

async function uploaded(name: string): Promise<{ id: number; hash: string; url: string }> {
  const form = new FormData();
  form.append("files", new File([name], `${name}.txt`, { type: "text/plain" }));
  const init = { method: "POST", headers: { authorization: "Bearer test-full-access" }, body: form };
  const response = await app.handle(new Request("http://localhost/api/upload", init));
  return ((await response.json()) as { id: number; hash: string; url: string }[])[0]!;
}

const unused = async (search = ""): Promise<string[]> =>
  (await ask(`/files/unused${search}`)).body.results.map(({ name }: Body) => name);

beforeAll(async () => {
  app = await testApp(files, { admin: true, environment: { ADMIN_JWT_SECRET: KEY } });
  const session = askAs(app, await signedIn(app, KEY));
  ask = (path) => session("GET", path);
});
afterAll(() => app.close());

test("a file in a component of a component is used by the document, whose versions are one use", async () => {
  const file = await uploaded("deep");
  const card = { inner: [{ image: file.id }] };
  const { documentId } = await app.documents(POST).create({
    data: { title: "Deep", card, zone: [{ __component: "page.card", ...card }] },
    status: "published",
  });
  const { body } = await ask(`/files/${file.id}/uses`);
  expect(body).toEqual({
    data: ["card", "zone"].map((attribute) => ({
      uid: POST,
      documentId,
      locale: null,
      title: "Deep",
      attribute,
      isDraft: true,
      isPublished: true,
    })),
    meta: { isCut: false },
  });
});

test("a file that only a text names is used, also by the name of a copy", async () => {
  const [named, copied, plain] = [await uploaded("named"), await uploaded("copied"), await uploaded("plain")];
  await app.documents(POST).create({ data: { title: "Text", body: `![a](${named.url})` } });
  const copy = `![](http://localhost/uploads/thumbnail_${copied.hash}.txt "b")`;
  await app.documents(POST).create({ data: { title: "Copy", card: { inner: [{ text: copy }] } } });
  expect((await ask(`/files/${named.id}/uses`)).body.data).toMatchObject([
    { title: "Text", attribute: "body", isDraft: true, isPublished: false },
  ]);
  expect((await ask(`/files/${copied.id}/uses`)).body.data).toMatchObject([{ title: "Copy", attribute: "card" }]);
  expect(await unused()).toEqual(["plain.txt"]);
  await app.documents(POST).create({ data: { title: "Now", cover: plain.id } });
  expect(await unused()).toEqual([]);
});

test("unused files come in pages, and are searched by name", async () => {
  for (const name of ["one", "two", "three"]) await uploaded(name);
  const { body } = await ask("/files/unused?page=2&pageSize=2");
  expect(body.pagination).toEqual({ page: 2, pageSize: 2, pageCount: 2, total: 3 });
  expect(body.results).toHaveLength(1);
  expect(await unused("?_q=TW")).toEqual(["two.txt"]);
  expect(await unused("?_q=%25")).toEqual([]);
});

test("nobody without a session is told, and unknown files are not found", async () => {
  const nobody = askAs(app, "");
  expect((await nobody("GET", "/files/1/uses")).status).toBe(401);
  expect((await nobody("GET", "/files/unused")).status).toBe(401);
  expect((await app.call("GET", "/files/unused")).status).toBe(404);
  for (const id of ["999", "0", "x", "1 OR 1=1"])
    expect((await ask(`/files/${encodeURIComponent(id)}/uses`)).status).toBe(404);
});

test("a file in the text of a custom field is used", async () => {
  const { url } = await uploaded("edited");
  expect(await unused()).toContain("edited.txt");
  await app.documents(POST).create({ data: { title: "Edited", article: `<p><img src="${url}"></p>` } });
  expect(await unused()).not.toContain("edited.txt");
});
