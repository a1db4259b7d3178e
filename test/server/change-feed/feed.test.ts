/** `GET /galley/changes`: entries, pages, documents, and tokens that no longer apply. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { linkedValuePart } from "../../../src/engine/storage/cache-tags.ts";
import { prune } from "../../../src/engine/storage/change-log/prune.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";
import { createGalley } from "../../../src/index.ts";
import {
  ADMIN,
  type Body,
  componentFile,
  configFile,
  projectFolder,
  relation,
  type TestApp,
  typeFile,
} from "../../project.ts";
import { ARTICLE, AUTHOR, entries, feed, feedApp, files, token, VAULT } from "./feed-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await feedApp();
});
afterAll(() => app.close());

let since: string;
beforeEach(async () => {
  since = await token(app);
});

const articles = () => app.documents(ARTICLE);
const create = async (uid: string, data: Record<string, unknown>, more: object = {}): Promise<string> =>
  (await app.documents(uid).create({ data, ...more })).documentId as string;
const changes = async (query = ""): Promise<string[]> => entries(await feed(app, `since=${since}&${query}`));

describe("entries", () => {
  test("have the last change of each version, in the order of these", async () => {
    const author = await create(AUTHOR, { name: "a" });
    const article = await create(ARTICLE, { title: "x" }, { status: "published" });
    await articles().update({ documentId: article, data: { title: "y" }, status: "published", locale: "fr" });
    await app.documents(AUTHOR).update({ documentId: author, data: { name: "b" } });
    expect(await changes()).toEqual([
      `${ARTICLE} ${article} en published publish`,
      `${ARTICLE} ${article} fr published publish`,
      `${AUTHOR} ${author} - published create`,
    ]);
  });

  test("of drafts are those of another status", async () => {
    const { body } = await feed(app, "status=draft");
    const article = await create(ARTICLE, { title: "x" });
    expect(await changes()).toEqual([]);
    since = body.token;
    expect(await changes("status=draft")).toEqual([`${ARTICLE} ${article} en draft create`]);
  });

  test("say what has become of a version that there was", async () => {
    const author = await create(AUTHOR, { name: "a" });
    const [one, two, three] = [
      await create(ARTICLE, { title: "1" }, { status: "published" }),
      await create(ARTICLE, { title: "2" }, { status: "published" }),
      await create(ARTICLE, { title: "3" }, { status: "published" }),
    ];
    since = await token(app);
    await app.documents(AUTHOR).update({ documentId: author, data: { name: "b" } });
    await articles().update({ documentId: one, data: { title: "1a" }, status: "published" });
    await articles().unpublish({ documentId: two });
    await articles().delete({ documentId: three });
    expect(await changes()).toEqual([
      `${AUTHOR} ${author} - published update`,
      `${ARTICLE} ${one} en published publish`,
      `${ARTICLE} ${two} en published unpublish`,
      `${ARTICLE} ${three} en published delete`,
    ]);
  });

  test("are of what the caller may list", async () => {
    const vault = await create(VAULT, { name: "v" });
    expect(await changes()).toEqual([]);
    const { body } = await feed(app, "", ADMIN);
    await app.documents(VAULT).update({ documentId: vault, data: { name: "w" } });
    expect(entries(await feed(app, `since=${body.token}`, ADMIN))).toEqual([`${VAULT} ${vault} - published update`]);
    expect((await feed(app)).body.types).toEqual([ARTICLE, AUTHOR]);
  });

  test("of media and users are for those who may list them", async () => {
    const { body } = await feed(app, "", ADMIN);
    expect(body.types).toContain("plugin::upload.file");
    const form = new FormData();
    form.append("files", new File(["x"], "x.txt"));
    await app.handle(new Request("http://localhost/api/upload", { method: "POST", headers: ADMIN, body: form }));
    const kinds = (await feed(app, `since=${body.token}`, ADMIN)).body.changes.map(({ type, kind }: Body) => [
      type,
      kind,
    ]);
    expect(kinds).toEqual([["plugin::upload.file", "create"]]);
    expect(await changes()).toEqual([]);
  });

  test("are in pages", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push(await create(AUTHOR, { name: String(count) }));
    const found: string[] = [];
    const sizes: number[] = [];
    for (let hasMore = true; hasMore; ) {
      const { body } = await feed(app, `since=${since}&limit=2`);
      found.push(...body.changes.map(({ documentId }: Body) => documentId));
      sizes.push(body.changes.length);
      since = body.token;
      ({ hasMore } = body);
    }
    expect([found, sizes]).toEqual([ids, [2, 2, 1]]);
  });

  test("of full are all versions, and then what changed in the meantime", async () => {
    const first = await feed(app, "full=1&limit=3");
    expect([first.body.changes.length, first.body.hasMore]).toEqual([3, true]);
    const late = await create(AUTHOR, { name: "late" });
    const found = entries(first);
    for (let { body } = first; body.hasMore; ) {
      const next = await feed(app, `since=${body.token}&limit=3`);
      found.push(...entries(next));
      ({ body } = next);
      since = body.token;
    }
    const published = await articles().findMany({ status: "published", locale: "*" });
    const authors = await app.documents(AUTHOR).findMany({});
    expect(found.length).toBe(published.length + authors.length);
    expect(new Set(found).size).toBe(found.length);
    expect(await changes()).toEqual([`${AUTHOR} ${late} - published create`]);
  });
});

describe("documents", () => {
  test("are answered as a request for them would", async () => {
    const author = await create(AUTHOR, { name: "a" });
    const article = await create(ARTICLE, { title: "x", author, quote: { text: "q" } }, { status: "published" });
    await articles().update({ documentId: article, data: { title: "fr" }, status: "published", locale: "fr" });
    const gone = await create(AUTHOR, { name: "gone" });
    await app.documents(AUTHOR).delete({ documentId: gone });
    const { body } = await feed(
      app,
      `since=${since}&query[${ARTICLE}][populate][0]=author&query[${ARTICLE}][populate][1]=quote&query[${AUTHOR}][fields]=name`,
    );
    const documents = Object.fromEntries(
      body.changes.map(({ documentId, locale, document }: Body) => [`${documentId} ${locale}`, document]),
    );
    const { body: asked } = await app.call("GET", `/api/articles/${article}?populate[0]=author&populate[1]=quote`);
    expect(documents[`${article} en`]).toEqual(asked.data);
    expect(documents[`${article} fr`].title).toBe("fr");
    expect(documents[`${author} null`]).toEqual({ id: expect.any(Number), documentId: author, name: "a" });
    expect(documents[`${gone} null`]).toBeUndefined();
  });

  test("of all types have what is populated for all", async () => {
    await create(AUTHOR, { name: "a" });
    const { body } = await feed(app, `since=${since}&populate=*`);
    expect(body.changes[0].document.articles).toEqual([]);
    const plain = await feed(app, `since=${since}`);
    expect("document" in plain.body.changes[0]).toBe(false);
  });

  test("show nothing that the caller may not read", async () => {
    const author = await create(AUTHOR, { name: "a" });
    await create(VAULT, { name: "v", author });
    const asked = (query: string) => feed(app, `since=${since}&${query}`);
    // the same answers for a type that the caller may not list, and for none
    const [hidden, unknown] = [
      await asked(`query[${VAULT}][populate]=*`),
      await asked("query[api::none.none][populate]=*"),
    ];
    expect(hidden.status).toBe(400);
    expect(hidden.body.error.message.replace(VAULT, "api::none.none")).toBe(unknown.body.error.message);
    expect((await asked(`query[${AUTHOR}][populate]=vault`)).status).toBe(400);
  });
});

const wrong: Readonly<Record<string, string>> = {
  "since=x": "since is not a valid token",
  "wait=61": "wait must be a number from 0 to 60",
  "wait=a": "wait must be a number from 0 to 60",
  "limit=0": "limit must be a number from 1 to 1000",
  "status=all": "status must be draft or published",
  "full=yes": "full must be 1",
  "types=x": "types is not a parameter of the change feed",
  "query=x": "query must have the uids of content-types as keys",
  [`query[${ARTICLE}][filters][id]=1`]: `query[${ARTICLE}] takes fields and populate`,
};
describe("refuses", () => {
  for (const [query, message] of Object.entries(wrong))
    test(query, async () => {
      const { status, body } = await feed(app, query);
      expect([status, body.error.message]).toEqual([400, message]);
    });

  test("full with a token", async () => {
    expect((await feed(app, `full=1&since=${since}`)).status).toBe(400);
  });

  test("callers without any permission, as other routes do", async () => {
    const other = await feedApp(configFile({ roles: { public: [] } }));
    expect((await feed(other)).status).toBe(401);
    await other.close();
  });
});

test("an answer has the ETag of what it shows, whatever happens besides", async () => {
  const ask = (headers: Record<string, string> = {}) =>
    app.handle(new Request(`http://localhost/galley/changes?since=${since}`, { headers }));
  const first = await ask();
  const etag = first.headers.get("etag")!;
  await create(VAULT, { name: "hidden" });
  const again = await ask({ "if-none-match": etag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  await create(AUTHOR, { name: "shown" });
  expect((await ask({ "if-none-match": etag })).status).toBe(200);
});

describe("a token is gone", () => {
  const reason = async (galley: Pick<TestApp, "handle">, query: string, headers = {}): Promise<unknown> => {
    const { status, body } = await feed(galley, query, headers);
    return [status, body.error?.details.reason];
  };

  test("in another database", async () => {
    const other = await feedApp();
    expect(await reason(other, `since=${since}`)).toEqual([410, "otherDatabase"]);
    await token(other);
    expect(await reason(other, `since=${since}`)).toEqual([410, "otherDatabase"]);
    await other.close();
  });

  test("once the log has forgotten a change since", async () => {
    const { root, remove } = projectFolder(files);
    const open = () => createGalley({ project: root, environment: {}, memory: false });
    const galley = await open();
    const first = await token(galley);
    await galley.documents(AUTHOR).create({ data: { name: "a" } });
    const last = await token(galley);
    await galley.close();
    const storage = Storage.open(join(root, ".galley/content.db"));
    storage.loadNumbers();
    prune(storage, { count: 100, ageMs: -1 }, Date.now());
    storage.close();
    const again = await open();
    expect(await reason(again, `since=${first}`)).toEqual([410, "forgotten"]);
    expect((await feed(again, `since=${last}`)).status).toBe(200);
    await again.close();
    remove();
  });

  test("for another status, and for other permissions", async () => {
    expect(await reason(app, `since=${since}&status=draft`)).toEqual([410, "otherScope"]);
    expect(await reason(app, `since=${since}`, ADMIN)).toEqual([410, "otherScope"]);
  });

  test("in a restored copy, if it was given out after that was made", async () => {
    const { root, remove } = projectFolder(files);
    const copy = projectFolder(files);
    const open = (folder: string) => createGalley({ project: folder, environment: {}, memory: false });
    const add = (galley: Pick<TestApp, "documents">) => galley.documents(AUTHOR).create({ data: { name: "a" } });
    const galley = await open(root);
    await token(galley);
    await add(galley);
    const early = await token(galley);
    await galley.close();
    cpSync(join(root, ".galley"), join(copy.root, ".galley"), { recursive: true });
    const restarted = await open(root);
    expect((await feed(restarted, `since=${early}`)).status).toBe(200);
    await add(restarted);
    const late = await token(restarted);
    await restarted.close();
    const restored = await open(copy.root);
    // as many writes as there were
    await add(restored);
    await add(restored);
    expect(await reason(restored, `since=${late}`)).toEqual([410, "otherDatabase"]);
    expect(entries(await feed(restored, `since=${early}`)).length).toBe(2);
    await restored.close();
    remove();
    copy.remove();
  });
});

test("who may list nothing gets 403, and does not switch the log on", async () => {
  const unread = await feedApp(configFile());
  expect(await feed(unread, "full=1")).toMatchObject({ status: 403, body: { error: { name: "ForbiddenError" } } });
  const tables = unread.database().query("SELECT name FROM sqlite_schema WHERE name = 'galley_changes'").all();
  expect(tables).toEqual([]);
  await unread.close();
});

describe("stale tags", () => {
  const tags = async (query = ""): Promise<string[]> => (await feed(app, `since=${since}&${query}`)).body.tags;

  test("are those of listed types, versions and attributes", async () => {
    expect(await tags()).toEqual([]);
    const author = await create(AUTHOR, { name: "a" });
    const article = await create(ARTICLE, { title: "x", author }, { status: "published" });
    const drafted = await create(ARTICLE, { title: "draft" });
    await create(VAULT, { name: "v", author });
    const all = await tags();
    for (const tag of [`author:${author}`, `article:${article}:en`, "article:list", "author.articles"])
      expect(all).toContain(tag);
    expect(all.filter((tag) => /vault|draft|secret/.test(tag) || tag.includes(drafted))).toEqual([]);
    since = await token(app);
    await app.documents(VAULT).create({ data: { name: "w", author } });
    expect((await feed(app, `since=${since}`)).body).toMatchObject({ changes: [], tags: [] });
  });

  test("name what others show of a document", async () => {
    const author = await create(AUTHOR, { name: "a" });
    const article = await create(ARTICLE, { title: "x" }, { status: "published" });
    since = await token(app);
    await articles().update({ documentId: article, data: { author }, status: "published" });
    const found = await tags();
    expect(found).toContain(`author:${author}:articles`);
    expect(found).not.toContain(`author:${author}`);
  });

  test("do not tell private values of what a document links to", async () => {
    const attributes = {
      name: { type: "string" },
      phone: { type: "string", private: true },
      articles: { ...relation("oneToMany", "article"), mappedBy: "author" },
    };
    const own = await feedApp(typeFile("author", attributes));
    const start = await token(own);
    const [uid, data] = [AUTHOR, { name: "a", phone: "123" }];
    const { documentId } = await own.documents(uid).create({ data });
    await own.documents(ARTICLE).create({ data: { title: "x", author: documentId }, status: "published" });
    const found: string[] = (await feed(own, `since=${start}`)).body.tags;
    expect(found).toContain(`article${linkedValuePart("author", "name", "a")}:en`);
    expect(found.filter((tag) => tag.includes("phone"))).toEqual([]);
    await own.close();
  });

  describe("do not tell which private attribute", () => {
    const media = { type: "media", multiple: false };
    const [hidden, part] = [{ private: true }, { type: "component", component: "part.shot" }];
    const vault = relation("oneToOne", "vault");
    let own: TestApp;
    beforeAll(async () => {
      own = await feedApp({
        ...componentFile("part.shot", {
          picture: media,
          scan: { ...media, ...hidden },
          writer: relation("oneToOne", "author"),
          ...{
            editor: { ...relation("oneToOne", "author"), ...hidden },
          },
        }),
        ...componentFile("part.frame", { shot: part, back: { ...part, ...hidden } }),
        ...typeFile("author", {
          picture: media,
          scan: { ...media, ...hidden },
          name: { type: "string" },
          vault,
          articles: { ...relation("oneToMany", "article"), mappedBy: "author" },
        }),
        ...typeFile("story", {
          shot: part,
          back: { ...part, ...hidden },
          frame: { type: "component", component: "part.frame" },
          zone: { type: "dynamiczone", components: ["part.shot"] },
          author: relation("manyToOne", "author"),
          ghost: { ...relation("manyToOne", "author"), ...hidden },
          vault,
        }),
        ...configFile({ roles: { public: [`${AUTHOR}.find`, `${STORY}.find`, "plugin::upload.content-api.find"] } }),
      });
    });
    afterAll(() => own.close());
    const STORY = "api::story.story";
    const zone = (value: Record<string, unknown>) => ({ zone: [{ __component: "part.shot", ...value }] });
    const makers: readonly (readonly [
      isShown: boolean,
      place: string,
      of: (key: string, id: unknown) => [string, Record<string, unknown>],
    ])[] = [
      [
        true,
        "of a document",
        (key, id) => [key === "picture" ? AUTHOR : STORY, { [key === "picture" ? key : "author"]: id }],
      ],
      [
        false,
        "of a document that is private",
        (key, id) => [key === "picture" ? AUTHOR : STORY, { [key === "picture" ? "scan" : "ghost"]: id }],
      ],
      [true, "of a component", (key, id) => [STORY, { shot: { [key]: id } }]],
      [false, "of a component that is private", (key, id) => [STORY, { shot: { [PRIVATE[key]!]: id } }]],
      [false, "of a private component", (key, id) => [STORY, { back: { [key]: id } }]],
      [true, "of a nested component", (key, id) => [STORY, { frame: { shot: { [key]: id } } }]],
      [false, "of a nested component in a private one", (key, id) => [STORY, { frame: { back: { [key]: id } } }]],
      [true, "in a zone", (key, id) => [STORY, zone({ [key]: id })]],
      [false, "in a zone that is private", (key, id) => [STORY, zone({ [PRIVATE[key]!]: id })]],
    ];
    const PRIVATE: Readonly<Record<string, string>> = { picture: "scan", writer: "editor" };
    const tagsSince = async (start: string): Promise<string[]> => (await feed(own, `since=${start}`)).body.tags;

    for (const [isShown, place, of] of makers) {
      test(`uses a file, ${place}: ${isShown}`, async () => {
        const form = new FormData();
        form.append("files", new File(["x"], "x.txt"));
        const upload = new Request("http://localhost/api/upload", { method: "POST", headers: ADMIN, body: form });
        const [file] = (await (await own.handle(upload)).json()) as Body[];
        const start = await token(own);
        const [uid, data] = of("picture", file!.id);
        await own.documents(uid).create({ data });
        const found = (await tagsSince(start)).filter((tag) => tag.startsWith("media"));
        const use = `media:${file!.documentId}`;
        expect(found).toEqual(isShown ? ["media", `${use}:links`, `${use}:related`] : []);
      });

      test(`linked to a document that is gone, ${place}: ${isShown}`, async () => {
        const author = await own.documents(AUTHOR).create({ data: { name: "a" } });
        const [uid, data] = of("writer", author.documentId);
        const { documentId } = await own.documents(uid).create({ data });
        const start = await token(own);
        await own.documents(AUTHOR).delete({ documentId: author.documentId as string });
        const found = (await tagsSince(start)).filter((tag) => tag.startsWith("story"));
        if (!isShown) expect(found).toEqual([]);
        else expect(found).toContain(`story:${documentId}:links`);
      });
    }

    test("leads to a type that the caller may not read", async () => {
      const start = await token(own);
      await own.documents(STORY).create({ data: {} });
      const found = await tagsSince(start);
      expect(found.filter((tag) => /vault|ghost|back/.test(tag))).toEqual([]);
      expect(found.filter((tag) => tag.endsWith(":author"))).toHaveLength(1);
    });
  });

  test("more than are listed are all of them", async () => {
    const row =
      "INSERT INTO authors (document_id, status, name, created_at, updated_at) VALUES (?, 'published', ?, 1, 1)";
    const db = app.database();
    db.run("BEGIN");
    for (let index = 0; index < 5_000; index++) db.query(row).run(`many${index}`, `name ${index}`);
    db.run("COMMIT");
    expect(await tags()).toEqual(["all"]);
  });

  test("a page without a token has none", async () => {
    expect((await feed(app, "full=1")).body).not.toHaveProperty("tags");
    expect((await feed(app)).body).not.toHaveProperty("tags");
  });
});
