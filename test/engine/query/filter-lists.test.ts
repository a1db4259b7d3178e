/** A list in `$and`, `$or` or `$not` is an `$and` of its members, at any depth. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { relation, type TestApp, testApp, typeFile } from "../../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...typeFile("post", {
      title: { type: "string" },
      rank: { type: "integer" },
      price: { type: "decimal" },
      tags: relation("manyToMany", "tag"),
    }),
    ...typeFile("tag", { name: { type: "string" } }),
  });
  for (const name of ["t1", "t2"]) await app.call("POST", "/api/tags", { data: { name } });
  const posts = [
    { title: "p1", rank: 91, price: 30, tags: [1] },
    { title: "p2", rank: 5, price: 10, tags: [1, 2] },
    { title: "p3", rank: 91, price: 20, tags: [2] },
    { title: "p4", rank: 7, price: 99 },
  ];
  for (const data of posts) await app.call("POST", "/api/posts", { data });
});
afterAll(() => app.close());

const found: readonly (readonly [filters: string, titles: readonly string[]])[] = [
  ["[$or][0][title]=p2&[$or][1][0][price][$gt]=28&[$or][1][1][rank]=91", ["p1", "p2"]],
  ["[$or][0][title]=p2&[$or][1][0][0][0][price][$gt]=28&[$or][1][0][1][rank]=91", ["p1", "p2"]],
  ["[$and][0][0][price][$gt]=15&[$and][0][1][rank]=91", ["p1", "p3"]],
  ["[$and][0][0][$or][0][title]=p1&[$and][0][0][$or][1][title]=p3&[$and][0][1][rank]=91&[$and][1][price]=20", ["p3"]],
  ["[$not][0][price][$gt]=15&[$not][1][rank]=91", ["p2", "p4"]],
  ["[$not][0][0][price][$gt]=15&[$not][0][1][rank]=91", ["p2", "p4"]],
  ["[$not][0][0][price][$gt]=15&[$not][0][1][rank]=91&[$not][1][title]=p4", ["p1", "p2", "p3", "p4"]],
  ["[$or][0][$not][0][price][$gt]=15&[$or][0][$not][1][rank]=91", ["p2", "p4"]],
  ["[$or][0][0][$or][0][0][title]=p1&[$or][0][0][$or][0][1][rank]=91&[$or][0][1][price]=30", ["p1"]],
  ["[$or][0][0][tags][name]=t2&[$or][0][1][rank]=5", ["p2"]],
  ["[tags][$or][0][0][name]=t2&[tags][$or][0][1][id]=2", ["p2", "p3"]],
  ["[$or][0][0][title][$eq][nothing]=1", ["p1", "p2", "p3", "p4"]],
  ["[title][$not][0][$eq]=p1", ["p2", "p3", "p4"]],
  ["[title][0][0]=p1", ["p1"]],
  ["[title][0][$eq]=p1", []],
  ["[tags][0][name]=t1", []],
];
const query = (filters: string): string =>
  filters
    .split("&")
    .map((part) => `filters${part}`)
    .join("&");

for (const [filters, titles] of found) {
  test(filters, async () => {
    const { body } = await app.call("GET", `/api/posts?sort=id&${query(filters)}`);
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual([...titles]);
  });
}

const refused: Readonly<Record<string, string>> = {
  "[0][title]=p1": "Filters that are a list belong into $and or $or",
  "[$or][0][]=text": "The filters parameter must be an object or an array",
  "[$or][0][0][unknown]=1": "Invalid key unknown",
  "[$or][0][0][title]=p1&[$or][0][rank]=91": "Invalid key 0",
  "[$or][0][0][$eq]=1": "$eq needs an attribute",
};
for (const [filters, message] of Object.entries(refused)) {
  test(`${filters} is refused`, async () => {
    const { status, body } = await app.call("GET", `/api/posts?${query(filters)}`);
    expect([status, body.error.message]).toEqual([400, message]);
  });
}
