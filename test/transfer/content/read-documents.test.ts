/** Documents read as content files: every kind of value, version and link; statements and time. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { USER } from "../../../src/engine/schema/builtin/index.ts";
import type { UnreadableContent } from "../../../src/transfer/content/read-documents.ts";
import { fixtures } from "../../engine/attributes/fixtures.ts";
import { quickest, threadTime } from "../../processor-time.ts";
import { Content, card, withoutTimes } from "./fixture.ts";

let content: Content;
beforeAll(() => {
  content = new Content();
});
afterAll(() => content[Symbol.asyncDispose]());

for (const [type, { accepted, secret }] of Object.entries(fixtures)) {
  test(`values of type ${type} are as in answers, with those of the published version where they differ`, async () => {
    const name = `${type}Value`;
    const id = await content.create("thing", {}, { status: "published" });
    for (const [index, [sent]] of accepted.entries()) {
      await content.update("thing", id, { [name]: sent });
      const [draft, published] = await Promise.all(
        (["draft", "published"] as const).map((status) => content.service("thing").findOne({ documentId: id, status })),
      );
      const file = content.file("thing", id);
      const before = index === 0 ? undefined : published![name];
      const now = draft![name];
      if (secret) expect(Object.keys(file)).not.toContain(name);
      else expect(file[name]).toEqual(now ?? undefined);
      const isSame = secret || JSON.stringify(now ?? null) === JSON.stringify(before ?? null);
      expect(withoutTimes(file.$published)).toEqual(isSame ? {} : { [name]: before ?? null });
      await content.service("thing").publish({ documentId: id });
    }
    expect(content.file("thing", id).$published).toBe(true);
  });
}

test("zero, false, empty texts and empty JSON are values; null is none", async () => {
  const values = {
    integerValue: 0,
    booleanValue: false,
    stringValue: "",
    jsonValue: [],
    blocksValue: [],
    textValue: null,
  };
  const id = await content.create("thing", values);
  const { textValue, ...kept } = values;
  expect(withoutTimes(content.file("thing", id))).toEqual(kept);
});

test("what has no value is null where new documents have a default", async () => {
  const id = await content.create("box", { size: null, sides: [{ colour: null }, {}] });
  expect(withoutTimes(content.file("box", id))).toEqual({ size: null, sides: [{ colour: null }, { colour: "red" }] });
});

test("a document has its id, times and attributes, in the order of the schema", async () => {
  const id = await content.create("article", { seo: { metaTitle: "m" }, price: 1, title: "order" });
  expect(Object.keys(content.file("article", id))).toEqual(["$id", "title", "price", "seo", "$createdAt"]);
  expect(content.file("article", id).$id).toBe(id);
});

describe("times", () => {
  const times = (id: string) => {
    const { $createdAt, $updatedAt, $publishedAt, $published } = content.file("article", id);
    return { $createdAt, $updatedAt, $publishedAt, $published };
  };
  const answer = async (id: string, status: "draft" | "published") =>
    (await content.service("article").findOne({ documentId: id, status }))!;

  test("a new draft has that of its creation only", async () => {
    const id = await content.create("article", { title: "new" });
    const { createdAt } = await answer(id, "draft");
    expect(times(id)).toEqual({
      $createdAt: createdAt as string,
      $updatedAt: undefined,
      $publishedAt: undefined,
      $published: undefined,
    });
  });

  test("an edited draft says what is published, and when that was edited", async () => {
    const id = await content.create("article", { title: "first" }, { status: "published" });
    expect(times(id).$published).toBe(true);
    const before = content.file("article", id);
    await content.update("article", id, { title: "second" });
    const [draft, published] = [await answer(id, "draft"), await answer(id, "published")];
    expect(times(id)).toEqual({
      $createdAt: draft.createdAt as string,
      $updatedAt: draft.updatedAt as string,
      $publishedAt: undefined,
      $published: { title: "first", $updatedAt: published.publishedAt as string },
    });
    expect(published.updatedAt).toBe(published.publishedAt);
    const after = content.file("article", id);
    const changed = Object.keys(after).filter((key) => !Bun.deepEquals(before[key], after[key]));
    expect(changed).toEqual(["title", "$updatedAt", "$published"]);
    await content.service("article").publish({ documentId: id });
    expect(times(id).$publishedAt).toBe((await answer(id, "published")).publishedAt as string);
  });

  test("a type without drafts has the time of its last edit once", async () => {
    const id = await content.create("tag", { title: "once" });
    expect(Object.keys(content.file("tag", id))).toEqual(["$id", "title", "$createdAt"]);
    await content.update("tag", id, { title: "twice" });
    const { $updatedAt, ...file } = content.file("tag", id);
    expect($updatedAt).toBe((await content.service("tag").findOne({ documentId: id }))!.updatedAt as string);
    expect(Object.keys(file)).toEqual(["$id", "title", "$createdAt"]);
  });
});

describe("locales", () => {
  test("have what is localized; the rest stands at the top level, and where it differs", async () => {
    const id = await content.create("article", { title: "en", price: 1 }, { status: "published" });
    await content.update("article", id, { title: "fr" }, { locale: "fr" });
    await content.update("article", id, { title: "de" }, { locale: "de", status: "published" });
    expect(withoutTimes(content.file("article", id))).toEqual({
      title: "en",
      price: 1,
      $published: true,
      $locales: { de: { title: "de", $published: true }, fr: { title: "fr" } },
    });
    await content.update("article", id, { price: 2 });
    expect(withoutTimes(content.file("article", id))).toEqual({
      title: "en",
      price: 2,
      $published: { price: 1 },
      $locales: { de: { title: "de", $published: {} }, fr: { title: "fr" } },
    });
    content.context.storage.run("UPDATE articles SET price = 3 WHERE document_id = ? AND locale = 'fr'", [id]);
    content.context.storage.run(
      "UPDATE articles SET price = NULL WHERE document_id = ? AND locale = 'de' AND status = 'draft'",
      [id],
    );
    expect(withoutTimes(content.file("article", id).$locales)).toEqual({
      de: { title: "de", price: null, $published: { price: 1 } },
      fr: { title: "fr", price: 3 },
    });
  });

  test("the first one is named if it is not the default one", async () => {
    const id = await content.create("article", { title: "nl" }, { locale: "nl" });
    await content.update("article", id, { title: "it" }, { locale: "it" });
    expect(withoutTimes(content.file("article", id))).toEqual({
      $locale: "it",
      title: "it",
      $locales: { nl: { title: "nl" } },
    });
  });
});

describe("links", () => {
  let mara: string;
  let ada: string;
  let tag: string;
  beforeAll(async () => {
    mara = await content.create("author", { title: "mara" }, { status: "published" });
    ada = await content.create("author", { title: "ada" });
    tag = await content.create("tag", { title: "green" });
  });

  test("are names, in order, also in nested components, of drafts and of published versions", async () => {
    const [pictureA, pictureB] = [content.media("a.png"), content.media("b.png")];
    const user = content.row(USER, { username: "ada", email: "ada@example.org" });
    const id = await content.create(
      "article",
      {
        title: "linked",
        author: mara,
        writer: user,
        tags: [await content.create("tag", { title: "red" }), tag],
        related: [
          { documentId: tag, __type: "api::tag.tag" },
          { documentId: ada, __type: "api::author.author" },
        ],
        subject: { documentId: mara, __type: "api::author.author" },
        cover: pictureA,
        gallery: [pictureB, pictureA],
        seo: { image: pictureB, by: ada },
        sections: [card("one", [ada, mara]), { __component: "shared.seo", by: mara }],
      },
      { status: "published" },
    );
    await content.update("article", id, { next: id });
    // a link to a document that is not published is one to its published version, once it has one
    expect(withoutTimes(content.file("article", id))).toEqual({
      title: "linked",
      author: "authors/mara",
      writer: "users/ada",
      tags: ["tags/red", "tags/green"],
      next: "articles/linked",
      related: ["tags/green", "authors/ada"],
      subject: "authors/mara",
      cover: "a.png",
      gallery: ["b.png", "a.png"],
      seo: { image: "b.png", by: "authors/ada" },
      sections: [
        { __component: "shared.card", items: [{ name: "one", authors: ["authors/ada", "authors/mara"] }] },
        { __component: "shared.seo", by: "authors/mara" },
      ],
      $published: { next: null },
    });
    await content.update("article", id, { author: null, sections: [card("two", [])] });
    expect(withoutTimes(content.file("article", id).$published)).toEqual({
      author: "authors/mara",
      next: null,
      sections: [
        { __component: "shared.card", items: [{ name: "one", authors: ["authors/ada", "authors/mara"] }] },
        { __component: "shared.seo", by: "authors/mara" },
      ],
    });
    await content.service("article").unpublish({ documentId: id });
    expect(content.file("article", id).$published).toBeUndefined();
  });

  test("of a row without drafts lead to both versions once, and to one of them by its status", async () => {
    const [p, q] = [
      await content.create("person", { title: "p" }, { status: "published" }),
      await content.create("person", { title: "q" }),
    ];
    const id = await content.create("note", { title: "n", owner: p, friends: [q, p] });
    const links = () => {
      const { owner, friends } = content.file("note", id);
      return { owner, friends };
    };
    expect(links()).toEqual({ owner: "persons/p", friends: ["persons/q", "persons/p"] });
    await content.service("person").publish({ documentId: q });
    expect(links()).toEqual({ owner: "persons/p", friends: ["persons/q", "persons/p"] });
    await content.update("note", id, {
      owner: { documentId: p, status: "draft" },
      friends: [{ documentId: p, status: "draft" }, { documentId: q }, { documentId: p, status: "published" }],
    });
    expect(links()).toEqual({
      owner: { document: "persons/p", status: "draft" },
      friends: [
        { document: "persons/p", status: "draft" },
        "persons/q",
        { document: "persons/p", status: "published" },
      ],
    });
  });

  test("to another locale than the owner's name it", async () => {
    await content.update("author", mara, { title: "mara" }, { locale: "de" });
    const row = content.context.storage.first("SELECT id FROM authors WHERE document_id = ? AND locale = 'de'", [
      mara,
    ])![0];
    const id = await content.create("article", { title: "elsewhere", author: row });
    expect(content.file("article", id).author).toEqual({ document: "authors/mara", locale: "de" });
    await content.update("article", id, { title: "dort", author: mara }, { locale: "de" });
    expect(content.file("article", id).$locales!.de!.author).toBe("authors/mara");
  });

  test("of an attribute that the target shows say so", async () => {
    const id = await content.create("article", { title: "shown" });
    const article = content.context.storage.first("SELECT id FROM articles WHERE document_id = ?", [id])![0];
    const shown = await content.create("tag", { title: "showing", shownBy: [article] });
    expect(content.file("article", id).related).toEqual([{ document: "tags/showing", field: "shownBy" }]);
    expect(withoutTimes(content.file("tag", shown))).toEqual({ title: "showing" });
    // no attribute of a tag has this name
    content.context.storage.run(
      "UPDATE galley_links SET target_attribute = 'related' WHERE target_attribute = 'shownBy'",
    );
    expect(content.file("article", id).related).toEqual(["tags/showing"]);
  });

  test("to what has no name, and to rows that are gone, are left out", async () => {
    const { documentId } = await content.service("tag").create({ data: { title: "unnamed" } });
    const picture = content.media("gone.png");
    const id = await content.create("article", { title: "left", tags: [documentId, tag], cover: picture, author: ada });
    content.context.storage.run("DELETE FROM files WHERE id = ?", [picture]);
    content.context.storage.run(
      "UPDATE galley_links SET target = 99999 WHERE owner = (SELECT id FROM articles WHERE document_id = ?) AND target = (SELECT id FROM authors WHERE document_id = ?)",
      [id, ada],
    );
    expect(withoutTimes(content.file("article", id))).toEqual({ title: "left", tags: ["tags/green"] });
  });
});

test("values that cannot be read are left out and reported", async () => {
  const id = await content.create("thing", { jsonValue: { a: 1 }, stringValue: "kept" });
  const article = await content.create("article", { title: "broken", sections: [card("x", []), card("y", [])] });
  const { storage } = content.context;
  storage.run("UPDATE things SET jsonValue = '{' WHERE document_id = ?", [id]);
  storage.run("UPDATE components_shared_item SET name = x'00' WHERE name = 'y'");
  const found: UnreadableContent[] = [];
  const files = [
    content.files("thing", [id], (value) => found.push(value)).get(id),
    content.files("article", [article], (value) => found.push(value)).get(article),
  ];
  expect(withoutTimes(files)).toEqual([
    { stringValue: "kept" },
    {
      title: "broken",
      sections: [card("x", []), { __component: "shared.card", items: [{}] }].map((entry) =>
        JSON.parse(JSON.stringify(entry).replace(',"authors":[]', "")),
      ),
    },
  ]);
  expect(found.map(({ documentId, status, path }) => [documentId, status, path])).toEqual([
    [id, "draft", ["jsonValue"]],
    [article, "draft", ["sections", 1, "items", 0, "name"]],
  ]);
});

test("documents are in the order of the ids, or of all documents; the same content is the same file", async () => {
  const ids = [await content.create("person", { title: "z" }), await content.create("person", { title: "y" })];
  expect([...content.files("person", [ids[1]!, "missing", ids[0]!, ids[1]!]).keys()]).toEqual([ids[1]!, ids[0]!]);
  const all = content.files("person");
  expect([...all.keys()]).toEqual([...all.keys()].sort());
  expect(JSON.stringify(all.get(ids[0]!))).toBe(JSON.stringify(content.file("person", ids[0]!)));
});

describe("cost", () => {
  const COUNT = 10_000;
  let blog: Content;
  let ids: string[];
  beforeAll(async () => {
    blog = new Content();
    const author = await blog.create("author", { title: "a" }, { status: "published" });
    const tags = [await blog.create("tag", { title: "x" }), await blog.create("tag", { title: "y" })];
    const data = { title: "article", price: 1, author, tags, seo: { metaTitle: "m", by: author } };
    await blog.create("article", data, { status: "published" });
    blog.copyArticles(COUNT - 1);
    ids = [...blog.files("article").keys()];
  });
  afterAll(() => blog[Symbol.asyncDispose]());

  const statements = (few: readonly string[]): number => {
    const before = blog.context.storage.statements;
    expect(blog.files("article", few).size).toBe(few.length);
    return blog.context.storage.statements - before;
  };

  test("as many statements for 500 documents as for one", () => {
    expect(ids).toHaveLength(COUNT);
    const one = statements(ids.slice(0, 1));
    // rows; components of three attributes, and those of one; links of articles and of their components; authors and tags
    expect(one).toBe(8);
    expect(statements(ids.slice(0, 500))).toBe(one);
  });

  test("10,000 documents with links and a component take at most 1.5 s, and one at most 2 ms", async () => {
    const timed = (work: () => unknown) => async (): Promise<number> => {
      const start = threadTime();
      work();
      return threadTime() - start;
    };
    expect(
      await quickest(
        1_500,
        timed(() => blog.files("article")),
      ),
    ).toBeLessThan(1_500);
    expect(
      await quickest(
        2,
        timed(() => blog.file("article", ids[7]!)),
      ),
    ).toBeLessThan(2);
  });
});
