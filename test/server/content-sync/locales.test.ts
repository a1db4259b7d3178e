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
