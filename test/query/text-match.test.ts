/** Letter case in filters: exact where nothing else is said, folded for all of Unicode with an i at the end. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp, typeFile } from "../project.ts";

const titles = ["Straße", "ÜBERGANG", "übergang", "ΣΊΣΥΦΟΣ", "Москва", "100%_[ok]", "plain Text", "emoji 😀 Ï"];
let app: TestApp;
beforeAll(async () => {
  app = await testApp(typeFile("post", { title: { type: "string" } }));
  for (const title of titles) await app.call("POST", "/api/posts", { data: { title } });
});
afterAll(() => app.close());

const cases: readonly (readonly [filter: string, text: string, found: readonly string[]])[] = [
  ["$contains", "über", ["übergang"]],
  ["$containsi", "ÜBER", ["ÜBERGANG", "übergang"]],
  ["$containsi", "σίσυφος", ["ΣΊΣΥΦΟΣ"]],
  ["$eqi", "москва", ["Москва"]],
  ["$eqi", "МОСКВ", []],
  ["$startsWithi", "üBER", ["ÜBERGANG", "übergang"]],
  ["$endsWithi", "ï", ["emoji 😀 Ï"]],
  ["$startsWith", "Straß", ["Straße"]],
  ["$endsWith", "😀 Ï", ["emoji 😀 Ï"]],
  ["$contains", "😀", ["emoji 😀 Ï"]],
  ["$containsi", "%_[O", ["100%_[ok]"]],
  ["$contains", "text", []],
  ["$containsi", "text", ["plain Text"]],
  ["$endsWith", "", titles],
  ["$contains", "", titles],
  ["$notContainsi", "über", ["Straße", "ΣΊΣΥΦΟΣ", "Москва", "100%_[ok]", "plain Text", "emoji 😀 Ï"]],
  ["$nei", "ÜBERGANG", ["Straße", "ΣΊΣΥΦΟΣ", "Москва", "100%_[ok]", "plain Text", "emoji 😀 Ï"]],
];

for (const [operator, text, found] of cases) {
  test(`${operator} "${text}"`, async () => {
    const { body } = await app.call(
      "GET",
      `/api/posts?sort=id&filters[title][${operator}]=${encodeURIComponent(text)}`,
    );
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual([...found]);
  });
}

test("_q folds case in every script and takes its text literally", async () => {
  const found = async (text: string) =>
    (await app.call("GET", `/api/posts?_q=${encodeURIComponent(text)}`)).body.data.map(
      ({ title }: { title: string }) => title,
    );
  expect(await found("МОСК")).toEqual(["Москва"]);
  expect(await found("%_[")).toEqual(["100%_[ok]"]);
});
