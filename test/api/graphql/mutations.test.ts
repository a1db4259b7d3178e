/** Writing: what data mean, which version and locale are written, and that the answer is one version. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { type Body, conformanceApp, type TestApp } from "../../project.ts";
import { type Ask, asker, readData, readErrors } from "./ask.ts";

const app: TestApp = await conformanceApp();
const ask: Ask = asker(app);
beforeEach(() => app.reset());
afterAll(() => app.close());

const data = (query: string, variables?: Readonly<Record<string, unknown>>): Promise<Body> =>
  readData(ask(query, variables));
const idOf = async (mutation: string): Promise<string> =>
  (await data(`mutation { made: ${mutation} { documentId } }`)).made.documentId;

describe("several mutations", () => {
  test("run in order, and one that fails stops no other", async () => {
    const { body } = await ask(`mutation {
      a: createTag(data: {label: "a"}) { label articles { title } }
      b: createTag(data: {color: "#000000"}) { label }
      c: createTag(data: {label: "c"}) { label }
    }`);
    expect(body.data).toEqual({ a: { label: "a", articles: [] }, b: null, c: { label: "c" } });
    expect(body.errors).toMatchObject([{ message: "label must be defined.", path: ["b"] }]);
    expect(body.errors[0]).not.toHaveProperty("locations");
    expect(await data("{ tags { label } }")).toEqual({ tags: [{ label: "a" }, { label: "c" }] });
  });

  test("see what the ones before them have done", async () => {
    const id = await idOf('createTag(data: {label: "a"})');
    const answer = await data(`mutation {
      deleteTag(documentId: "${id}") { documentId }
      updateTag(documentId: "${id}", data: {label: "b"}) { label }
    }`);
    expect(answer).toEqual({ deleteTag: { documentId: id }, updateTag: null });
  });
});

describe("versions", () => {
  test("a write publishes unless it is told not to; null is not to", async () => {
    const times = await data(`mutation {
      a: createEvent(data: {name: "a", startsAt: "2025-01-01T09:00:00Z"}) { publishedAt }
      b: createEvent(status: DRAFT, data: {name: "b"}) { publishedAt }
      c: createEvent(status: null, data: {name: "c"}) { publishedAt }
    }`);
    expect(times).toEqual({
      a: { publishedAt: expect.any(String) },
      b: { publishedAt: null },
      c: { publishedAt: null },
    });
  });

  test("below the answer of a write there is the version of the write, and below a type without drafts both", async () => {
    const article = await idOf('createArticle(data: {title: "Both versions"})');
    const update = (status: string) =>
      data(
        `mutation { updateArticle(documentId: "${article}", status: ${status}, data: {}) { category { name articles { title publishedAt } } } }`,
      );
    const { createCategory } = await data(
      `mutation { createCategory(data: {name: "C", articles: ["${article}"]}) { articles { publishedAt } } }`,
    );
    expect(createCategory.articles).toEqual([{ publishedAt: null }, { publishedAt: expect.any(String) }]);
    const draft = await update("DRAFT");
    expect(draft.updateArticle.category.articles).toEqual([{ title: "Both versions", publishedAt: null }]);
    const published = await update("PUBLISHED");
    expect(published.updateArticle.category.articles).toEqual([
      { title: "Both versions", publishedAt: expect.any(String) },
    ]);
  });

  test("or the draft of what has never been published, below a type without drafts", async () => {
    const { author } = await readData(
      ask('mutation { author: createAuthor(status: DRAFT, data: {name: "New"}) { documentId } }'),
    );
    const fields = "documentId author { name publishedAt }";
    const { profile } = await readData(
      ask(`mutation { profile: createProfile(data: {author: "${author.documentId}"}) { ${fields} } }`),
    );
    expect(profile.author).toEqual({ name: "New", publishedAt: null });
    const read = await readData(ask(`{ profile(documentId: "${profile.documentId}") { ${fields} } }`));
    expect(read.profile.author).toBeNull();
  });

  test("what a published version lacks is said with its place in the operation", async () => {
    const { body } = await ask('mutation { createEvent(status: DRAFT, data: {place: "x"}) { name } }');
    expect(body).toEqual({
      errors: [
        {
          message: "Cannot return null for non-nullable field Event.name.",
          locations: [{ line: 1, column: 61 }],
          path: ["createEvent", "name"],
          extensions: { code: "INTERNAL_SERVER_ERROR" },
        },
      ],
      data: { createEvent: null },
    });
  });
});

describe("locales", () => {
  const note = async (): Promise<string> => {
    const id = await idOf('createNote(data: {text: "hello"})');
    for (const locale of ["fr", "de"]) {
      await data(
        `mutation { updateNote(documentId: "${id}", locale: "${locale}", data: {text: "${locale}"}) { text } }`,
      );
    }
    return id;
  };
  const left = async (): Promise<string[]> =>
    (await data('{ notes(locale: "*", sort: "text") { locale } }')).notes.map(
      ({ locale }: { locale: string }) => locale,
    );

  test("a delete with a locale removes that localization, without one the default's", async () => {
    const id = await note();
    await data(`mutation { deleteNote(documentId: "${id}", locale: "fr") { documentId } }`);
    expect(await left()).toEqual(["de", "en"]);
    await data(`mutation { deleteNote(documentId: "${id}") { documentId } }`);
    expect(await left()).toEqual(["de"]);
    await data(`mutation { deleteNote(documentId: "${id}", locale: "*") { documentId } }`);
    expect(await left()).toEqual([]);
  });

  test("the answer of a write is the localization that was written", async () => {
    const id = await note();
    const { updateNote } = await data(
      `mutation { updateNote(documentId: "${id}", locale: "fr", data: {text: "salut"}) { text locale localizations(sort: "locale") { text locale } } }`,
    );
    expect(updateNote).toEqual({
      text: "salut",
      locale: "fr",
      localizations: [
        { text: "de", locale: "de" },
        { text: "hello", locale: "en" },
      ],
    });
  });

  test("a document in all locales at once cannot be written", async () => {
    const [error] = await readErrors(ask('mutation { createNote(locale: "*", data: {text: "x"}) { text } }'));
    expect(error.message).toBe("Invalid locale param * provided. Document locales must be strings.");
  });

  test("a locale that is a text in a variable is taken as it is, in a literal it must be known", async () => {
    const query = "query Q($l: I18NLocaleCode) { notes(locale: $l) { text } }";
    for (const l of ["xx-nope", "", 5, true]) expect((await ask(query, { l })).body).toEqual({ data: { notes: [] } });
    expect((await ask('{ notes(locale: "xx-nope") { text } }')).status).toBe(400);
    expect((await ask('{ notes(locale: "de-AT") { text } }')).status).toBe(200);
    expect((await ask('{ notes(locale: "DE") { text } }')).status).toBe(400);
  });
});

describe("data", () => {
  test("relations, components and zones of every form", async () => {
    const tag = await idOf('createTag(data: {label: "t"})');
    const { createArticle } = await data(
      `mutation M($tags: [ID], $zone: [ArticleSectionsDynamicZoneInput!], $id: ID, $heading: String) {
        createArticle(data: {
          title: "Everything", tags: $tags, links: {label: "solo"}, seo: {id: $id, metaTitle: "m"},
          sections: [{__typename: "ComponentBasicCard", heading: $heading, categories: [], nope: 1}]
        }) { tags { label } links { label } seo { metaTitle } sections { ... on ComponentBasicCard { heading } } }
        other: createArticle(data: {title: "Other", tags: [null], sections: $zone}) { tags { label } sections { __typename } }
      }`,
      { tags: tag, zone: [{ __typename: "ComponentSharedQuote", body: "q" }], id: null, heading: "h" },
    );
    expect(createArticle).toEqual({
      tags: [{ label: "t" }],
      links: [{ label: "solo" }],
      seo: { metaTitle: "m" },
      sections: [{ heading: "h" }],
    });
  });

  test("a component that a zone does not allow is refused", async () => {
    const asked = await ask(
      'mutation { createProduct(data: {name: "p", blocksZone: [{__typename: "ComponentSharedMedia"}]}) { name } }',
    );
    expect(asked.status).toBe(400);
    expect(asked.body.errors[0].message).toEndWith(
      "Component not found. expected one of: ComponentSharedQuote, ComponentBasicCard",
    );
  });

  test("scalars keep what they are given", async () => {
    const { createProduct } = await data(
      `mutation M($json: JSON, $n: Int) { createProduct(data: {
        name: "Scalars", parts: [], barcode: 9223372036854775807, soldAt: "2024-02-28t10:00:00.123456-05:30",
        opensAt: "07:05:09.5", attributesJson: {json: $json, n: [$n, 1.5, "x", null], e: NAME}
      }) { barcode soldAt opensAt attributesJson } }`,
      { json: { deep: [true] }, n: 3 },
    );
    expect(createProduct).toEqual({
      barcode: "9223372036854775807",
      soldAt: "2024-02-28T15:30:00.123Z",
      opensAt: "07:05:09.500",
      attributesJson: { json: { deep: [true] }, n: [3, 1.5, "x", null] },
    });
  });

  test("a password is hashed, and never answered", async () => {
    const { createProduct } = await data(
      'mutation { createProduct(data: {name: "Safe", parts: [], password: "open sesame"}) { documentId password } }',
    );
    expect(createProduct.password).toBeNull();
    const row = app.database().query("SELECT password FROM products WHERE name = 'Safe'").get() as { password: string };
    expect(await Bun.password.verify("open sesame", row.password)).toBe(true);
  });
});

describe("single types", () => {
  test("are made by their update, and cannot be deleted twice", async () => {
    expect(await data("{ siteSetting { siteName } }")).toEqual({ siteSetting: null });
    const { updateSiteSetting } = await data(
      'mutation { updateSiteSetting(data: {siteName: "S"}) { documentId siteName } }',
    );
    expect(updateSiteSetting.siteName).toBe("S");
    expect(await data("mutation { deleteSiteSetting { documentId } }")).toEqual({
      deleteSiteSetting: { documentId: updateSiteSetting.documentId },
    });
    const [error] = await readErrors(ask("mutation { deleteSiteSetting { documentId } }"));
    expect(error).toMatchObject({ message: "Document not found", extensions: { code: "STRAPI_NOT_FOUND_ERROR" } });
  });
});
