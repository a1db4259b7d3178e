/** Case in filters: operators with a final i are case-insensitive for all of Unicode, the others case-sensitive. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startsWith } from "../../../src/engine/query/text-match.ts";
import { threadTime } from "../../processor-time.ts";
import { type TestApp, testApp, typeFile } from "../../project.ts";

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

test("_q is literal and case-insensitive in every script", async () => {
  const found = async (text: string) =>
    (await app.call("GET", `/api/posts?_q=${encodeURIComponent(text)}`)).body.data.map(
      ({ title }: { title: string }) => title,
    );
  expect(await found("МОСК")).toEqual(["Москва"]);
  expect(await found("%_[")).toEqual(["100%_[ok]"]);
});

test("$startsWith finds what starts with the text, whatever the characters", () => {
  const characters = ["a", "B", "", "\0", "\ud7ff", "\ue000", "\u{10ffff}", "é", "😀", "%"];
  const texts = characters.flatMap((one) => characters.flatMap((two) => [one + two, `${one}a${two}`]));
  const db = new Database(":memory:");
  db.run("CREATE TABLE t (text TEXT)");
  for (const text of texts) db.run("INSERT INTO t VALUES (?)", [text]);
  for (const start of [...texts, "\u{10ffff}\u{10ffff}"]) {
    const params: string[] = [];
    const sql = startsWith("exact")("text", start, (value) => {
      params.push(value as string);
      return "?";
    });
    const found = db.query<unknown, string[]>(`SELECT text FROM t WHERE ${sql}`).values(...params);
    expect(found.flat()).toEqual(texts.filter((text) => text.startsWith(start)));
  }
  db.close();
});

/** Compares matches of patterns of this length with JavaScript's. */
test("long patterns match like short ones", async () => {
  const text = `${"Ünïcode Straße ΣΊΣΥΦΟΣ plain ".repeat(8)}end`;
  await app.call("POST", "/api/posts", { data: { title: text } });
  const ids = async (filter: string, pattern: string): Promise<number> => {
    const { body } = await app.call("GET", `/api/posts?filters[title][${filter}]=${encodeURIComponent(pattern)}`);
    return body.meta.pagination.total;
  };
  for (const length of [5, 20, 21, 60, 200]) {
    const part = text.slice(-length);
    for (const pattern of [part, part.toLowerCase(), part.toUpperCase().replaceAll("SS", "ß")]) {
      expect([length, await ids("$containsi", pattern), await ids("$endsWithi", pattern)]).toEqual([length, 1, 1]);
      expect([length, await ids("$containsi", `${pattern}x`), await ids("$endsWithi", `x${pattern}`)]).toEqual([
        length,
        0,
        0,
      ]);
    }
  }
});

test("matches repetitive text in linear time", async () => {
  const own = await testApp(typeFile("note", { text: { type: "text" } }));
  for (const letter of ["a", "é"]) await own.call("POST", "/api/notes", { data: { text: letter.repeat(450_000) } });
  for (const letter of ["a", "é"]) {
    const pattern = encodeURIComponent(`${letter.repeat(150)}b`);
    for (const query of [
      `_q=${pattern}`,
      `filters[text][$containsi]=${pattern}`,
      `filters[text][$endsWithi]=${pattern}`,
    ]) {
      const start = threadTime();
      const { body } = await own.call("GET", `/api/notes?fields=id&${query}`);
      expect(body.data).toEqual([]);
      // LIKE takes a hundred times as long
      expect(threadTime() - start).toBeLessThan(1_500);
    }
  }
  const { status, body } = await own.call("GET", `/api/notes?_q=${"a".repeat(1_001)}`);
  expect([status, body.error.message]).toEqual([400, "_q takes at most 1000 characters"]);
  await own.close();
}, 180_000);
