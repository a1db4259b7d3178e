/** What is wrong with an attribute is told while it is written. */
import { describe, expect, test } from "bun:test";
import { reservedNames } from "../../src/engine/schema/reserved-names.ts";
import {
  apiIdProblem,
  missingOptions,
  nameProblem,
  wrongOptions,
} from "../../src/ui/pages/content-types/attribute-problems.ts";
import { type Draft, newAttribute } from "../../src/ui/pages/content-types/draft.ts";
import { relationSentence } from "../../src/ui/pages/content-types/relation-words.tsx";
import type { TypeSchema } from "../../src/ui/pages/content-types/schemas.ts";

const own = newAttribute("title", { type: "string" }, "title");
const draft = { attributes: [own] } as unknown as Draft;

describe("the name of an attribute", () => {
  test.each([
    ["", "Enter a name"],
    ["1st", "A name begins with a letter and has only letters, digits and underscores"],
    ["Title", "An attribute Title already exists"],
    ["createdAt", "createdAt is a reserved name"],
    ["strapiThing", "strapiThing is a reserved name"],
    ["subtitle", undefined],
  ])("%j", (name, problem) => expect(nameProblem(name, draft, undefined, reservedNames)).toBe(problem));

  test("stays allowed where it is its own", () => {
    expect(nameProblem("title", draft, own, reservedNames)).toBeUndefined();
  });
});

test.each([
  ["article", "articles", "The content-type Article has this ID", "The content-type Article has this ID"],
  ["articles", "article-lists", "The content-type Article has this ID", undefined],
  ["Post", "posts", "Lower-case letters, digits and hyphens, such as blog-post", undefined],
  ["date-time", "date-times", "date-time is a reserved name", undefined],
  ["sheep", "sheep", undefined, "The same as the singular"],
  ["blog-post", "blog-posts", undefined, undefined],
  ["", "", undefined, undefined],
])("the API IDs %j and %j of a new type", (singularName, pluralName, singular, plural) => {
  const article = { displayName: "Article", singularName: "article", pluralName: "articles" };
  const schemas = {
    types: [{ uid: "api::article.article", schema: article as TypeSchema["schema"] }],
    reserved: reservedNames,
  };
  expect([
    apiIdProblem("singularName", { singularName, pluralName }, schemas),
    apiIdProblem("pluralName", { singularName, pluralName }, schemas),
  ]).toEqual([singular, plural]);
});

test("values that do not go together, broken patterns and values that are listed twice", () => {
  expect(wrongOptions({ type: "integer", min: 3, max: 2 }).max).toBe("The maximum is below the minimum");
  expect(wrongOptions({ type: "integer", min: 0.5, max: 9.5 })).toMatchObject({
    min: "Enter a whole number",
    max: "Enter a whole number",
  });
  expect(wrongOptions({ type: "decimal", min: 0.5, max: 9.5 })).toMatchObject({ min: undefined, max: undefined });
  expect(wrongOptions({ type: "biginteger", min: "9", max: "10" }).max).toBeUndefined();
  expect(wrongOptions({ type: "string", minLength: 3, maxLength: 2 }).maxLength).toBe(
    "The maximum is below the minimum",
  );
  expect(wrongOptions({ type: "string", regex: "(" }).regex).toBe("This is not a regular expression");
  expect(wrongOptions({ type: "enumeration", enum: ["a", "b", "a"] }).enum).toBe("a is listed twice");
  const letters = { type: "enumeration", enum: ["a", "b"] };
  expect(wrongOptions({ ...letters, default: "c" }).default).toBe("Choose one of the values, or none");
  expect([{ ...letters, default: "a" }, letters].map((attribute) => wrongOptions(attribute).default)).toEqual([
    undefined,
    undefined,
  ]);
});

test("what is missing: values, targets and components", () => {
  expect(missingOptions({ type: "enumeration", enum: [] }).enum).toBe("Enter at least one value");
  expect(missingOptions({ type: "relation", relation: "oneToOne" }).target).toBe("Choose a content-type");
  expect(missingOptions({ type: "relation", relation: "morphToMany" }).target).toBeUndefined();
  expect(missingOptions({ type: "component" }).component).toBe("Choose a component");
  expect(missingOptions({ type: "dynamiczone", components: [] }).components).toBe("Choose at least one component");
});

test.each([
  ["manyToMany", true, "an Article has many Tags; a Tag belongs to many Articles"],
  ["oneToMany", true, "an Article has many Tags; a Tag belongs to an Article"],
  ["manyToOne", false, "an Article has one Tag, which does not know of it"],
  ["morphToMany", false, undefined],
])("%s in words", (relation, isTwoWay, sentence) => {
  expect(relationSentence({ relation, source: "Article", target: "Tag", isTwoWay })).toBe(sentence);
});
