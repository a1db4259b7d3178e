/** Relations of published rows to documents that are not published, in queries of code that read both versions. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, componentFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...typeFile(
    "post",
    {
      title: { type: "string" },
      topic: { ...relation("manyToOne", "topic"), inversedBy: "posts" },
      zone: { type: "dynamiczone", components: ["part.link"] },
      items: { type: "relation", relation: "morphToMany" },
    },
    { draftAndPublish: true },
  ),
  ...typeFile(
    "topic",
    { name: { type: "string" }, posts: { ...relation("oneToMany", "post"), mappedBy: "topic" } },
    { draftAndPublish: true },
  ),
  ...componentFile("part.link", { to: relation("oneToOne", "topic") }),
  "src/index.js": "module.exports = { bootstrap({ strapi }) { strapi.log.debug(1); } };",
};

let app: TestApp;
let topic: string;
const strapi = (): Body => (globalThis as Body).strapi;
const posts = (params: object): Promise<Body> => strapi().db.query("api::post.post").findMany(params);
const published = { publishedAt: { $notNull: true } };

beforeAll(async () => {
  app = await testApp(files);
  topic = (
    await strapi()
      .documents("api::topic.topic")
      .create({ data: { name: "hidden" } })
  ).documentId;
  await strapi()
    .documents("api::post.post")
    .create({
      data: {
        title: "shown",
        topic,
        zone: [{ __component: "part.link", to: topic }],
        items: [{ __type: "api::topic.topic", documentId: topic }],
      },
      status: "published",
    });
});
afterAll(() => app.close());

test("a draft is not a relation of a published row", async () => {
  const populated = await posts({ where: published, populate: ["topic"] });
  expect(populated).toMatchObject([{ title: "shown", topic: null }]);
  const several = await posts({ where: published, populate: { topic: true, createdBy: true } });
  expect(several).toMatchObject([{ topic: null }]);
  expect(await posts({ where: { ...published, topic: { name: "hidden" } } })).toEqual([]);
  expect(await posts({ where: { ...published, topic: { id: { $notNull: true } } } })).toEqual([]);
});

test("nor of a component in it, nor one of several types", async () => {
  const populate = { zone: { on: { "part.link": { populate: ["to"] } } }, items: true };
  expect(await posts({ where: published, populate })).toMatchObject([{ zone: [{ to: null }], items: [] }]);
  expect(await posts({ where: { publishedAt: null }, populate })).toMatchObject([
    { zone: [{ to: { name: "hidden" } }], items: [{ name: "hidden" }] },
  ]);
});

test("the tables of links do not have them", async () => {
  const { connection } = strapi().db;
  const drafts = (await posts({ where: { publishedAt: null } })).map(({ id }: Body) => id);
  const links = await connection("posts_topic_lnk").pluck("post_id");
  expect(links).toEqual(drafts);
  const items = await connection("posts_items_mph");
  expect(items).toMatchObject([{ post_id: drafts[0], items_type: "api::topic.topic", order: 1 }]);
  expect(await connection("components_part_link_to_lnk")).toHaveLength(1);
});

test("nor is the published row one of the draft", async () => {
  const [draft] = await strapi()
    .db.query("api::topic.topic")
    .findMany({ populate: ["posts"] });
  expect(draft.posts).toMatchObject([{ title: "shown", publishedAt: null }]);
});

test("drafts keep theirs", async () => {
  expect(await posts({ where: { publishedAt: null }, populate: ["topic"] })).toMatchObject([
    { topic: { name: "hidden" } },
  ]);
  expect(await posts({ where: { topic: { name: "hidden" } } })).toMatchObject([{ publishedAt: null }]);
});

test("sorting by the relation does not reveal it", async () => {
  await strapi()
    .documents("api::post.post")
    .create({ data: { title: "other" }, status: "published" });
  const sorted = await posts({ where: published, orderBy: [{ topic: { name: "desc" } }, { title: "asc" }] });
  expect(sorted.map(({ title }: Body) => title)).toEqual(["other", "shown"]);
});

test("once the document is published, it is a relation of the published row", async () => {
  await strapi().documents("api::topic.topic").publish({ documentId: topic });
  const [post] = await posts({ where: { ...published, title: "shown" }, populate: ["topic"] });
  expect(post.topic).toMatchObject({ name: "hidden", publishedAt: expect.any(String) });
});

test("components at any depth are followed, in a statement that does not grow with the paths through them", async () => {
  const DEPTH = 16;
  const held = (level: number) => ({ type: "component", component: `part.level${level}` });
  const levels = Array.from({ length: DEPTH }, (_, level) =>
    componentFile(
      `part.level${level}`,
      level === DEPTH - 1 ? { to: relation("oneToOne", "tag") } : { left: held(level + 1), right: held(level + 1) },
    ),
  );
  const nested = await testApp({
    ...Object.assign({}, ...levels),
    ...typeFile("tag", { name: { type: "string" } }, { draftAndPublish: true }),
    ...typeFile("page", { root: held(0) }, { draftAndPublish: true }),
    "src/index.js": files["src/index.js"],
  });
  try {
    const tag = await strapi()
      .documents("api::tag.tag")
      .create({ data: { name: "hidden" } });
    let root: Body = { to: tag.documentId };
    let populate: Body = { to: true };
    for (let level = DEPTH - 1; level > 0; level--) {
      root = { [level % 2 ? "left" : "right"]: root };
      populate = { [level % 2 ? "left" : "right"]: { populate } };
    }
    await strapi().documents("api::page.page").create({ data: { root }, status: "published" });
    const found = await strapi()
      .db.query("api::page.page")
      .findMany({ populate: { root: { populate } }, orderBy: { publishedAt: "asc" } });
    const innermost = (value: Body): Body =>
      (value.left ?? value.right) ? innermost(value.left ?? value.right) : value;
    expect(found.map(({ root }: Body) => innermost(root).to?.name ?? null)).toEqual(["hidden", null]);
  } finally {
    await nested.close();
  }
});
