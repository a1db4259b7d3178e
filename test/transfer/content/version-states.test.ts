/** The shorter form of files: what it leaves out, and that it loses nothing. */
import { expect, test } from "bun:test";
import { contentType } from "../../../src/engine/schema/model.ts";
import { fileOfStates, type LocaleState, localeStates } from "../../../src/transfer/content/version-states.ts";
import { Random } from "../../random.ts";
import { Content } from "./fixture.ts";

await using content = new Content();
const article = content.type("article");
const tag = contentType(content.project.model, "api::tag.tag");

const random = new Random(20);
const time = (): string => random.pick(["2024-01-01", "2024-01-02", "2024-01-03"]);
const attributes = () => ({
  ...(random.chance(0.8) ? { title: random.pick(["a", "b"]) } : {}),
  ...(random.chance(0.8) ? { price: random.pick([0, 1, 2]) } : {}),
  ...(random.chance(0.5) ? { tags: random.pick([["tags/a"], ["tags/b", "tags/a"]]) } : {}),
  ...(random.chance(0.5) ? { seo: random.pick([{}, { metaTitle: "" }]) } : {}),
});
const times = (isPublished: boolean) => ({
  createdAt: time(),
  updatedAt: time(),
  publishedAt: isPublished ? time() : undefined,
});

const stateIn = (locale: string): LocaleState => ({
  locale,
  draft: attributes(),
  draftTimes: times(false),
  ...(random.chance(0.6)
    ? { published: attributes(), publishedTimes: times(true) }
    : { published: undefined, publishedTimes: undefined }),
});

test("2,000 random documents are the same after their files", () => {
  for (let count = 0; count < 2_000; count++) {
    const locales = ["en", "de", "fr"].filter(() => random.chance(0.7));
    const states = (locales.length === 0 ? ["fr"] : locales).map(stateIn);
    const file = fileOfStates(article, "id", states, "en");
    expect(file).toEqual(fileOfStates(article, "id", states.toReversed(), "en"));
    expect(localeStates(article, file, "en").toSorted((a, b) => (a.locale! < b.locale! ? -1 : 1))).toEqual(
      states.toSorted((a, b) => (a.locale! < b.locale! ? -1 : 1)),
    );
  }
});

test("a document of a type without drafts and locales is the same after its file", () => {
  for (let count = 0; count < 100; count++) {
    const base = { locale: null, draft: { title: "t" }, published: undefined, publishedTimes: undefined };
    const states: LocaleState[] = [{ ...base, draftTimes: times(true) }];
    expect(localeStates(tag, fileOfStates(tag, "id", states, "en"), "en")).toEqual(states);
  }
});

test("times that are left out follow from others", () => {
  expect(localeStates(tag, { $createdAt: "1" }, "en")[0]!.draftTimes).toEqual({
    createdAt: "1",
    updatedAt: "1",
    publishedAt: "1",
  });
  const [state] = localeStates(article, { $createdAt: "1", $updatedAt: "3", $published: { $updatedAt: "2" } }, "en");
  expect(state!.draftTimes).toEqual({ createdAt: "1", updatedAt: "3", publishedAt: undefined });
  expect(state!.publishedTimes).toEqual({ createdAt: "1", updatedAt: "2", publishedAt: "2" });
  expect(localeStates(article, { title: "by hand", $published: true }, "en")[0]!.publishedTimes).toEqual({
    createdAt: undefined,
    updatedAt: undefined,
    publishedAt: undefined,
  });
});

test("keys of objects in another order are another value", () => {
  const state = { locale: "en", draftTimes: times(false), publishedTimes: times(true) };
  const states = [{ ...state, draft: { seo: { a: 1, b: 2 } }, published: { seo: { b: 2, a: 1 } } }];
  const [read] = localeStates(article, fileOfStates(article, "id", states, "en"), "en");
  expect(JSON.stringify(read!.published)).toBe('{"seo":{"b":2,"a":1}}');
});
