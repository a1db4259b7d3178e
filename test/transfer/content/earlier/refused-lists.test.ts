import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { startProject } from "../../../../src/server/start.ts";
import {
  asker,
  book,
  failure,
  fakeLibrary,
  libraryWith,
  loadWith,
  openInMemory,
  removeLibraries,
  rows,
} from "./fixture.ts";

afterAll(removeLibraries);

type Json = Record<string, unknown>;

describe("content that does not fit is refused with file, entry and reason, and nothing of it is loaded", () => {
  const cases: [string, Json, string | RegExp][] = [
    ["a file that is not JSON", { "content/books.json": "[{" }, /^content\/books\.json: is not valid JSON \(.+\)$/],
    [
      "a file of no type",
      { "content/boks.json": [] },
      "content/boks.json: is named after no content-type; expected are authors.json, books.json, shop.json",
    ],
    [
      "a collection that is not a list",
      { "content/books.json": {} },
      "content/books.json: must hold a list of entries",
    ],
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
      "a zone that is not a list",
      book({ title: "First", notes: {} }),
      "content/books.json: one: data.notes: must be a list",
    ],
    [
      "a component that is not an object",
      { "content/shop.json": { data: { best: "books/one" } } },
      "content/shop.json: data.best: must be a mapping of attributes",
    ],
    [
      "a relation that is not a name",
      book({ title: "First", author: 1 }),
      `content/books.json: one: data.author: must be the name of a file, as in "authors/ada"`,
    ],
    [
      "a single name where many are due",
      { "content/authors.json": [{ key: "a", data: { name: "Ann", books: "books/one" } }] },
      `content/authors.json: a: data.books: must be a list`,
    ],
    [
      "an entry that is not there",
      book({ title: "First", author: "authors/ann" }),
      `content/books.json: one: data.author: there is no document "authors/ann"`,
    ],
    [
      "an entry of another type",
      book({ title: "First", author: "books/one" }),
      `content/books.json: one: data.author: "books/one" is not of the type api::author.author`,
    ],
    [
      "a user who is not there",
      book({ title: "First", owner: "users/bob" }),
      `content/books.json: one: data.owner: there is no user "bob"`,
    ],
    [
      "a target without the locale",
      book({ title: "First" }, { locales: { de: { title: "Erstes", next: "books/two" } } }),
      `content/books.json: one: locales.de.next: there is no document "books/two"`,
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
      "content/books.json: one: data.cover: there is no file media/one.png",
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
      "content/media/unreadable.png: is not a picture",
    ],
    [
      "a value that breaks a rule of its type",
      book({ title: 5, pages: "many" }),
      /^content\/books\.json: one: data\.title: title must be a `string` type.+\n.+one: data\.pages: pages must be a `number` type/,
    ],
    [
      "a value that breaks a rule of publication",
      book({ title: "It" }),
      "content/books.json: one: data.title: title must be at least 3 characters",
    ],
    [
      "a localization that breaks a rule",
      book({ title: "First" }, { locales: { de: { title: [] } } }),
      /^content\/books\.json: one: locales\.de\.title: title must be a `string` type/,
    ],
    [
      "a duplicate of a unique value",
      { "content/authors.json": ["a", "b"].map((key) => ({ key, data: { name: "Ann" } })) },
      "content/authors.json: b: data.name: This attribute must be unique",
    ],
  ];

  test.each(cases)("%s", async (_name, files, message) => {
    // a good file beside the bad one, and media, must not stay behind
    const project = openInMemory(
      libraryWith({ "content/media/good.png": "", "content/shop.json": { data: { name: "Good" } }, ...files }),
    );
    const library = fakeLibrary(project.context);
    const error = await failure(loadWith(project, library));
    if (typeof message === "string") expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
    expect(rows(project)).toBe(0);
    expect(library.discarded.sort()).toEqual(library.prepared.sort());
  });

  test("the same content is loaded by the next start once it is put right", async () => {
    const root = libraryWith(book({ title: "It" }));
    const options = { memory: false, publicRead: false, environment: {} };
    const error = await failure(startProject(root, options));
    expect(error.message).toContain("title must be at least 3 characters");
    await Bun.write(join(root, "content/books.json"), JSON.stringify([{ key: "one", data: { title: "Item" } }]));
    const { project, content } = await startProject(root, options);
    expect(content?.documents.get("api::book.book")).toBe(1);
    await project.close();
    const again = await startProject(root, options);
    expect(again.content).toBeUndefined();
    expect((await asker(again.project)("books")).meta.pagination.total).toBe(1);
    await again.project.close();
  });
});
