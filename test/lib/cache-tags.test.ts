/** Which tags a response is given, in how many bytes, and in which headers. */
import { expect, test } from "bun:test";
import { CacheTags, Tags } from "../../src/lib/cache-tags.ts";

const series = (names: readonly string[], end = "") => ({ group: "article", start: "article:", names, end });
const written = (tags: Tags, bytes: number): string | undefined =>
  CacheTags.create({ cacheTags: { headers: ["Cache-Tag"], bytes } })?.headersFor(tags)?.["Cache-Tag"];

function createTags(): Tags {
  const tags = new Tags(["all", "access"]);
  tags.add("article", "article:list");
  tags.addSeries(series(["a", "b"]));
  tags.add("author", "author.name");
  return tags;
}

test("each once, also of documents that are shown at several places", () => {
  const tags = createTags();
  tags.add("author", "author.name");
  tags.addSeries(series(["b", "c"]));
  tags.addSeries(series(["c", "d"]));
  tags.addSeries(series(["a"], ":links"));
  const names = written(tags, 1_000)!.split(",");
  expect(names.toSorted()).toEqual(
    ["access", "all", "article:a", "article:a:links", "article:b", "article:c", "article:d", "article:list"].concat(
      "author.name",
    ),
  );
});

test("the longest groups are named instead, as many as need be, and none if their names are too long", () => {
  const all = "all,access,article:list,author.name,article:a,article:b";
  expect(written(createTags(), all.length)).toBe(all);
  const short = "all,access,article,author.name";
  expect(written(createTags(), all.length - 1)).toBe(short);
  expect(written(createTags(), short.length)).toBe(short);
  const shortest = "all,access,article,author";
  expect(written(createTags(), short.length - 1)).toBe(shortest);
  expect(written(createTags(), shortest.length)).toBe(shortest);
  expect(written(createTags(), shortest.length - 1)).toBeUndefined();
});

test("headers share the bytes, and have separators of their own", () => {
  const headers = { "Cache-Tag": "all,access,article,author", "Surrogate-Key": "all access article author" };
  expect(CacheTags.create({ cacheTags: { bytes: 55 } })?.headersFor(createTags())).toEqual(headers);
});

test("nothing is said of what has no tags", () => {
  expect(written(new Tags(["all"]), 1_000)).toBeUndefined();
  const tags = createTags();
  tags.giveUp();
  expect(written(tags, 1_000)).toBeUndefined();
});
