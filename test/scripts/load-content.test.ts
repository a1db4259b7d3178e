/** A folder of texts and pictures, loaded by the script into a served blog as a user would do it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killServers, startServer } from "../engine/media/process.ts";
import type { Body } from "../project.ts";
import { ARTICLE, runLoader, TOKEN, writeBlog } from "./blog.ts";

const root = mkdtempSync(join(tmpdir(), "galley-blog-"));
let data = "";
let url = "";
const runs: Awaited<ReturnType<typeof runLoader>>[] = [];

async function get(path: string): Promise<Body> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(response.status).toBe(200);
  return response.json();
}

beforeAll(async () => {
  const blog = await writeBlog(root);
  data = blog.data;
  url = (await startServer(blog.project)).url;
  runs.push(await runLoader(data, "--url", url, "--token", TOKEN));
});

afterAll(async () => {
  await killServers();
  rmSync(root, { recursive: true, force: true });
});

/** Names, sizes and widths and heights of formats. */
const sizesOf = ({ name, width, height, formats }: Body): Body => ({
  name,
  size: [width, height],
  formats: formats && Object.fromEntries(Object.entries<Body>(formats).map(([key, f]) => [key, [f.width, f.height]])),
});

const MEADOW = { name: "meadow.jpg", size: [600, 400], formats: { thumbnail: [234, 156], small: [500, 333] } };
const ADA = { name: "ada@field-notes.example.jpg", size: [200, 200], formats: { thumbnail: [156, 156] } };

describe("content loaded by the script", () => {
  test("is told in numbers", () => {
    expect(runs[0]).toEqual({
      code: 0,
      out: "files: 5 uploaded, 0 there already\ndocuments: 7 made, 0 there already\n",
      err: "",
    });
  });

  test("has an article with its author, category, cover and blocks", async () => {
    const { data: articles } = await get(ARTICLE);
    expect(articles).toHaveLength(1);
    const [{ title, publishedAt, author, category, cover, blocks }] = articles;
    expect([title, author.name, category.slug]).toEqual(["Ferns after rain", "Ada Fern", "woods"]);
    expect(publishedAt).toBeString();
    expect(sizesOf(author.avatar)).toEqual(ADA);
    expect(sizesOf(cover)).toEqual({
      name: "ferns-after-rain.jpg",
      size: [1200, 800],
      formats: { thumbnail: [234, 156], large: [1000, 667], medium: [750, 500], small: [500, 333] },
    });
    const [text, quote, media, slider, ...more] = blocks;
    expect(text).toMatchObject({ __component: "shared.rich-text", body: "## Monday\n\nThe first **fronds** are out." });
    expect(quote).toMatchObject({ __component: "shared.quote", title: "A passer-by" });
    expect([media.__component, sizesOf(media.file)]).toEqual(["shared.media", MEADOW]);
    expect([slider.__component, slider.files.map(sizesOf)]).toEqual(["shared.slider", [MEADOW, ADA]]);
    expect(more).toEqual([]);
  });

  test("has pictures that are served in every format", async () => {
    const { data: articles } = await get(ARTICLE);
    const { cover } = articles[0];
    const files: Body[] = [cover, ...Object.values(cover.formats)];
    expect(files).toHaveLength(5);
    for (const file of files) {
      const response = await fetch(url + file.url);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
      const bytes = await response.bytes();
      const { width, height } = await new Bun.Image(bytes).metadata();
      expect([width, height]).toEqual([file.width, file.height]);
      if (file !== cover) expect(bytes.length).toBe(file.sizeInBytes);
    }
  });

  test("has single types with media in their components and zones", async () => {
    const { data: global } = await get("/api/global?populate[favicon]=true&populate[defaultSeo][populate]=shareImage");
    expect(global.siteName).toBe("Field Notes");
    expect(sizesOf(global.favicon)).toEqual({ name: "favicon.png", size: [64, 64], formats: null });
    expect(global.defaultSeo.metaTitle).toBe("Field Notes");
    expect(global.defaultSeo.shareImage.name).toBe("default-image.png");
    const { data: about } = await get("/api/about?populate[blocks][populate]=*");
    expect(about.blocks.map((block: Body) => block.__component)).toEqual(["shared.quote", "shared.media"]);
    expect(sizesOf(about.blocks[1].file)).toEqual(MEADOW);
  });

  test("is uploaded once, however often a picture is used, and shown where the data names it", async () => {
    const files: Body[] = await get("/api/upload/files?sort=name");
    expect(files.map(({ name }) => name)).toEqual([
      "ada@field-notes.example.jpg",
      "default-image.png",
      "favicon.png",
      "ferns-after-rain.jpg",
      "meadow.jpg",
    ]);
    const { data: moss } = await get("/api/articles?filters[slug]=a-wall-of-moss&populate=*");
    expect([moss[0].cover.name, moss[0].category.slug, moss[0].blocks]).toEqual(["meadow.jpg", "walls", []]);
  });

  test("does not change when it is loaded again", async () => {
    const paths = [
      "/api/upload/files?sort=id",
      ...["global", "about", "articles", "authors", "categories"].map((name) => `/api/${name}?populate=*`),
    ];
    const before = await Promise.all(paths.map(get));
    expect(await runLoader(data, "--url", url, "--token", TOKEN)).toEqual({
      code: 0,
      out: "files: 0 uploaded, 5 there already\ndocuments: 0 made, 7 there already\n",
      err: "",
    });
    expect(await Promise.all(paths.map(get))).toEqual(before);
  });
});

describe("the loader refuses", () => {
  const fixture = (): Body => JSON.parse(readFileSync(join(data, "data.json"), "utf8"));
  let changes = 0;

  /** Runs the loader over the blog's data after a change, without pictures. */
  async function loadChanged(change: (content: Body) => void) {
    const folder = join(root, `changed-${++changes}`);
    const content = fixture();
    for (const key of ["global", "about", "articles"]) delete content[key];
    delete content.authors[0].avatar;
    change(content);
    await Bun.write(join(folder, "data.json"), JSON.stringify(content));
    return runLoader(folder, "--url", url, "--token", TOKEN);
  }

  const cases: readonly (readonly [name: string, change: (content: Body) => void, message: string])[] = [
    [
      "a picture that is not in uploads",
      ({ authors }) => (authors[0].avatar = "nobody.jpg"),
      'authors[0].avatar: there is no file "nobody.jpg" in uploads\n',
    ],
    [
      "a picture in a block that is not in uploads",
      (content) => (content.about = { title: "x", blocks: [{ __component: "shared.slider", files: ["gone.png"] }] }),
      'about.blocks[0].files[0]: there is no file "gone.png" in uploads\n',
    ],
    [
      "a document that the server refuses, with its message",
      (content) => (content.articles = [{ title: "Long", slug: "long", description: "x".repeat(81) }]),
      "articles[0]: POST /api/articles answered 400: description must be at most 80 characters",
    ],
    [
      "a relation to a document that is not there",
      (content) => (content.articles = [{ title: "Lost", slug: "lost", author: { id: 2 } }]),
      "articles[0].author: there is no document 2, there are 1 of api::author.author\n",
    ],
    [
      "documents that lead to each other",
      (content) => {
        content.articles = [{ title: "Round", slug: "round", category: { id: 3 } }];
        content.categories.push({ name: "round", slug: "round", articles: [{ id: 1 }] });
      },
      "leads to itself; leave one side of the relation out\n",
    ],
    [
      "two documents that it cannot tell from each other",
      ({ categories }) => categories.push({ name: "other woods", slug: "woods" }),
      "categories[2] cannot be told from categories[1]\n",
    ],
    ["a component that does not exist", (content) => (content.about = { blocks: [{ __component: "a.b" }] }), '"a.b"'],
    ["a type that does not exist", (content) => (content.posts = []), '"posts" is not a content-type of this server'],
  ];
  test.each(cases)("%s", async (_, change, message) => {
    const before = await get("/api/articles?pagination[pageSize]=1");
    const { code, out, err } = await loadChanged(change);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(message);
    expect(err).not.toContain("    at ");
    expect(await get("/api/articles?pagination[pageSize]=1")).toEqual(before);
  });

  test("a key that may not write, a wrong key, no server, and wrong arguments", async () => {
    const other = join(root, "other");
    await Bun.write(join(other, "data.json"), JSON.stringify({ categories: [{ name: "new", slug: "new" }] }));
    const wrong: readonly (readonly [args: string[], message: string])[] = [
      [[other, "--url", url, "--token", "blog-reader"], "categories[0]: POST /api/categories answered 403: Forbidden"],
      [[other, "--url", url, "--token", "guess"], "answered 401: Missing or invalid credentials"],
      [[other, "--url", url, "--token", "-guess"], "answered 401: Missing or invalid credentials"],
      [[other, "--url", "http://127.0.0.1:1", "--token", TOKEN], "http://127.0.0.1:1 cannot be reached"],
      [[other, "--url", "nowhere", "--token", TOKEN], '--url must be an address, not "nowhere"'],
      [[other, "--url", url], "usage: bun scripts/load-content.ts"],
      [[other, "--token"], "usage: bun scripts/load-content.ts"],
      [[other, "--nope"], "Unknown option '--nope'"],
      [[join(root, "nothing"), "--url", url, "--token", TOKEN], "there is no "],
    ];
    for (const [args, message] of wrong) {
      const { code, err } = await runLoader(...args);
      expect([code, err]).toEqual([1, expect.stringContaining(message)]);
      expect(err).not.toContain("    at ");
    }
  });
});
