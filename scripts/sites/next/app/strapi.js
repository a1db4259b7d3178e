import { strapi } from "@strapi/client";

const { STRAPI_URL, STRAPI_TOKEN } = process.env;
const client = strapi({ baseURL: `${STRAPI_URL}/api`, auth: STRAPI_TOKEN });

export async function articles() {
  const populate = { author: true, category: true, tags: { sort: "name" }, cover: true };
  const { data } = await client.collection("articles").find({ sort: "date:desc", populate });
  return data;
}

export const fileName = ({ url }) => url.split("/").at(-1);
export const file = (name) => fetch(`${STRAPI_URL}/uploads/${name}`);
