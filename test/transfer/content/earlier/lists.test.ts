import { afterAll, describe, expect, test } from "bun:test";
import { DocumentService } from "../../../../src/engine/documents/document-service.ts";
import { contentType } from "../../../../src/engine/schema/model.ts";
import type { Project } from "../../../../src/server/project/project.ts";
import { startProject } from "../../../../src/server/start.ts";
import {
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

afterAll(removeLibraries);

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
    const error = await failure(loadWith(project, fakeLibrary(project.context)));
    expect(error.message).toBe("content/authors.json: a: data.favourite: favourite must be defined.");
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
        library.store(
          [await library.prepareFrom("", texts, { diskName: undefined, keepsBytes: false })],
          () => undefined,
        );
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
    expect(await loadWith(project, fakeLibrary(project.context))).toBeUndefined();
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
