import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import type { Project } from "../../../src/server/project/project.ts";
import { startProject } from "../../../src/server/start.ts";
import { loadContentFiles } from "../../../src/transfer/content-files/load.ts";
import {
  asker,
  book,
  failure,
  fakeLibrary,
  libraryWith,
  loaded,
  loadWith,
  openInMemory,
  removeLibraries,
  rows,
} from "./fixture.ts";

const STARTER = join(import.meta.dir, "../../../data/starter");

afterAll(removeLibraries);

type Json = Record<string, unknown>;

describe("the starter's content", () => {
  const opened = (async () => {
    const project = openInMemory(STARTER);
    const content = await loadWith(project, fakeLibrary(project.context));
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
      async ({ context }: Project) => {
        const library = fakeLibrary(context);
        const texts = { name: "mine.png", alternativeText: null, caption: null };
        library.store([await library.prepareFrom("", texts)], () => undefined);
      },
    ],
  ])("%s", async (_name, fill) => {
    const project = openInMemory(libraryWith({ "content/media/one.png": "", ...book({ title: "First" }) }));
    await fill(project);
    const before = rows(project);
    const library = fakeLibrary(project.context);
    expect(await loadWith(project, library)).toBeUndefined();
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
    const results = await Promise.all(libraries.map((library) => loadWith(project, library)));
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
