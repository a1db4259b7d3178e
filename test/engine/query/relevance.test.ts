/** `sort=_relevance`: the order of what `_q` finds. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp, typeFile } from "../../project.ts";

const LONG = "many other words ".repeat(40);
const posts = [
  { title: "A long walk", body: `${LONG} clock ${LONG}` },
  { title: "Clock", body: "short" },
  { title: "The clock in the tower of the town", body: "" },
  { title: "Other", body: `clock CLOCK Clöck ${LONG} clock ${LONG}` },
  { title: "Nothing", body: LONG },
  { title: "Números", body: "número NÚMERO" },
];
let app: TestApp;
beforeAll(async () => {
  const author = typeFile("author", { name: { type: "string" } });
  const attributes = {
    title: { type: "string" },
    body: { type: "text" },
    secret: { type: "string", private: true },
    authors: { type: "relation", relation: "oneToMany", target: "api::author.author" },
  };
  app = await testApp({ ...author, ...typeFile("post", attributes) });
  for (const data of posts) await app.call("POST", "/api/posts", { data: { secret: "clock clock clock", ...data } });
});
afterAll(() => app.close());

const titles = async (query: string): Promise<string[]> => {
  const { body } = await app.call("GET", `/api/posts?${query}`);
  return body.data.map(({ title }: { title: string }) => title);
};
const found = ["Clock", "The clock in the tower of the town", "Other", "A long walk"];

test("texts that contain it more often, and short texts, come first", async () => {
  expect(await titles("_q=clock&sort=_relevance")).toEqual(found);
  expect(await titles("_q=CLOCK&sort=_relevance:desc")).toEqual(found.toReversed());
  expect(await titles("_q=número&sort[0]=_relevance&sort[1]=title")).toEqual(["Números"]);
});

test("pages follow the order, and other keys may come first", async () => {
  const page = (number: number) => titles(`_q=clock&sort=_relevance&pagination[pageSize]=2&pagination[page]=${number}`);
  expect([await page(1), await page(2)]).toEqual([found.slice(0, 2), found.slice(2)]);
  expect(await titles("_q=clock&sort=title,_relevance")).toEqual(found.toSorted());
});

const refused: readonly (readonly [query: string, message: string])[] = [
  ["sort=_relevance", "sort=_relevance needs _q"],
  ["sort=_relevance&_q=", "sort=_relevance needs _q"],
  ["sort=title,_relevance:desc", "sort=_relevance needs _q"],
  ["populate[authors][sort]=_relevance&_q=clock", "sort=_relevance needs _q"],
  ["_q=clock&sort=authors._relevance", "Invalid key _relevance at authors"],
  ["_q=clock&sort=relevance", "Invalid key relevance"],
];
for (const [query, message] of refused) {
  test(`${query} is refused`, async () => {
    const { status, body } = await app.call("GET", `/api/posts?${query}`);
    expect({ status, name: body.error.name, message: body.error.message }).toEqual({
      status: 400,
      name: "ValidationError",
      message,
    });
  });
}
