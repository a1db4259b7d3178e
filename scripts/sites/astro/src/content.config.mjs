import { defineCollection } from "astro:content";
import { strapiLoader } from "strapi-community-astro-loader";

const clientConfig = { baseURL: `${process.env.STRAPI_URL}/api`, auth: process.env.STRAPI_TOKEN };

export const collections = {
  articles: defineCollection({
    loader: strapiLoader({
      contentType: "article",
      clientConfig,
      pageSize: 4,
      params: { populate: { author: true, category: true, tags: { sort: "name" }, cover: true } },
    }),
  }),
};
