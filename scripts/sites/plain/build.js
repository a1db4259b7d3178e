/** A site without a framework: `@strapi/client`, and a template for each kind of page. */
import { mkdirSync, writeFileSync } from "node:fs";
import { strapi } from "@strapi/client";

const { STRAPI_URL, STRAPI_TOKEN } = process.env;
const client = strapi({ baseURL: `${STRAPI_URL}/api`, auth: STRAPI_TOKEN });

const escaped = (text) => String(text ?? "").replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const page = (title, body) => `<!doctype html><title>${escaped(title)}</title>\n${body.filter(Boolean).join("\n")}\n`;
const textOf = (node) => node.text ?? (node.children ?? []).map(textOf).join("");
const blocks = (nodes) =>
  (nodes ?? []).map((node) => `<p class="${node.type}">${escaped(textOf(node))}</p>`).join("\n");

/** Writes a file of the media library; returns its path in the site. */
async function picture({ url, alternativeText }) {
  const response = await fetch(new URL(url, STRAPI_URL));
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const path = `pictures/${url.split("/").at(-1)}`;
  writeFileSync(`dist/${path}`, Buffer.from(await response.arrayBuffer()));
  return `<img src="/${path}" alt="${escaped(alternativeText)}">`;
}

/** Every entry, page by page. */
async function all(name, params) {
  const entries = [];
  for (let number = 1; ; number++) {
    const { data, meta } = await client.collection(name).find({ ...params, pagination: { page: number, pageSize: 4 } });
    entries.push(...data);
    if (number >= meta.pagination.pageCount) return entries;
  }
}

for (const folder of ["articles", "pages", "pictures"]) mkdirSync(`dist/${folder}`, { recursive: true });

const { data: site } = await client.single("site").find({ populate: "*" });
const { data: homepage } = await client.single("homepage").find({ populate: "*" });
const articles = await all("articles", {
  sort: "date:desc",
  populate: {
    author: { populate: "*" },
    category: true,
    tags: { sort: "name" },
    cover: true,
    extras: { populate: "*" },
  },
});
const pages = await all("pages", { sort: "slug", populate: { sections: { populate: "*" } } });

const ROW_KEYS = new Set(["id", "documentId", "createdAt", "updatedAt", "publishedAt"]);

/** Without what every import makes anew, and with keys in one order. */
const plain = (value) =>
  JSON.stringify(value, (_key, inner) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([key]) => !ROW_KEYS.has(key))
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        )
      : inner,
  );

for (const article of articles)
  writeFileSync(
    `dist/articles/${article.slug}.html`,
    page(article.title, [
      `<h1>${escaped(article.title)}</h1>`,
      `<p>${escaped(article.author?.name)}, ${article.date}, ${escaped(article.category?.name)}</p>`,
      article.cover && (await picture(article.cover)),
      article.author?.portrait && (await picture(article.author.portrait)),
      blocks(article.body),
      `<ul>${article.tags.map(({ name }) => `<li>${escaped(name)}</li>`).join("")}</ul>`,
      `<pre>${escaped(plain(article.extras))}</pre>`,
    ]),
  );
for (const { slug, title, content, sections } of pages)
  writeFileSync(
    `dist/pages/${slug}.html`,
    page(title, [`<pre>${escaped(content)}</pre>`, `<pre>${escaped(plain(sections))}</pre>`]),
  );
const links = articles.map(
  ({ slug, title, summary }) => `<li><a href="/articles/${slug}.html">${escaped(title)}</a> ${escaped(summary)}</li>`,
);
writeFileSync(
  "dist/index.html",
  page(site.name ?? "Site", [`<pre>${escaped(plain(site))}</pre>`, `<pre>${escaped(plain(homepage))}</pre>`, ...links]),
);
console.log(`${articles.length} articles, ${pages.length} pages`);
