/** Pages of a relation are the same whether they are sliced in memory or by the database. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../../src/index.ts";
import { asker, readData } from "../../api/graphql/ask.ts";
import { CONFORMANCE } from "../../project.ts";

/** Lengths that are sliced in memory, and by the database. */
const lengths = { short: 7, long: 1100 };
type Length = keyof typeof lengths;

let galley: Galley;
beforeAll(async () => {
  galley = await createGalley({ project: CONFORMANCE });
  const tags: string[] = [];
  for (let i = 0; i < lengths.long; i++) {
    const { documentId } = await galley.documents("api::tag.tag").create({ data: { label: `t${i}` } });
    tags.push(documentId as string);
  }
  for (const length of Object.keys(lengths) as Length[]) {
    const data = { title: length, slug: length, tags: tags.slice(0, lengths[length]) };
    await galley.documents("api::article.article").create({ data, status: "published" });
  }
});
afterAll(() => galley.close());

const labels = (from: number, to: number): object[] =>
  Array.from({ length: to - from }, (_, i) => ({ label: `t${from + i}` }));

const pages: readonly (readonly [pagination: string, start: number, count: number])[] = [
  ["start: 0, limit: 3", 0, 3],
  ["start: 2, limit: 3", 2, 3],
  ["start: 5, limit: 3", 5, 3],
  ["start: 7, limit: 3", 7, 3],
  ["page: 2, pageSize: 4", 4, 4],
];

describe.each(Object.keys(lengths) as Length[])("a %s relation", (length) => {
  test.each(pages)("%s", async (pagination, start, count) => {
    const ask = asker(galley);
    const query = `{ articles(filters: {slug: {eq: "${length}"}}) { title tags(pagination: {${pagination}}) { label } } }`;
    const end = Math.min(lengths[length], start + count);
    // links are prefetched from the second read on
    for (let time = 0; time < 3; time++) {
      expect(await readData(ask(`${query} # ${time}`))).toEqual({
        articles: [{ title: length, tags: labels(start, Math.max(start, end)) }],
      });
    }
  });

  test("reads two pages in one request", async () => {
    const page = (start: number) => `tags(pagination: {start: ${start}, limit: 2}) { label }`;
    const query = `{ articles(filters: {slug: {eq: "${length}"}}) { first: ${page(0)} second: ${page(2)} } }`;
    for (let time = 0; time < 3; time++) {
      expect(await readData(asker(galley)(`${query} # ${time}`))).toEqual({
        articles: [{ first: labels(0, 2), second: labels(2, 4) }],
      });
    }
  });
});
