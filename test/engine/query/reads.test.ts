/** Reads with filters through relations, and reads of one document. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { conformanceApp, type TestApp } from "../../project.ts";

let app: TestApp;
/** Document ids by title or name. */
const ids = new Map<string, string>();

async function create(path: string, name: string, data: object, query = ""): Promise<void> {
  const { status, body } = await app.call("POST", `/api/${path}${query}`, { data });
  if (status !== 201) throw new Error(JSON.stringify(body));
  ids.set(name, body.data.documentId);
}

beforeAll(async () => {
  app = await conformanceApp();
  await create("categories", "world", { name: "world", rank: 2 });
  await create("tags", "red", { label: "red", color: "#ff0000" });
  await create("tags", "blue", { label: "blue", color: "#0000ff" });
  const tags = [ids.get("red"), ids.get("blue")];
  const category = ids.get("world");
  await create("articles", "first", { title: "first", slug: "first", views: 1, category, tags });
  await create("articles", "second", { title: "second", slug: "second", views: 2, category, excerpt: "text" });
  // the draft is the only article with so many views
  await app.call("PUT", `/api/articles/${ids.get("second")}?status=draft`, { data: { views: 7 } });
});
afterAll(() => app.close());

const get = async (path: string): Promise<{ status: number; data: unknown }> => {
  const named = path.replace(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? name);
  const { status, body } = await app.call("GET", `/api/${named}`);
  return { status, data: body.data };
};

/** The documents of a response without their ids. */
const rows = async (path: string): Promise<unknown> => {
  const { data } = await get(path);
  return (data as Record<string, unknown>[]).map(({ id: _, documentId: __, ...rest }) => rest);
};

const THROUGH = "filters[category][name]=world";

describe("sort fields that are not in `fields`", () => {
  test.each([
    ["fields=title&sort=views", { title: "first" }],
    [`fields=title&sort=views&${THROUGH}`, { title: "first", views: 1 }],
    [`fields=title&sort=views,slug&${THROUGH}`, { title: "first", views: 1, slug: "first" }],
    [`fields=title&sort=id&${THROUGH}`, { title: "first" }],
    [`fields=title&sort=category.name,views&${THROUGH}`, { title: "first" }],
    ["fields=title&sort=views&filters[$not][tags][label]=no", { title: "first", views: 1 }],
    [
      "fields=title&sort=title&populate[tags][fields]=color&populate[tags][sort]=label",
      {
        title: "first",
        tags: [expect.objectContaining({ color: "#0000ff", label: "blue" }), expect.objectContaining({ label: "red" })],
      },
    ],
  ])("%s", async (query, expected) => {
    const [first] = (await rows(`articles?${query}`)) as unknown[];
    expect(first).toEqual(expected);
  });

  test("are not added to the response of a write", async () => {
    const path = `/api/articles/${ids.get("first")}?fields=title&sort=views&${THROUGH}`;
    const { body } = await app.call("PUT", path, { data: {} });
    expect(body.data).toEqual({ id: expect.any(Number), documentId: ids.get("first"), title: "first" });
  });
});

describe("any version matches behind a type without drafts", () => {
  test.each([
    ["filters[views]=7", []],
    ["filters[category][articles][views]=7", [{ title: "first" }, { title: "second" }]],
    ["filters[category][articles][views]=8", []],
    ["filters[category][articles][category][articles][views]=7", [{ title: "first" }, { title: "second" }]],
  ])("%s", async (query, expected) => {
    expect(await rows(`articles?fields=title&sort=title&${query}`)).toEqual(expected);
  });
});

describe("a published document is linked to published documents only, from both sides", () => {
  beforeAll(async () => {
    await create("tags", "grey", { label: "grey" });
    await create("authors", "nobody", { name: "draft" }, "?status=draft");
    const data = { title: "third", slug: "third", author: ids.get("nobody"), tags: [ids.get("grey")] };
    await create("articles", "third", data);
  });

  test.each([
    ["filters[label]=grey&filters[articles][author][name][$null]=true", [{ label: "grey" }]],
    ["filters[label]=grey&filters[articles][author][name]=draft", [{ label: "grey" }]],
    ["filters[label]=grey&filters[articles][author][name]=other", []],
  ])("%s", async (query, expected) => {
    expect(await rows(`tags?fields=label&${query}`)).toEqual(expected);
  });
});

describe("$endsWith with an empty string matches every string, but not null", () => {
  test.each([
    ["filters[excerpt][$endsWith]=", ["second"]],
    ["filters[$not][excerpt][$endsWith]=", []],
    ["filters[$not][excerpt][$endsWith]=x", ["second"]],
  ])("%s", async (query, titles) => {
    expect(await rows(`articles?fields=title&${query}`)).toEqual(titles.map((title) => ({ title })));
  });
});

describe("a filter on documentId in a request for one document", () => {
  test.each([
    ["filters[documentId]={second}", 200],
    ["filters[documentId][$null]=true", 200],
    ["filters[documentId]={second}&filters[views]=5", 404],
    ["filters[$and][0][documentId]={second}", 404],
    ["filters[documentId][$nope]=1", 400],
  ])("%s", async (query, status) => {
    expect((await get(`articles/{first}?${query}`)).status).toBe(status);
  });

  test("does not prevent its deletion", async () => {
    await create("tags", "green", { label: "green" });
    await app.call("DELETE", `/api/tags/${ids.get("green")}?filters[documentId]=${ids.get("red")}`);
    expect((await get("tags/{green}")).status).toBe(404);
  });
});
