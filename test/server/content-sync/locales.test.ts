/** Attributes that are not localized, and differ between the locales of a document nevertheless. */
import { expect, test } from "bun:test";
import { typeFile } from "../../project.ts";
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
      reason: "is not a locale of the project, which has de, en",
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
