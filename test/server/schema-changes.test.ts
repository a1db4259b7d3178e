/** Which changes of a model break its clients. */
import { afterAll, expect, test } from "bun:test";
import { breakingChanges } from "../../src/server/contract/schema-changes.ts";
import { readModel } from "../../src/server/project/project-source.ts";
import { componentFile, projectFolder, relation, type TypeOptions, typeFile } from "../project.ts";

const folders: (() => void)[] = [];
afterAll(() => {
  for (const remove of folders) remove();
});

type Attributes = Parameters<typeof typeFile>[1];

function model(
  article: Attributes | undefined,
  options: TypeOptions = {},
  part: Attributes = { label: { type: "string" } },
) {
  const { root, remove } = projectFolder({
    ...typeFile("author", { name: { type: "string" } }),
    ...(article && typeFile("article", article, options)),
    ...componentFile("parts.link", part),
    ...componentFile("parts.quote", { text: { type: "text" } }),
  });
  folders.push(remove);
  return readModel(root, {}).model;
}

const breaks = (before: Parameters<typeof breakingChanges>[0], after: typeof before): string[] =>
  breakingChanges(before, after).map(({ uid, attribute, change }) => `${attribute ?? uid} ${change}`);

const one = (attribute: Attributes[string]) => model({ x: attribute });
const string = { type: "string" };
const zone = (...components: string[]) => ({ type: "dynamiczone", components });
const component = (name: string, repeatable = false) => ({ type: "component", component: name, repeatable });
const values = (...list: string[]) => ({ type: "enumeration", enum: list });

test.each<[string, Attributes[string], Attributes[string], string[]]>([
  ["texts of other types", string, { type: "richtext" }, []],
  ["a text and a number", string, { type: "integer" }, ["x was string, and is number now"]],
  ["a text and a list of blocks", string, { type: "blocks" }, ["x was string, and is BlocksNode[] now"]],
  ["times of other kinds", { type: "date" }, { type: "datetime" }, ["x was date, and is datetime now"]],
  ["a private attribute", string, { ...string, private: true }, ["x is private, or has no target now"]],
  ["one that is no longer private", { ...string, private: true }, string, []],
  ["a password", string, { type: "password" }, ["x is private, or has no target now"]],
  ["a required one", string, { ...string, required: true }, ["x is required now"]],
  [
    "one that is no longer required",
    { ...string, required: true },
    string,
    ["x is no longer required, so that it may be null"],
  ],
  ["values of an enumeration", values("a", "b", "c"), values("b", "d"), ["x no longer allows a, c"]],
  ["an enumeration instead of a text", string, values("a", "b"), ["x allows only a, b now"]],
  ["a text instead of an enumeration", values("a", "b"), string, []],
  ["components of a zone", zone("parts.link", "parts.quote"), zone("parts.quote"), ["x no longer allows parts.link"]],
  [
    "a list of components",
    component("parts.link"),
    component("parts.link", true),
    ['x was One<"parts.link">, and is Many<"parts.link"> now'],
  ],
  [
    "another component",
    component("parts.link"),
    component("parts.quote"),
    ['x was One<"parts.link">, and is One<"parts.quote"> now'],
  ],
  [
    "another kind of a relation",
    relation("oneToOne", "author"),
    relation("oneToMany", "author"),
    ['x was One<"api::author.author">, and is Many<"api::author.author"> now'],
  ],
  ["kinds of files", { type: "media" }, { type: "media", allowedTypes: ["images"] }, ["x allows only images now"]],
  [
    "stricter rules",
    { ...string, minLength: 1, maxLength: 9 },
    { ...string, minLength: 2, maxLength: 8, regex: "^a", unique: true },
    ["x has minLength 2 now", "x has maxLength 8 now", 'x has regex "^a" now', "x has unique true now"],
  ],
  ["looser rules", { type: "integer", min: 2, max: 3, unique: true }, { type: "integer", min: 1 }, []],
])("%s", (_name, before, after, expected) => {
  expect(breaks(one(before), one(after))).toEqual(expected);
});

test("attributes that are gone, renamed or new", () => {
  const before = model({ a: string, b: { type: "text", maxLength: 5 }, c: { type: "integer" } });
  const after = model({
    bb: { type: "text", maxLength: 5 },
    c: { type: "integer" },
    d: { ...string, required: true },
    e: { type: "boolean" },
  });
  expect(breaks(before, after)).toEqual([
    "a is gone",
    "b is gone (bb is new, and defined alike)",
    "d is new and required",
  ]);
  expect(breaks(before, before)).toEqual([]);
});

test("types and components", () => {
  const article = "api::article.article";
  const before = model({ a: string }, { draftAndPublish: true, localized: true });
  expect(breaks(before, model(undefined))).toEqual([`${article} is gone`]);
  expect(breaks(before, model({ a: string }, { kind: "singleType", localized: true, draftAndPublish: true }))).toEqual([
    `${article} was a collectionType, and is a singleType now`,
  ]);
  expect(breaks(before, model({ a: string }))).toEqual([
    `${article} has no locales any more`,
    `${article} has no drafts any more`,
  ]);
  expect(
    breaks(before, model({ a: string }, { draftAndPublish: true, localized: true }, { label: { type: "integer" } })),
  ).toEqual(["label was string, and is number now"]);
});
