/** Documents that a test gives are loaded as content files are, and all that is wrong with them is said. */
import { afterAll, describe, expect, test } from "bun:test";
import { startProject } from "../../src/server/start.ts";
import { asker, failure, libraryWith, removeLibraries } from "./library.ts";

afterAll(removeLibraries);

type Json = Readonly<Record<string, unknown>>;

const start = (content: Json, files: Json = {}) =>
  startProject(libraryWith(files), { memory: true, publicRead: false, environment: {}, content });

test("documents name each other in any order, users, and media of the project's content", async () => {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>`;
  const files = {
    "content/media/covers/one.svg": picture,
    "content/media/covers/one.svg.yaml": "alternativeText: One\n",
    "content/books/of-the-project.yaml": "title: Not loaded\n$published: true\n",
  };
  const content = {
    "books/one": { title: "First", author: "authors/a", cover: "covers/one.svg", owner: "users/ada", $published: true },
    "books/two": { $locale: "de", title: "Zweites", next: "books/two", $published: true },
    "authors/a": { name: "Ann", favourite: "books/one" },
    shop: { name: "Shop", best: { reason: "good", book: "books/one" } },
  };
  const { project, content: loaded } = await start(content, files);
  const counts = { "api::author.author": 1, "api::book.book": 2, "api::shop.shop": 1 };
  expect([Object.fromEntries(loaded!.documents), loaded!.files]).toEqual([counts, 1]);
  const ask = asker(project);
  const cover = { name: "one.svg", alternativeText: "One" };
  expect((await ask("books?populate=author,cover")).data).toMatchObject([
    { title: "First", author: { name: "Ann" }, cover },
  ]);
  expect((await ask("books?locale=de&populate=next")).data).toMatchObject([{ next: { title: "Zweites" } }]);
  expect((await ask("shop?populate[best][populate]=book")).data).toMatchObject({ best: { book: { title: "First" } } });
  await project.close();
});

const book = (more: Json): Json => ({ "books/one": { title: "First", $published: true, ...more } });

describe("content that does not fit is refused with file, attribute and reason", () => {
  test.each<[string, Json, string | RegExp]>([
    ["a folder of no type", { "boks/one": {} }, "content/boks/: is named after no content-type; did you mean books?"],
    [
      "an unknown attribute",
      book({ tilte: "x" }),
      "content/books/one.json:1: tilte: api::book.book has no such attribute",
    ],
    [
      "an unknown attribute of a component",
      { shop: { best: { why: 1 } } },
      "content/shop.json:1: best.why: part.pick has no such attribute",
    ],
    ["an attribute that is not for writing", book({ checked: true }), "checked: cannot be written"],
    ["an attribute that Galley adds", book({ publishedAt: "2025-01-01" }), "publishedAt: cannot be written"],
    [
      "a component of another zone",
      book({ notes: [{ __component: "part.other" }] }),
      "notes.0.__component: must be one of part.pick",
    ],
    ["a zone that is not a list", book({ notes: {} }), "notes: must be a list"],
    ["a component that is not an object", { shop: { best: "books/one" } }, "best: must be a mapping of attributes"],
    ["a relation that is not a name", book({ author: 1 }), `author: must be the name of a file, as in "authors/ada"`],
    ["a document that is not there", book({ author: "authors/ann" }), `author: there is no document "authors/ann"`],
    [
      "a document of another type",
      book({ author: "books/one" }),
      `author: "books/one" is not of the type api::author.author`,
    ],
    ["a user who is not there", book({ owner: "users/bob" }), `owner: there is no document "users/bob"`],
    ["a file that is not there", book({ cover: "one.png" }), "cover: there is no file media/one.png"],
    [
      "values that break rules of their type",
      book({ title: 5, pages: "many" }),
      /title: title must be a `string` type.+\n.+pages: pages must be a `number` type/,
    ],
    ["a value that breaks a rule of publication", book({ title: "It" }), "title: title must be at least 3 characters"],
    [
      "a localization that breaks a rule",
      book({ $locales: { de: { title: [] } } }),
      "$locales.de.title: title must be a `string` type",
    ],
    [
      "a duplicate of a unique value",
      { "authors/a": { name: "Ann" }, "authors/b": { name: "Ann" } },
      "content/authors/b.json:1: name: This attribute must be unique",
    ],
  ])("%s", async (_, content, message) => {
    const { message: said } = await failure(start({ "authors/good": { name: "Good" }, ...content }));
    if (typeof message === "string") expect(said).toContain(message);
    else expect(said).toMatch(message);
  });
});
