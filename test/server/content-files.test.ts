import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { DocumentService } from "../../src/documents/document-service.ts";
import { ProjectError } from "../../src/errors.ts";
import { FILE } from "../../src/schema/builtin/index.ts";
import { apiTypes, contentType } from "../../src/schema/model.ts";
import { createApp } from "../../src/server/app.ts";
import { loadContentFiles } from "../../src/server/content-files.ts";
import type { Project } from "../../src/server/project.ts";
import { startProject } from "../../src/server/start.ts";
import { quote } from "../../src/storage/quote.ts";
import { fakeLibrary, libraryWith, openInMemory, removeLibraries } from "./content-fixture.ts";

const STARTER = join(import.meta.dir, "../../data/starter");

afterAll(removeLibraries);

type Json = Record<string, unknown>;
interface Answer {
  readonly data: Json[];
  readonly meta: { readonly pagination: { readonly total: number } };
}

const asker = (project: Project) => {
  const app = createApp(project);
  return async (path: string): Promise<Answer> => {
    const response = await app.handle(new Request(`http://localhost/api/${path}`));
    const body = (await response.json()) as Answer & { readonly error?: unknown };
    expect([path, response.status, body.error]).toEqual([path, 200, undefined]);
    return body;
  };
};

async function loaded(files: Json): Promise<{ project: Project; ask: ReturnType<typeof asker> }> {
  const project = openInMemory(libraryWith(files));
  await loadContentFiles(project, fakeLibrary(project.context));
  return { project, ask: asker(project) };
}

/** Rows of the project's own types and components, and of files. */
function rows({ context: { storage, model } }: Project): number {
  const schemas = [...apiTypes(model), ...model.components.values(), contentType(model, FILE)];
  return schemas.reduce(
    (sum, { table }) => sum + Number(storage.first(`SELECT count(*) FROM ${quote(table)}`)?.[0]),
    0,
  );
}

async function failure(work: Promise<unknown>): Promise<ProjectError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProjectError) return error;
  throw new Error(`Expected a ProjectError, not ${String(error)}`);
}

describe("the starter's content", () => {
  const opened = (async () => {
    const project = openInMemory(STARTER);
    const content = await loadContentFiles(project, fakeLibrary(project.context));
    return { project, content, ask: asker(project) };
  })();

  test("is loaded whole: as many documents and files as its content files have", async () => {
    const { content } = await opened;
    expect(Object.fromEntries(content?.documents ?? [])).toEqual({
      "api::article.article": 12,
      "api::author.author": 4,
      "api::category.category": 5,
      "api::homepage.homepage": 1,
      "api::issue.issue": 3,
      "api::page.page": 3,
      "api::site.site": 1,
      "api::tag.tag": 12,
    });
    expect(content?.files).toBe(12);
  });

  test.each([
    ["articles", 10],
    ["articles?status=draft", 12],
    ["articles?locale=fr", 4],
    ["issues", 2],
    ["issues?status=draft", 3],
    ["pages", 3],
    ["authors", 4],
  ])("%s are %i", async (path, total) => {
    const { ask } = await opened;
    expect((await ask(path)).meta.pagination.total).toBe(total);
  });

  test("an article is answered with everything that it is joined to", async () => {
    const { ask } = await opened;
    const { data } = await ask(
      "articles?filters[slug]=bread-for-people-who-are-late&populate[author][fields]=name&populate[category][fields]=slug" +
        "&populate[tags][fields]=slug&populate[issue][fields]=number&populate[related][fields]=slug&populate[cover][fields]=alternativeText" +
        "&populate[extras][on][magazine.recipe][populate]=*&populate[extras][on][magazine.author-note][populate][author][fields]=name",
    );
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      title: "Bread for People Who Are Late",
      kind: "recipe",
      author: { name: "Tomás Ferreira" },
      category: { slug: "kitchen" },
      tags: [{ slug: "bread" }, { slug: "patience" }, { slug: "hands" }],
      issue: { number: 1 },
      related: [{ slug: "soup-in-the-order-it-happens" }],
      cover: { alternativeText: expect.stringContaining("Bowls seen from above") },
      extras: [
        {
          __component: "magazine.recipe",
          serves: 6,
          ingredients: expect.arrayContaining([expect.objectContaining({ amount: "9 g", item: "salt" })]),
        },
        { __component: "magazine.author-note", author: { name: "Mara Lindqvist" } },
      ],
    });
  });

  test("a localization has its own texts and links, and shares what is not localized", async () => {
    const { ask } = await opened;
    const { data } = await ask(
      "articles?locale=fr&filters[slug]=la-chaise-qui-prit-tout-un-hiver&populate[author][fields]=name&populate[cover][fields]=name" +
        "&populate[related][fields]=slug,locale&populate[localizations][fields]=slug",
    );
    expect(data).toMatchObject([
      {
        title: "La chaise qui prit tout un hiver",
        date: "2025-03-20",
        author: { name: "Mara Lindqvist" },
        cover: { name: "workshop.jpg" },
        related: [{ slug: "l-horloge-de-la-mairie-a-quatre-minutes-de-retard", locale: "fr" }],
        localizations: [{ slug: "the-chair-that-took-a-winter" }],
      },
    ]);
  });

  test("a draft shows only among drafts, in its draft issue", async () => {
    const { ask } = await opened;
    const path = "articles?filters[slug]=seeing-in-the-dark-slowly&populate[issue][fields]=number";
    expect((await ask(path)).data).toEqual([]);
    expect((await ask(`${path}&status=draft`)).data).toMatchObject([{ publishedAt: null, issue: { number: 3 } }]);
  });

  test("published entries lead to published entries", async () => {
    const { ask } = await opened;
    const { data } = await ask("articles?populate[related][fields]=publishedAt&populate[issue][fields]=publishedAt");
    const targets = data.flatMap(({ related, issue }) => [...(related as Json[]), issue as Json]);
    expect(targets.length).toBeGreaterThan(15);
    expect(targets.filter(({ publishedAt }) => publishedAt === null)).toEqual([]);
  });

  test("private attributes are stored and never answered", async () => {
    const { ask, project } = await opened;
    for (const path of ["articles?status=draft", "authors"]) {
      for (const entry of (await ask(path)).data) {
        expect(entry).not.toHaveProperty("email");
        expect(entry).not.toHaveProperty("editorsNote");
      }
    }
    expect(project.context.storage.first("SELECT count(email) FROM authors")).toEqual([4]);
  });
});

describe("names", () => {
  test("entries may name each other in any order, in components too", async () => {
    const { ask } = await loaded({
      "content/authors.json": [{ key: "a", data: { name: "Ann", favourite: "books/two" } }],
      "content/books.json": [
        {
          key: "one",
          data: {
            title: "First",
            author: "authors/a",
            next: "books/two",
            notes: [{ __component: "part.pick", reason: "why", book: "books/two" }],
          },
        },
        { key: "two", data: { title: "Second", next: "books/one" } },
        { key: "self", data: { title: "Itself", next: "books/self", author: "authors/a" } },
      ],
      "content/shop.json": { data: { name: "Shop", best: { reason: "good", book: "books/one" } } },
    });
    const { data } = await ask(
      "books?sort=id&fields=title&populate[next][fields]=title&populate[author][fields]=name&populate[notes][on][part.pick][populate][book][fields]=title",
    );
    expect(data).toMatchObject([
      {
        title: "First",
        next: { title: "Second" },
        author: { name: "Ann" },
        notes: [{ reason: "why", book: { title: "Second" } }],
      },
      { title: "Second", next: { title: "First" }, author: null },
      { title: "Itself", next: { title: "Itself" }, author: { name: "Ann" } },
    ]);
    expect((await ask("shop?populate[best][populate]=book")).data).toMatchObject({
      best: { book: { title: "First" } },
    });
    expect((await ask("authors?populate=books,favourite")).data).toMatchObject([
      { favourite: { title: "Second" }, books: [{ title: "First" }, { title: "Itself" }] },
    ]);
  });

  test("links that both sides name are joined, and none is lost", async () => {
    const { ask } = await loaded({
      "content/authors.json": [{ key: "a", data: { name: "Ann", books: ["books/two"] } }],
      "content/books.json": [
        { key: "one", data: { title: "First", author: "authors/a" } },
        { key: "two", data: { title: "Second" } },
      ],
    });
    const { data } = await ask("authors?populate[books][sort]=id");
    expect(data).toMatchObject([{ books: [{ title: "First" }, { title: "Second" }] }]);
  });

  test("required relations hold where the project enforces them, whatever the order of the files", async () => {
    const files = {
      "config/api.json": { documents: { strictRelations: true } },
      "content/authors.json": [{ key: "a", data: { name: "Ann", favourite: "books/one" } }],
      "content/books.json": [{ key: "one", data: { title: "First", author: "authors/a" } }],
    };
    const { ask } = await loaded(files);
    expect((await ask("authors?populate=favourite")).data).toMatchObject([{ favourite: { title: "First" } }]);
    const project = openInMemory(
      libraryWith({ ...files, "content/authors.json": [{ key: "a", data: { name: "Ann" } }] }),
    );
    const error = await failure(loadContentFiles(project));
    expect(error.message).toBe("content/authors.json: a: data: favourite must be defined.");
  });

  test("users of config/galley.json and targets of several types can be named", async () => {
    const { project } = await loaded({
      "content/books.json": [
        { key: "one", data: { title: "First", owner: "users/ada", mentions: ["authors/a", "shop", "books/one"] } },
      ],
      "content/authors.json": [{ key: "a", data: { name: "Ann", favourite: "books/one" } }],
      "content/shop.json": { data: { name: "Shop" } },
    });
    const service = new DocumentService(project.context, contentType(project.context.model, "api::book.book"));
    const [book] = await service.findMany({ status: "published", populate: ["owner", "mentions"] });
    expect(book).toMatchObject({
      owner: { username: "ada" },
      mentions: [{ name: "Ann" }, { name: "Shop" }, { title: "First" }],
    });
  });
});

describe("entries", () => {
  test("a document may exist in another than the default locale alone", async () => {
    const { ask } = await loaded({ "content/books.json": [{ key: "one", locales: { de: { title: "Erstes" } } }] });
    expect((await ask("books")).data).toEqual([]);
    expect((await ask("books?locale=de")).data).toMatchObject([{ title: "Erstes" }]);
  });

  test("passwords are hashed", async () => {
    const { project } = await loaded({
      "content/authors.json": [{ key: "a", data: { name: "Ann", password: "open sesame" } }],
    });
    const [stored] = project.context.storage.first("SELECT password FROM author")!;
    expect(await Bun.password.verify("open sesame", stored as string)).toBe(true);
  });

  test("files are recorded once, with their texts, however often they are named", async () => {
    const { ask, project } = await loaded({
      "content/media/covers/one.png": "png",
      "content/media/.hidden": "",
      "content/media/index.json": { "covers/one.png": { alternativeText: "One", caption: "The first" } },
      "content/books.json": ["x", "y"].map((key) => ({ key, data: { title: `Book ${key}`, cover: "covers/one.png" } })),
    });
    const cover = { name: "one.png", alternativeText: "One", caption: "The first" };
    expect((await ask("books?populate=cover")).data).toMatchObject([{ cover }, { cover }]);
    expect(project.context.storage.first("SELECT count(*) FROM files")).toEqual([1]);
  });
});

const book = (data: Json, more: Json = {}): Json => ({ "content/books.json": [{ key: "one", data, ...more }] });

describe("content that does not fit is refused with file, entry and reason, and nothing of it is loaded", () => {
  const cases: [string, Json, string | RegExp][] = [
    ["a file that is no JSON", { "content/books.json": "[{" }, /^content\/books\.json: is not valid JSON \(.+\)$/],
    [
      "a file of no type",
      { "content/boks.json": [] },
      "content/boks.json: is named after no content-type; expected are authors.json, books.json, shop.json",
    ],
    ["a collection that is no list", { "content/books.json": {} }, "content/books.json: must hold a list of entries"],
    ["a single type that is a list", { "content/shop.json": [] }, "content/shop.json: expected object"],
    [
      "an entry without a key",
      { "content/books.json": [{ data: {} }] },
      "content/books.json: entry 1: key: is missing",
    ],
    [
      "a key with a slash",
      { "content/books.json": [{ key: "a/b", data: {} }] },
      /^content\/books\.json: a\/b: key: expected string to match/,
    ],
    [
      "a key used twice",
      {
        "content/books.json": [
          { key: "one", data: { title: "One" } },
          { key: "one", data: { title: "Two" } },
        ],
      },
      "content/books.json: one: the key is used twice",
    ],
    ["an entry without data", { "content/books.json": [{ key: "one" }] }, `content/books.json: one: needs "data"`],
    [
      "an unknown key of an entry",
      book({ title: "First" }, { state: "draft" }),
      "content/books.json: one: state: unexpected property",
    ],
    [
      "an unknown status",
      book({ title: "First" }, { status: "ready" }),
      /^content\/books\.json: one: status: expected/,
    ],
    [
      "a draft of a type without drafts",
      { "content/authors.json": [{ key: "a", status: "draft", data: { name: "Ann" } }] },
      "content/authors.json: a: status: author has no drafts: all of its entries are public",
    ],
    [
      "an unknown locale",
      book({ title: "First" }, { locales: { xx: { title: "Xxx" } } }),
      "content/books.json: one: locales.xx: config/galley.json has no such locale",
    ],
    [
      "a locale of a type without locales",
      { "content/authors.json": [{ key: "a", data: { name: "Ann" }, locales: { de: { name: "Anna" } } }] },
      "content/authors.json: a: locales.de: author is not a localized type",
    ],
    [
      "the default locale twice",
      book({ title: "First" }, { locales: { en: { title: "Other" } } }),
      `content/books.json: one: locales.en: "data" is this locale already, as the default one`,
    ],
    [
      "an unknown attribute",
      book({ title: "First", tilte: "x" }),
      "content/books.json: one: data.tilte: api::book.book has no such attribute",
    ],
    [
      "an unknown attribute of a component",
      { "content/shop.json": { data: { best: { why: 1 } } } },
      "content/shop.json: data.best.why: part.pick has no such attribute",
    ],
    [
      "an attribute that is not for writing",
      book({ title: "First", checked: true }),
      "content/books.json: one: data.checked: cannot be written",
    ],
    [
      "an attribute that Galley adds",
      book({ title: "First", publishedAt: "2025-01-01" }),
      "content/books.json: one: data.publishedAt: cannot be written",
    ],
    [
      "a component of another zone",
      book({ title: "First", notes: [{ __component: "part.other" }] }),
      "content/books.json: one: data.notes[0].__component: must be one of part.pick",
    ],
    [
      "a zone that is no list",
      book({ title: "First", notes: {} }),
      "content/books.json: one: data.notes: must be a list",
    ],
    [
      "a component that is no object",
      { "content/shop.json": { data: { best: "books/one" } } },
      "content/shop.json: data.best: must be an object",
    ],
    [
      "a relation that is no name",
      book({ title: "First", author: 1 }),
      `content/books.json: one: data.author: must be an entry by its name, as in "authors/ada"`,
    ],
    [
      "a single name where many are due",
      { "content/authors.json": [{ key: "a", data: { name: "Ann", books: "books/one" } }] },
      `content/authors.json: a: data.books: must be a list; each item is an entry by its name, as in "authors/ada"`,
    ],
    [
      "an entry that is not there",
      book({ title: "First", author: "authors/ann" }),
      `content/books.json: one: data.author: there is no entry "authors/ann"`,
    ],
    [
      "an entry of another type",
      book({ title: "First", author: "books/one" }),
      `content/books.json: one: data.author: must be one of authors, not "books/one"`,
    ],
    [
      "a user who is not there",
      book({ title: "First", owner: "users/bob" }),
      `content/books.json: one: data.owner: config/galley.json has no user for "users/bob"`,
    ],
    [
      "a target without the locale",
      book({ title: "First" }, { locales: { de: { title: "Erstes", next: "books/two" } } }),
      `content/books.json: one: locales.de.next: there is no entry "books/two"`,
    ],
    [
      "a target in the default locale alone",
      {
        "content/books.json": [
          { key: "one", data: { title: "First" }, locales: { de: { title: "Erstes", next: "books/two" } } },
          { key: "two", data: { title: "Second" } },
        ],
      },
      `content/books.json: one: locales.de.next: "books/two" has no locale de`,
    ],
    [
      "a file that is not there",
      book({ title: "First", cover: "one.png" }),
      "content/books.json: one: data.cover: there is no file content/media/one.png",
    ],
    [
      "texts for a file that is not there",
      { "content/media/index.json": { "two.png": {} } },
      "content/media/index.json: two.png: there is no such file below content/media",
    ],
    [
      "unknown texts of a file",
      { "content/media/one.png": "", "content/media/index.json": { "one.png": { alt: "x" } } },
      "content/media/index.json: one.png.alt: unexpected property",
    ],
    [
      "a file that the media library refuses",
      { "content/media/unreadable.png": "", "content/media/one.png": "" },
      "content/media/unreadable.png: is no picture",
    ],
    [
      "a value that breaks a rule of its type",
      book({ title: 5, pages: "many" }),
      /^content\/books\.json: one: data: title must be a `string` type.+; pages must be a `number` type/,
    ],
    [
      "a value that breaks a rule of publication",
      book({ title: "It" }),
      "content/books.json: one: cannot be published: title must be at least 3 characters",
    ],
    [
      "a localization that breaks a rule",
      book({ title: "First" }, { locales: { de: { title: [] } } }),
      /^content\/books\.json: one: locales\.de: title must be a `string` type/,
    ],
    [
      "a duplicate of a unique value",
      { "content/authors.json": ["a", "b"].map((key) => ({ key, data: { name: "Ann" } })) },
      "content/authors.json: b: data: name: This attribute must be unique",
    ],
  ];

  test.each(cases)("%s", async (_name, files, message) => {
    // a good file beside the bad one, and media, must not stay behind
    const project = openInMemory(
      libraryWith({ "content/media/good.png": "", "content/shop.json": { data: { name: "Good" } }, ...files }),
    );
    const library = fakeLibrary(project.context);
    const error = await failure(loadContentFiles(project, library));
    if (typeof message === "string") expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
    expect(rows(project)).toBe(0);
    expect(library.discarded.sort()).toEqual(library.prepared.sort());
  });

  test("media without a media library", async () => {
    const project = openInMemory(
      libraryWith({ "content/media/one.png": "", ...book({ title: "First", cover: "one.png" }) }),
    );
    const error = await failure(loadContentFiles(project));
    expect(error.message).toBe("content/media: holds files, but there is no media library here");
    expect(rows(project)).toBe(0);
  });

  test("the same content is loaded by the next start once it is put right", async () => {
    const root = libraryWith(book({ title: "It" }));
    const options = { memory: false, publicRead: false, environment: {} };
    const error = await failure(startProject(root, options));
    expect(error.message).toContain("cannot be published");
    await Bun.write(join(root, "content/books.json"), JSON.stringify([{ key: "one", data: { title: "Item" } }]));
    const { project, content } = await startProject(root, options);
    expect(content?.documents.get("api::book.book")).toBe(1);
    project.close();
    const again = await startProject(root, options);
    expect(again.content).toBeUndefined();
    expect((await asker(again.project)("books")).meta.pagination.total).toBe(1);
    again.project.close();
  });
});

describe("a database that is not empty is left alone", () => {
  test.each([
    [
      "by a document",
      (project: Project) =>
        new DocumentService(project.context, contentType(project.context.model, "api::shop.shop")).create({
          data: { name: "Mine" },
        }),
    ],
    [
      "by a file",
      async (project: Project) =>
        (
          await fakeLibrary(project.context).prepareFile({
            path: "",
            name: "mine.png",
            alternativeText: null,
            caption: null,
          })
        ).insert(),
    ],
  ])("%s", async (_name, fill) => {
    const project = openInMemory(libraryWith({ "content/media/one.png": "", ...book({ title: "First" }) }));
    await fill(project);
    const before = rows(project);
    const library = fakeLibrary(project.context);
    expect(await loadContentFiles(project, library)).toBeUndefined();
    expect(rows(project)).toBe(before);
    expect(library.prepared).toEqual([]);
  });

  test("content that was removed does not come back", async () => {
    const { project, ask } = await loaded(book({ title: "First" }));
    const [{ documentId }] = (await ask("books")).data as [{ documentId: string }];
    await new DocumentService(project.context, contentType(project.context.model, "api::book.book")).delete({
      documentId,
    });
    expect(rows(project)).toBe(0);
    expect(await loadContentFiles(project)).toBeUndefined();
    expect(rows(project)).toBe(0);
  });

  test("of two processes that start at once, one loads and the other takes its files back", async () => {
    const project = openInMemory(libraryWith({ "content/media/one.png": "", ...book({ title: "First" }) }));
    const libraries = [fakeLibrary(project.context), fakeLibrary(project.context)];
    const results = await Promise.all(libraries.map((library) => loadContentFiles(project, library)));
    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
    expect(libraries.flatMap(({ discarded }) => discarded)).toEqual(["one.png"]);
    expect(project.context.storage.first("SELECT count(*) FROM files")).toEqual([1]);
  });

  test("a project without content files starts as it is", async () => {
    const { project, content } = await startProject(libraryWith({}), {
      memory: true,
      publicRead: false,
      environment: {},
    });
    expect(content).toBeUndefined();
    expect(rows(project)).toBe(0);
  });
});
