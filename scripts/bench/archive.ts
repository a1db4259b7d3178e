/** An archive of articles with tags, of any size: it is written as it is made. */
import { join } from "node:path";
import { ProjectReport } from "../../src/lib/errors.ts";
import { createModel, readSource } from "../../src/server/project/project-source.ts";
import { writeArchive as write } from "../../src/transfer/export/archive-writer.ts";
import { schemaRows } from "../../src/transfer/export/schemas.ts";

/** The project whose types the archive has. */
export const SCHEMAS = join(import.meta.dir, "../../test/conformance/project");
const TIME = "2026-01-01T00:00:00.000Z";
const TAGS_PER_ARTICLE = 2;
const ARTICLES_PER_TAG = 10;

/** Of an article (`a`) or a tag (`t`). */
export const idOf = (prefix: string, number: number): string => prefix + String(number).padStart(23, "0");

function* entities(articles: number) {
  const times = { createdAt: TIME, updatedAt: TIME };
  for (let id = 1; id <= articles / ARTICLES_PER_TAG; id++) {
    const data = { documentId: idOf("t", id), label: `tag ${id}`, ...times, publishedAt: TIME, locale: null };
    yield { type: "api::tag.tag", id, data };
  }
  for (let row = 1; row <= articles * 2; row++) {
    const number = Math.ceil(row / 2);
    const texts = { title: `Title of ${number}`, slug: `title-${number}`, excerpt: "some text ".repeat(10) };
    const values = { body: "lorem ipsum ".repeat(40), kind: "news", views: number, rating: 4.5, metadata: { a: 1 } };
    const publishedAt = row % 2 === 0 ? TIME : null;
    const data = { documentId: idOf("a", number), ...texts, ...values, ...times, publishedAt, locale: "en" };
    yield { type: "api::article.article", id: row, data };
  }
}

function* links(articles: number) {
  const tags = Math.floor(articles / ARTICLES_PER_TAG);
  for (let ref = 1; ref <= articles * 2; ref++)
    for (let pos = 1; pos <= TAGS_PER_ARTICLE; pos++) {
      const tag = ((Math.ceil(ref / 2) * 7 + pos) % tags) + 1;
      const left = { type: "api::article.article", field: "tags", ref, pos };
      const right = { type: "api::tag.tag", ref: tag, field: "articles", pos: ref };
      yield { kind: "relation.basic", relation: "manyToMany", left, right };
    }
}

/** Each article is there as a draft and published. */
export async function writeArchive(file: string, articles: number): Promise<void> {
  const source = readSource(SCHEMAS, {}, new ProjectReport());
  const [rows, linkCount] = await write({ file }, async (writer) => {
    await writer.rows("schemas", schemaRows(source.schema, createModel(source)));
    const counts = [await writer.rows("entities", entities(articles)), await writer.rows("links", links(articles))];
    await writer.text("metadata.json", JSON.stringify({ createdAt: TIME, strapi: { version: "5.54.0" } }));
    return counts;
  });
  console.log(`${articles} documents: ${rows} rows, ${linkCount} links`);
}
