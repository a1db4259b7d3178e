/** Attributes that are not localized, and differ between the locales of a document nevertheless. */
import { expect, test } from "bun:test";
import { relation, typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const text = { type: "string" };
const localized = { ...text, pluginOptions: { i18n: { localized: true } } };
const PROJECT = typeFile(
  "article",
  { title: localized, price: { type: "integer" }, size: { type: "integer" } },
  { draftAndPublish: true, localized: true },
);
const FILE = `title: One
price: 1
size: 4
$published: {"price":2}
$locales:
  de:
    title: Eins
    price: 3
    size: null
    $published: {"price":4}
`;

const pricesOf = async (project: SyncedProject): Promise<Record<string, unknown>> => {
  const found: [string, unknown][] = [];
  for (const locale of ["en", "de"])
    for (const status of ["draft", "published"] as const) {
      const article = await project.service("article").findFirst({ locale, status });
      found.push([`${locale} ${status}`, [article?.price, article?.size]]);
    }
  return Object.fromEntries(found);
};

test("locales have the values of the file, not those of another locale", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write("articles/one.yaml", FILE);
  expect(await project.sync()).toMatchObject({ problems: [] });
  const prices = { "en draft": [1, 4], "en published": [2, 4], "de draft": [3, null], "de published": [4, null] };
  expect(await pricesOf(project)).toEqual(prices);
  project.edit("articles/one.yaml", "title: One", "title: Changed");
  await project.sync();
  expect(await pricesOf(project)).toEqual(prices);
});

test("what the API does not keep of locales is a warning, once", async () => {
  await using project = new SyncedProject(PROJECT);
  const locales = ["en", "de"].map((code) => ({ code, isDefault: code === "en" }));
  await project.reopen({ "config/galley.json": JSON.stringify({ locales }) });
  const text = FILE.replaceAll(/\n {4}size.*/g, "");
  project.write("articles/one.yaml", text);
  project.write("articles/two.yaml", text);
  project.write("articles/three.yaml", "title: Three\n$locales:\n  dee:\n    title: Drei\n");
  const shared =
    "api::article.article does not localize price, so that the next change on the page or over the API makes it the same in all locales";
  const { problems, warnings } = await project.pass();
  expect(problems).toEqual([]);
  expect(warnings).toEqual([
    { file: "articles/one.yaml", line: 8, key: "$locales.de.price", reason: shared },
    {
      file: "articles/three.yaml",
      line: 3,
      key: "$locales.dee",
      reason: '"dee" is not a locale of the project, which has de, en',
    },
  ]);
});

test("a shared value that changes in the file changes in all locales that do not state another one", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write(
    "articles/one.yaml",
    FILE.replaceAll(/^ {4}(price|size).*\n/gm, "")
      .replaceAll('{"price":4}', "true")
      .replaceAll('{"price":2}', "true"),
  );
  await project.sync();
  project.edit("articles/one.yaml", "price: 1", "price: 5");
  await project.sync();
  const prices = { "en draft": [5, 4], "en published": [5, 4], "de draft": [5, 4], "de published": [5, 4] };
  expect(await pricesOf(project)).toEqual(prices);
});

test("of the times of locales, only that of the edited one changes", async () => {
  await using project = new SyncedProject(PROJECT);
  const id = await project.create("article", { title: "One", price: 1 }, { status: "published" });
  await project
    .service("article")
    .update({ documentId: id, locale: "de", data: { title: "Eins" }, status: "published" });
  await project.sync();
  const timesOf = (): (boolean | undefined)[] => {
    const file = Bun.YAML.parse(project.read("articles/one.yaml")) as Record<string, unknown>;
    const { de } = file.$locales as { de: object };
    return [file, de].map((version) => "$updatedAt" in version);
  };
  await project.save("article", id, { price: 2 }, "draft");
  await project.sync();
  expect(timesOf()).toEqual([true, false]);
  await project.service("article").update({ documentId: id, locale: "de", data: { price: 3 } }, { sharesDrafts: true });
  await project.sync();
  const before = project.read("articles/one.yaml");
  await project
    .service("article")
    .update({ documentId: id, locale: "de", data: { price: 4 }, status: "published" }, { sharesDrafts: true });
  await project.sync();
  expect(timesOf()).toEqual([true, true]);
  const time = /^\$updatedAt: .*$/m;
  expect(project.read("articles/one.yaml").match(time)?.[0]).toBe(before.match(time)?.[0]);
});

test("a locale that is added to a file gets the time of its creation there", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write("articles/one.yaml", "title: One\n");
  await project.sync();
  project.write("articles/one.yaml", `${project.read("articles/one.yaml")}$locales:\n  de:\n    title: Eins\n`);
  await project.sync();
  const { createdAt } = (await project.service("article").findFirst({ locale: "de", status: "draft" }))!;
  expect(project.read("articles/one.yaml")).toContain(`  de:\n    $createdAt: ${createdAt}\n    title: Eins\n`);
});

test("the default locale may be added below another one, whose values stay its own", async () => {
  await using project = new SyncedProject(PROJECT);
  const id = await project.create("article", { title: "Eins" }, { locale: "de" });
  await project.sync();
  const file = "articles/eins.yaml";
  project.write(file, `${project.read(file)}$locales:\n  en:\n    title: One\n`);
  await project.sync();
  await project.update("article", id, { title: "The first" }, { locale: "en" });
  await project.sync();
  expect(project.read(file)).toMatch(/\ntitle: The first\n\$locales:\n {2}de:\n(?: {4}\$.*\n)* {4}title: Eins\n$/);
  project.edit(file, "Eins", "Nummer eins");
  await project.sync();
  const titles = await Promise.all(["en", "de"].map((locale) => project.find("article", id, { locale })));
  expect(titles.map((version) => version?.title)).toEqual(["The first", "Nummer eins"]);
});

test("values of the locale at the top that stand below $locales are refused", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write("articles/one.yaml", "title: One\n$locales:\n  en:\n    title: Two\n");
  const reason = "is the locale at the top of the file: its values stand there, not below $locales";
  expect((await project.pass()).problems).toEqual([{ file: "articles/one.yaml", line: 3, key: "$locales.en", reason }]);
});

test("locales of a type without them are left out, with a warning", async () => {
  await using project = new SyncedProject(typeFile("tag", { name: text }));
  project.write("tags/one.yaml", "name: One\n$locales:\n  de:\n    name: Eins\n");
  const reason = "api::tag.tag is not localized: it is left out";
  expect((await project.pass()).warnings).toEqual([{ file: "tags/one.yaml", line: 2, key: "$locales", reason }]);
  expect(await project.service("tag").findMany()).toMatchObject([{ name: "One" }]);
});

test("a link may lead to a locale that was created later, and not to one that is missing", async () => {
  const next = { ...relation("oneToOne", "article"), pluginOptions: { i18n: { localized: true } } };
  await using project = new SyncedProject(
    typeFile("article", { title: localized, next }, { draftAndPublish: true, localized: true }),
  );
  const file = (day: number, next: string): string =>
    `$createdAt: 2026-01-01\ntitle: One\n$locales:\n  de:\n    $createdAt: 2026-01-0${day}\n    title: Eins\n    next: ${next}\n`;
  project.write("articles/one.yaml", file(2, "articles/two"));
  project.write("articles/two.yaml", file(3, "articles/two"));
  expect((await project.sync()).problems).toEqual([]);
  const found = await project.service("article").findMany({ locale: "de", status: "draft", populate: "next" });
  expect(found.map(({ next }) => next)).toMatchObject([{ locale: "de" }, { locale: "de" }]);
  project.write("articles/three.yaml", "title: Three\n");
  project.edit("articles/one.yaml", "articles/two", "articles/three");
  expect((await project.pass()).problems).toEqual([
    { file: "articles/one.yaml", line: 8, key: "$locales.de.next", reason: '"articles/three" has no locale "de"' },
  ]);
});

test("an invalid value is named, and not a link of the same file to a document that is loaded later", async () => {
  await using project = new SyncedProject(
    typeFile("article", { day: { type: "date" }, next: relation("oneToOne", "article") }, { localized: true }),
  );
  project.write("articles/one.yaml", "$createdAt: 2026-01-01\nday: 2025-13-40\nnext: articles/two\n");
  project.write("articles/two.yaml", "$createdAt: 2026-01-02\nday: 2025-01-01\n");
  expect((await project.sync()).problems).toEqual([
    { file: "articles/one.yaml", line: 2, key: "day", reason: "Invalid format, expected yyyy-MM-dd" },
  ]);
});
