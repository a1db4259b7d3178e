import { expect, test } from "bun:test";
import { type Body, componentFile, serviceFile, testApp, typeFile } from "../../project.ts";

/** The ids of new files. */
async function upload({ handle }: Awaited<ReturnType<typeof testApp>>, ...names: readonly string[]): Promise<number[]> {
  const body = new FormData();
  for (const name of names) body.append("files", new File(["x"], name));
  const headers = { authorization: "Bearer test-full-access" };
  const response = await handle(new Request("http://localhost/api/upload", { method: "POST", body, headers }));
  return ((await response.json()) as { id: number }[]).map(({ id }) => id);
}

test("hides users of a file that are in private attributes", async () => {
  const picture = { type: "media", multiple: false };
  const app = await testApp({
    ...typeFile("note", { name: { type: "string" }, open: picture, hidden: { ...picture, private: true } }),
    ...componentFile("parts.card", { label: { type: "string" }, hidden: { ...picture, private: true } }),
    ...componentFile("parts.open", { label: { type: "string" }, picture }),
    ...componentFile("parts.box", { inside: { type: "component", component: "parts.open", repeatable: true } }),
    ...typeFile("page", {
      card: { type: "component", component: "parts.card" },
      box: { type: "component", component: "parts.box" },
      secretBox: { type: "component", component: "parts.box", private: true },
      secret: { type: "component", component: "parts.open", private: true },
      zone: { type: "dynamiczone", components: ["parts.open"] },
      secretZone: { type: "dynamiczone", components: ["parts.open"], private: true },
    }),
  });
  const [id] = await upload(app, "a.txt");
  await app.call("POST", "/api/notes", { data: { name: "hides", hidden: id } });
  await app.call("POST", "/api/notes", { data: { name: "shows", open: id } });
  await app.call("POST", "/api/pages", { data: { card: { label: "hides", hidden: id } } });
  for (const populate of ["populate=related", "populate=*", "populate[related][on][api::note.note][fields]=name"]) {
    const { body } = await app.call("GET", `/api/upload/files?${populate}`);
    expect(body[0].related.map(({ name }: { name: string }) => name)).toEqual(["shows"]);
  }
  const cards = await app.call("GET", "/api/upload/files?populate[related][on][parts.card][fields]=label");
  expect(cards.body[0].related).toEqual([]);
  const inside = (label: string) => ({ label, picture: id });
  const entry = (label: string) => [{ __component: "parts.open", ...inside(label) }];
  await app.call("POST", "/api/pages", {
    data: {
      box: { inside: [inside("box")] },
      secretBox: { inside: [inside("secret box")] },
      secret: inside("secret"),
      zone: entry("zone"),
      secretZone: entry("secret zone"),
    },
  });
  const open = await app.call("GET", "/api/upload/files?populate[related][on][parts.open][fields]=label");
  expect(open.body[0].related.map(({ label }: { label: string }) => label).sort()).toEqual(["box", "zone"]);
  const count = await app.call("GET", "/api/upload/files?populate[related][count]=true");
  expect(count.body[0].related).toEqual({ count: 1 });
  await app.close();
});

test("of several files that a field for one was given, the first one is shown, whichever is older", async () => {
  const app = await testApp({
    ...typeFile("note", { picture: { type: "media", multiple: false } }, { draftAndPublish: true }),
  });
  const [older, newer] = await upload(app, "a.txt", "b.txt");
  const data = { picture: { set: [newer, older] } };
  const { documentId } = (await app.call("POST", "/api/notes", { data })).body.data;
  for (const status of ["draft", "published"]) {
    const read = await app.call("GET", `/api/notes/${documentId}?populate=picture&status=${status}`);
    expect(read.body.data.picture.name).toBe("b.txt");
  }
  await app.close();
});

test.each([
  ["", {}],
  [
    ", also with own code",
    { "src/index.js": "module.exports = { register({ strapi }) { strapi.documents.use((_, next) => next()); } };" },
  ],
  [
    ", also with hooks",
    {
      "src/index.js":
        "module.exports = { register({ strapi }) { strapi.db.lifecycles.subscribe({ beforeFindMany() {} }); } };",
    },
  ],
])(
  "users of a file are of the version that is read where fragments have options, otherwise of any%s",
  async (_, code) => {
    const app = await testApp({
      ...typeFile("note", { name: { type: "string" }, picture: { type: "media" } }, { draftAndPublish: true }),
      ...code,
    });
    const [id] = await upload(app, "a.txt");
    await app.call("POST", "/api/notes", { data: { name: "published", picture: id } });
    const relatedTo = async (populate: string) => {
      const { body } = await app.call("GET", `/api/notes?populate[picture][populate]${populate}`);
      return body.data[0].picture.related.map(
        ({ publishedAt }: { publishedAt: string | null }) => publishedAt !== null,
      );
    };
    const fragment = "[related][on][api::note.note]";
    for (const any of ["=*", "[related]=true"]) expect(await relatedTo(any)).toEqual([false, true]);
    expect(await relatedTo(`${fragment}=true`)).toEqual([false, true]);
    expect(await relatedTo(`${fragment}[fields]=publishedAt`)).toEqual([true]);
    expect(await relatedTo(`${fragment}[fields]=publishedAt&status=draft`)).toEqual([false]);
    await app.close();
  },
);

test("users of a file are omitted for callers who may find none of the types", async () => {
  const core = (make: string, options = "") =>
    `module.exports = require("@strapi/strapi").factories.${make}("api::note.note"${options});`;
  const app = await testApp({
    ...typeFile("note", { picture: { type: "media" } }),
    ...serviceFile("note"),
    "src/api/note/controllers/note.js": core("createCoreController"),
    "src/api/note/routes/note.js": core("createCoreRouter", ", { config: { find: { auth: false } } }"),
  });
  const [id] = await upload(app, "a.txt");
  await app.call("POST", "/api/notes", { data: { picture: id } });
  for (const populate of ["*", "related"]) {
    const path = `http://localhost/api/notes?populate[picture][populate]=${populate}`;
    const { data } = (await (await app.handle(new Request(path))).json()) as Body;
    expect(data[0].picture).not.toHaveProperty("related");
  }
  await app.close();
});
