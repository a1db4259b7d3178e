import { defineCollection } from "astro:content";
import { strapiLoader } from "galley-cms/astro";

export const collections = {
  articles: defineCollection({
    loader: strapiLoader({ type: "api::article.article", path: "articles", populate: { author: true } }),
  }),
};
