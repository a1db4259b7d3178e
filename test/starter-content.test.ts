/** What the starter's content files are loaded as. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { loadContent } from "../src/server/load-content.ts";
import { asker, openInMemory } from "./transfer/content/earlier/fixture.ts";

const STARTER = join(import.meta.dir, "../data/starter");

type Json = Record<string, unknown>;

describe("the starter's content", () => {
  const opened = (async () => {
    const project = openInMemory(STARTER);
    const content = await loadContent(project, { memory: true });
    return { project, content, ask: asker(project) };
  })();

  test("is loaded whole: as many documents and files as its content files have", async () => {
    const { content } = await opened;
    expect(Object.fromEntries(content?.documents ?? [])).toEqual({
      "api::article.article": 12,
      "api::author.author": 4,
      "api::category.category": 5,
      "api::homepage.homepage": 1,
      "api::issue.issue": 3,
      "api::page.page": 3,
      "api::site.site": 1,
      "api::tag.tag": 12,
    });
    expect(content?.files).toBe(12);
  });

  test.each([
    ["articles", 10],
    ["articles?status=draft", 12],
    ["articles?locale=fr", 4],
    ["issues", 2],
    ["issues?status=draft", 3],
    ["pages", 3],
    ["authors", 4],
  ])("%s are %i", async (path, total) => {
    const { ask } = await opened;
    expect((await ask(path)).meta.pagination.total).toBe(total);
  });

  test("an article is answered with everything that it is joined to", async () => {
    const { ask } = await opened;
    const { data } = await ask(
      "articles?filters[slug]=bread-for-people-who-are-late&populate[author][fields]=name&populate[category][fields]=slug" +
        "&populate[tags][fields]=slug&populate[issue][fields]=number&populate[related][fields]=slug&populate[cover][fields]=alternativeText" +
        "&populate[extras][on][magazine.recipe][populate]=*&populate[extras][on][magazine.author-note][populate][author][fields]=name",
    );
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      title: "Bread for People Who Are Late",
      kind: "recipe",
      author: { name: "Tomás Ferreira" },
      category: { slug: "kitchen" },
      tags: [{ slug: "bread" }, { slug: "patience" }, { slug: "hands" }],
      issue: { number: 1 },
      related: [{ slug: "soup-in-the-order-it-happens" }],
      cover: { alternativeText: expect.stringContaining("Bowls seen from above") },
      extras: [
        {
          __component: "magazine.recipe",
          serves: 6,
          ingredients: expect.arrayContaining([expect.objectContaining({ amount: "9 g", item: "salt" })]),
        },
        { __component: "magazine.author-note", author: { name: "Mara Lindqvist" } },
      ],
    });
  });

  test("a localization has its own texts and links, and shares what is not localized", async () => {
    const { ask } = await opened;
    const { data } = await ask(
      "articles?locale=fr&filters[slug]=la-chaise-qui-prit-tout-un-hiver&populate[author][fields]=name&populate[cover][fields]=name" +
        "&populate[related][fields]=slug,locale&populate[localizations][fields]=slug",
    );
    expect(data).toMatchObject([
      {
        title: "La chaise qui prit tout un hiver",
        date: "2025-03-20",
        author: { name: "Mara Lindqvist" },
        cover: { name: "workshop.jpg" },
        related: [{ slug: "l-horloge-de-la-mairie-a-quatre-minutes-de-retard", locale: "fr" }],
        localizations: [{ slug: "the-chair-that-took-a-winter" }],
      },
    ]);
  });

  test("a draft shows only among drafts, in its draft issue", async () => {
    const { ask } = await opened;
    const path = "articles?filters[slug]=seeing-in-the-dark-slowly&populate[issue][fields]=number";
    expect((await ask(path)).data).toEqual([]);
    expect((await ask(`${path}&status=draft`)).data).toMatchObject([{ publishedAt: null, issue: { number: 3 } }]);
  });

  test("published entries lead to published entries", async () => {
    const { ask } = await opened;
    const { data } = await ask("articles?populate[related][fields]=publishedAt&populate[issue][fields]=publishedAt");
    const targets = data.flatMap(({ related, issue }) => [...(related as Json[]), issue as Json]);
    expect(targets.length).toBeGreaterThan(15);
    expect(targets.filter(({ publishedAt }) => publishedAt === null)).toEqual([]);
  });

  test("private attributes are stored and never answered", async () => {
    const { ask, project } = await opened;
    for (const path of ["articles?status=draft", "authors"]) {
      for (const entry of (await ask(path)).data) {
        expect(entry).not.toHaveProperty("email");
        expect(entry).not.toHaveProperty("editorsNote");
      }
    }
    expect(project.context.storage.first("SELECT count(email) FROM authors")).toEqual([4]);
  });
});
