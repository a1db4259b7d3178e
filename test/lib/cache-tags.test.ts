/** Which tags a response is given, in how many bytes, and in which headers. */
import { expect, test } from "bun:test";
import { CacheTags, inTag, Tags } from "../../src/lib/cache-tags.ts";

const addSeries = (tags: Tags, names: readonly string[], end = "", start = "article:"): void => {
  const [group] = start.split(":");
  tags.addSeries(group!, { start, ids: names, end });
};

const createTags = (characters?: number): Tags => addTo(new Tags("all,access", characters));

function addTo(tags: Tags): Tags {
  tags.add("article", "article:list");
  addSeries(tags, ["a", "b"]);
  tags.add("author", "author.name");
  return tags;
}

test("each once, also of documents that are shown at several places", () => {
  const tags = createTags();
  tags.add("author", "author.name");
  addSeries(tags, ["b", "c"]);
  addSeries(tags, ["c", "d"]);
  addSeries(tags, ["a"], ":links");
  const names = tags.write()!.split(",");
  expect(names.toSorted()).toEqual(
    ["access", "all", "article:a", "article:a:links", "article:b", "article:c", "article:d", "article:list"].concat(
      "author.name",
    ),
  );
});

test("the longest groups are named instead, as many as need be, and none if their names are too long", () => {
  const all = "all,access,article:list,author.name,article:a,article:b";
  expect(createTags(all.length).write()).toBe(all);
  const short = "all,access,article,author.name";
  expect(createTags(all.length - 1).write()).toBe(short);
  expect(createTags(short.length).write()).toBe(short);
  const shortest = "all,access,article,author";
  expect(createTags(short.length - 1).write()).toBe(shortest);
  expect(createTags(shortest.length).write()).toBe(shortest);
  expect(createTags(shortest.length - 1).write()).toBeUndefined();
});

test("names may be longer than the first", () => {
  const tags = new Tags("all", 30);
  const text = "all,article:a,article:of-a-few";
  addSeries(tags, ["a", "of-a-few"]);
  expect(tags.write()).toBe(text);
  addSeries(tags, ["b", "longer-than-the-first"], "", "tag:");
  expect(tags.write()).toBe("all,article,tag");
});

test("headers share the bytes, and have separators of their own", () => {
  const headers = { "Cache-Tag": "all,access,article,author", "Surrogate-Key": "all access article author" };
  const cacheTags = CacheTags.create({ cacheTags: { bytes: 55 } })!;
  expect(cacheTags.headersFor(addTo(cacheTags.collect("all,access")))).toEqual(headers);
});

test("a group is named at once where one series of it is too long", () => {
  const tags = createTags(45);
  addSeries(tags, ["a", "b", "c", "d", "e"], "", "author:");
  addSeries(tags, ["a"], "", "author:");
  expect(tags.write()).toBe("all,access,article,author");
});

test("nothing is said of what has no tags", () => {
  expect(new Tags("all").write()).toBeUndefined();
  const tags = createTags();
  tags.giveUp();
  expect(tags.write()).toBeUndefined();
});

test("other characters than those of ids are encoded, and long ids hashed", () => {
  const tags = new Tags("all");
  const odd = ["a,b", "é.ü", "\n", "\ud800", "a:b=c~", "", "x".repeat(64)];
  addSeries(tags, [...odd, "x".repeat(65), "é".repeat(30)]);
  const names = tags.write()!.split(",").slice(1);
  const encoded = ["a%2Cb", "%C3%A9%2E%C3%BC", "%0A", "%EF%BF%BD", "a%3Ab%3Dc~", "", "x".repeat(64)];
  expect(names.slice(0, odd.length)).toEqual(encoded.map((id) => `article:${id}`));
  expect(names).toEqual([...odd, "x".repeat(65), "é".repeat(30)].map((id) => `article:${inTag(id)}`));
  for (const name of names.slice(odd.length)) expect(name).toMatch(/^article:[0-9a-z]{8,16}$/);
});
