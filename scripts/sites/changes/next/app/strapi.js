import { createReader } from "galley-cms/next";
import { cacheLife, cacheTag } from "next/cache";

const articles = createReader({ type: "api::article.article", path: "articles" });

async function read(params) {
  const { data, tags } = await articles.find(params, { cache: "none" });
  cacheLife("max");
  cacheTag(...tags);
  return data;
}

export async function article(slug) {
  "use cache";
  const [found] = await read({ filters: { slug }, populate: { author: true } });
  return found;
}

export async function newest() {
  "use cache";
  return read({ sort: "slug", fields: ["slug", "title"], pagination: { pageSize: 20 } });
}
