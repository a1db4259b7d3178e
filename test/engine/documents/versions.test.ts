/** The effects of writing one version on links and shared values of other versions. */
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { type Body, componentFile, relation, type TestApp, testApp, typeFile } from "../../project.ts";

const localized = (type: string) => ({ type, pluginOptions: { i18n: { localized: true } } });

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    "config/galley.json": JSON.stringify({
      locales: ["en", "fr", "de"].map((code) => ({ code, isDefault: code === "en" })),
      tokens: [{ name: "full", type: "full-access", key: "test-full-access" }],
    }),
    ...typeFile("profile", {
      name: { type: "string" },
      author: { type: "relation", relation: "oneToOne", target: "api::author.author", mappedBy: "profile" },
    }),
    ...typeFile(
      "author",
      {
        name: { type: "string" },
        books: { type: "relation", relation: "oneToMany", target: "api::book.book", mappedBy: "author" },
        profile: { type: "relation", relation: "oneToOne", target: "api::profile.profile", inversedBy: "author" },
      },
      { draftAndPublish: true },
    ),
    ...typeFile(
      "book",
      {
        name: { type: "string" },
        author: { type: "relation", relation: "manyToOne", target: "api::author.author", inversedBy: "books" },
      },
      { draftAndPublish: true },
    ),
    ...typeFile("shop", { books: relation("manyToMany", "book") }, { draftAndPublish: true }),
    ...componentFile("shop.stand", { book: relation("oneToOne", "book") }),
    ...typeFile(
      "fair",
      {
        name: localized("string"),
        book: relation("manyToOne", "book"),
        stands: { type: "component", component: "shop.stand", repeatable: true },
      },
      { localized: true },
    ),
    ...typeFile("shelf", { name: { type: "string" }, book: relation("oneToOne", "book") }),
    ...typeFile(
      "page",
      { text: localized("string"), size: { type: "integer" } },
      { localized: true, draftAndPublish: true },
    ),
    ...typeFile(
      "station",
      {
        name: { type: "string" },
        next: { type: "relation", relation: "oneToOne", target: "api::station.station" },
        near: { type: "relation", relation: "manyToMany", target: "api::station.station", inversedBy: "nearTo" },
        nearTo: { type: "relation", relation: "manyToMany", target: "api::station.station", mappedBy: "near" },
      },
      { draftAndPublish: true },
    ),
  });
});
afterAll(() => app.close());

const create = async (path: string, data: object): Promise<{ id: number; documentId: string }> =>
  (await app.call("POST", path, { data })).body.data;

test("a write that publishes has one time, and a later publication its own", async () => {
  const { documentId, ...page } = (await app.call("POST", "/api/pages", { data: { text: "a" } })).body.data;
  expect([page.updatedAt, page.publishedAt]).toEqual([page.createdAt, page.createdAt]);
  const { updatedAt, publishedAt } = (await app.call("PUT", `/api/pages/${documentId}`, { data: { text: "b" } })).body
    .data;
  expect(publishedAt).toBe(updatedAt);
  expect(updatedAt > page.createdAt).toBe(true);
  const published = (await app.call("PUT", `/api/pages/${documentId}`, { data: {} })).body.data;
  expect(published.publishedAt > publishedAt).toBe(true);
  await app.call("DELETE", `/api/pages/${documentId}`);
});

test("a published row that a new document is linked with leads to its published version only, published at once or later", async () => {
  const linked: unknown[] = [];
  for (const status of ["published", "draft"]) {
    const book = await create("/api/books", { name: "b" });
    const author = await create(`/api/authors?status=${status}`, { name: "a", books: { connect: [{ id: book.id }] } });
    const path = `/api/authors/${author.documentId}`;
    if (status === "draft") await app.call("PUT", path, { data: {} });
    const { id } = (await app.call("GET", path)).body.data;
    const sql = `SELECT target FROM galley_links JOIN galley_names n ON n.id = field WHERE owner = ? AND name GLOB 'books.*'`;
    const targets = app.database().query(sql).values(book.id);
    linked.push([targets.length, targets[0]![0] === id]);
  }
  expect(linked).toEqual([
    [1, true],
    [1, true],
  ]);
});

test("a row without versions that is linked with a draft shows the published version once that is published again", async () => {
  const book = await create("/api/books", { name: "b" });
  const link = { connect: [{ documentId: book.documentId, status: "draft" }] };
  const shelf = await create("/api/shelfs", { name: "s", book: link });
  const shown = async () => (await app.call("GET", `/api/shelfs/${shelf.documentId}?populate=book`)).body.data.book;
  expect(await shown()).toBeNull();
  for (const name of ["c", "d"]) {
    await app.call("PUT", `/api/books/${book.documentId}`, { data: { name } });
    expect(await shown()).toMatchObject({ name });
  }
});

test("publishes links to both versions of a document as one", async () => {
  const book = await create("/api/books", { name: "b" });
  const published = await create("/api/authors", {
    name: "a",
    books: [{ documentId: book.documentId }, { id: book.id }],
  });
  const { body } = await app.call("GET", `/api/authors/${published.documentId}?populate=books`);
  expect(body.data.books).toHaveLength(1);
  const shop = await create("/api/shops", { books: [{ documentId: book.documentId }, { id: book.id }] });
  const { body: shown } = await app.call("GET", `/api/shops/${shop.documentId}?populate=books`);
  expect(shown.data.books).toHaveLength(1);
});

test("a new localization without versions leads to both versions of a document", async () => {
  const book = await create("/api/books", { name: "b" });
  const fair = await create("/api/fairs", { name: "en", book: book.documentId });
  const path = `/api/fairs/${fair.documentId}?locale=fr&populate[book]=true&populate[stands][populate]=book`;
  const stands = [{ book: book.documentId }];
  await app.call("PUT", path, { data: { name: "fr", book: book.documentId, stands } });
  const published = { id: book.id, name: "b" };
  const draft = { name: "b", publishedAt: null };
  for (const [status, shown] of Object.entries({ published, draft })) {
    const { data } = (await app.call("GET", `${path}&status=${status}`)).body;
    expect(data).toMatchObject({ book: shown, stands: [{ book: shown }] });
  }
});

test("keeps links from rows of another type with the same id as the new row", async () => {
  const author = await create("/api/authors", { name: "a" });
  for (const name of ["x", "y", "z"]) await create("/api/books", { name });
  await create("/api/books", { name: "b", author: author.documentId });
  // each publication makes a row with the next id, so that one of them has the book's
  for (let turn = 0; turn < 12; turn++) {
    await app.call("PUT", `/api/authors/${author.documentId}`, { data: {} });
    const { body } = await app.call("GET", `/api/authors/${author.documentId}?populate=books`);
    expect(body.data.books).toHaveLength(1);
  }
});

test("takes an exclusive target without versions from both versions of its former owner", async () => {
  const profile = await create("/api/profiles", { name: "p" });
  const owner = await create("/api/authors", { name: "owner", profile: profile.documentId });
  const other = await create("/api/authors", { name: "other" });
  await app.call("PUT", `/api/authors/${other.documentId}?status=draft`, { data: { profile: profile.documentId } });
  const { body } = await app.call("GET", `/api/authors/${owner.documentId}?populate=profile`);
  expect(body.data.profile).toBeNull();
});

test("takes an exclusive target without versions from drafts of others, too, when a clone is published", async () => {
  const authors = app.documents("api::author.author");
  const profile = await create("/api/profiles", { name: "p" });
  const { documentId } = await create("/api/authors?status=draft", { name: "a", profile: profile.documentId });
  const clone = await authors.clone({ documentId, data: { name: "clone" } });
  const profileOf = async (id: string, status: "draft" | "published"): Promise<string | undefined> =>
    ((await authors.findOne({ documentId: id, status, populate: "profile" }))?.profile as Body)?.name;
  expect(await profileOf(documentId, "draft")).toBe("p");
  await authors.publish({ documentId: String(clone.documentId) });
  expect(await profileOf(documentId, "draft")).toBeUndefined();
  for (const status of ["draft", "published"] as const)
    expect(await profileOf(String(clone.documentId), status)).toBe("p");
});

test("a relation that a draft has lost does not come back when it is published again, or later than the other side", async () => {
  const [authors, books] = [app.documents("api::author.author"), app.documents("api::book.book")];
  for (const wasPublished of [true, false]) {
    const [lost, kept] = [
      await books.create({ data: { name: "lost" } }),
      await books.create({ data: { name: "kept" } }),
    ];
    const ids = [lost.documentId, kept.documentId];
    const { documentId } = await authors.create({ data: { name: "a", books: ids } });
    if (wasPublished) await authors.publish({ documentId });
    for (const id of ids) await books.publish({ documentId: id });
    if (wasPublished) await authors.unpublish({ documentId });
    await books.update({ documentId: lost.documentId, data: { author: null } });
    await authors.publish({ documentId });
    const found = await authors.findOne({ documentId, status: "published", populate: "books" });
    expect((found!.books as Body[]).map(({ name }) => name)).toEqual(["kept"]);
    const book = await books.findOne({ documentId: lost.documentId, status: "published", populate: "author" });
    expect(book!.author).toBeNull();
  }
});

test("compares shared values with the draft of the first locale by code", async () => {
  const { documentId } = await create("/api/pages", { text: "en", size: 1 });
  await app.call("PUT", `/api/pages/${documentId}?locale=de`, { data: { text: "de" } });
  await app.call("PUT", `/api/pages/${documentId}?locale=de`, { data: { size: 2 } });
  // the English draft still says 1, the German one 2: publishing English is a change
  await app.call("PUT", `/api/pages/${documentId}`, { data: { text: "again" } });
  const { body } = await app.call("GET", "/api/pages?locale=*&fields=size,locale&sort=locale");
  expect(body.data.map(({ size, locale }: { size: number; locale: string }) => [locale, size])).toEqual([
    ["de", 1],
    ["en", 1],
  ]);
});

test("sorts localizations by code, and in GraphQL by id", async () => {
  const { documentId } = await create("/api/pages", { text: "en" });
  for (const locale of ["fr", "de"]) {
    await app.call("PUT", `/api/pages/${documentId}?locale=${locale}`, { data: { text: locale } });
  }
  const { body } = await app.call("GET", `/api/pages/${documentId}?populate=localizations`);
  expect(body.data.localizations.map(({ locale }: { locale: string }) => locale)).toEqual(["de", "fr"]);
  const query = `{ page(documentId: "${documentId}") { localizations { locale } } }`;
  const graphql = await app.call("POST", "/graphql", { query });
  expect(graphql.body.data.page.localizations).toEqual([{ locale: "fr" }, { locale: "de" }]);
});

test("reads the response of a publication before links to the new version are redirected", async () => {
  const [a, b] = [await create("/api/stations", { name: "a" }), await create("/api/stations", { name: "b" })];
  const query = "populate[next][populate]=next&populate[near]=true&populate[nearTo]=true";
  const put = async (documentId: string, data: object): Promise<unknown> =>
    shape((await app.call("PUT", `/api/stations/${documentId}?${query}`, { data })).body.data);
  const get = async (documentId: string): Promise<unknown> =>
    shape((await app.call("GET", `/api/stations/${documentId}?${query}`)).body.data);
  const names = (list: { name: string }[]): string[] => list.map(({ name }) => name);
  // biome-ignore lint/suspicious/noExplicitAny: bodies are compared, not used
  const shape = ({ next, near, nearTo }: any): unknown => ({
    next: next?.name ?? null,
    after: next?.next?.name ?? null,
    near: names(near),
    nearTo: names(nearTo),
  });

  await put(a.documentId, { next: b.documentId, near: [a.documentId, b.documentId] });
  await put(b.documentId, { next: a.documentId });
  expect(await put(a.documentId, {})).toEqual({ next: "b", after: null, near: ["b"], nearTo: [] });
  expect(await get(a.documentId)).toEqual({ next: "b", after: "a", near: ["a", "b"], nearTo: ["a"] });
  expect(await put(b.documentId, { next: b.documentId })).toEqual({ next: null, after: null, near: [], nearTo: ["a"] });
  expect(await get(b.documentId)).toEqual({ next: "b", after: "b", near: [], nearTo: ["a"] });
  // the document itself has its place in the list of the other side
  const c = await create("/api/stations", { name: "c" });
  await put(b.documentId, { nearTo: [a.documentId, c.documentId] });
  await put(b.documentId, { nearTo: { disconnect: [a.documentId], connect: [b.documentId] } });
  expect(await get(b.documentId)).toEqual({ next: "b", after: "b", near: ["b"], nearTo: ["c", "b"] });
});

test("finds the versions of all linked documents in one statement per field", async () => {
  const make = async (name: string, near: readonly string[] = []): Promise<string> =>
    (await app.call("POST", "/api/stations", { data: { name, near } })).body.data.documentId;
  const others: string[] = [];
  for (let count = 0; count < 12; count++) others.push(await make(`other ${count}`));
  const lookups = async (near: readonly string[]): Promise<number> => {
    const query = spyOn(app.database(), "query");
    await make("hub", near);
    const found = query.mock.calls.filter(([sql]) => sql.includes("o.document_id = t.document_id"));
    query.mockRestore();
    return found.length;
  };
  expect(await lookups(others)).toBe(await lookups(others.slice(0, 1)));
});
