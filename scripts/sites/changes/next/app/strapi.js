import { createReader } from "galley-cms/next";
import { cacheLife, cacheTag } from "next/cache";

const articles = createReader({ type: "api::article.article", path: "articles", populate: { author: true } });
const writers = createReader({ type: "api::author.author", path: "authors" });

async function read(reader, params) {
  const { data, tags } = await reader.find(params, { cache: "none" });
  cacheLife("max");
  cacheTag(...tags);
  return data;
}

export async function article(slug) {
  "use cache";
  const [found] = await read(articles, { filters: { slug } });
  return found;
}

/** All of them: where a list ends within a page, every new document may come in. */
export async function authors() {
  "use cache";
  return read(writers, { sort: "name", pagination: { pageSize: 100 } });
}
