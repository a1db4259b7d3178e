/** The order in which problems of a document are reported, and the validation of drafts on publication. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { componentFile, type TestApp, testApp, typeFile } from "../../project.ts";

const relation = (kind: string, target: string) => ({
  type: "relation",
  relation: kind,
  target: `api::${target}.${target}`,
});
const shared = { pluginOptions: { i18n: { localized: false } } };

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...componentFile("part.row", { name: { type: "string", required: true }, page: relation("oneToOne", "page") }),
    ...componentFile("part.box", { rows: { type: "component", component: "part.row", repeatable: true } }),
    ...componentFile("part.sale", {
      createdAt: { type: "datetime", required: true },
      updatedAt: { type: "date", required: true },
      total: { type: "integer" },
    }),
    ...typeFile("report", { last: { type: "component", component: "part.sale" } }),
    ...typeFile("tag", { label: { type: "string" } }),
    ...typeFile("node", {
      spec: { type: "component", component: "part.row" },
      specs: { type: "component", component: "part.row", repeatable: true },
      boxes: { type: "component", component: "part.box", repeatable: true },
      tags: relation("manyToMany", "tag"),
    }),
    ...typeFile(
      "page",
      { zone: { type: "dynamiczone", components: ["part.row"], min: 1, required: true } },
      { draftAndPublish: true },
    ),
    ...typeFile(
      "guide",
      {
        title: { type: "string", pluginOptions: { i18n: { localized: true } } },
        size: { type: "integer", ...shared },
        rows: { type: "component", component: "part.row", repeatable: true, ...shared },
      },
      { draftAndPublish: true, localized: true },
    ),
  });
});
afterAll(() => app.close());

const create = (type: string, data: unknown, query = "") => app.call("POST", `/api/${type}${query}`, { data });

describe("problems are reported", () => {
  const cases: readonly [string, unknown, readonly string[]][] = [
    [
      "of what is not an entry before those inside of entries",
      { specs: [{}, 5, "x"] },
      ["specs.1", "specs.2", "specs.0.name"],
    ],
    ["of entries with fewer levels first", { boxes: [{ rows: [{}] }, 5] }, ["boxes.1", "boxes.0.rows.0.name"]],
    [
      "of the later attribute first, where one's name is part of the other's",
      { spec: true, specs: "x" },
      ["specs", "spec"],
    ],
  ];
  for (const [title, data, paths] of cases)
    test(title, async () => {
      const { body } = await create("nodes", data);
      expect(body.error.details.errors.map(({ path }: { path: string[] }) => path.join("."))).toEqual(paths);
    });
});

test("accepts entries of a list as JSON, and prints invalid ones as null", async () => {
  const made = await create("nodes", { specs: ['{"name":"spelt"}'] }, "?populate=specs");
  expect(made.body.data.specs).toMatchObject([{ name: "spelt" }]);
  const refused = await create("nodes", { specs: [[]] });
  expect(refused.body.error.message).toBe(
    "specs[0] must be a `object` type, but the final value was: `null` (cast from the value `[]`).",
  );
});

test("casts the component of a zone's entry to a string", async () => {
  const { body } = await create("pages", { zone: [{ __component: 3 }] });
  expect(body.error.details.errors[0]).toMatchObject({ path: ["zone", "0", "__component"], value: "3" });
  expect(body.error.details.errors[0].message).toStartWith("zone[0].__component must be one of the following values: ");
});

test("reports an impossible position with its locale", async () => {
  const ids = await Promise.all(["a", "b"].map(async (label) => (await create("tags", { label })).body.data));
  const connect = [{ documentId: ids[0].documentId, position: { before: ids[1].documentId } }];
  const { body } = await create("nodes", { tags: { connect } });
  expect(body.error.message).toContain(`{"before":${ids[1].id},"locale":"en"}`);
});

describe("an entry of a component that the zone no longer lists", () => {
  const unlisted = { __component: "part.box" };
  const listed = { __component: "part.row", name: "r" };

  test("stays in the draft on publication", async () => {
    const made = await create("pages", { zone: [unlisted, listed] }, "?populate=zone");
    expect(made.body.data.zone).toMatchObject([listed]);
    const draft = await app.call("GET", `/api/pages/${made.body.data.documentId}?status=draft&populate=zone`);
    expect(draft.body.data.zone).toMatchObject([unlisted, listed]);
  });

  test("does not count for a published version", async () => {
    const { body } = await create("pages", { zone: [unlisted] });
    expect(body.error.message).toBe("zone field must have at least 1 items");
  });
});

test("copies shared values on publication when shared components link to another version", async () => {
  const page = (await create("pages", { zone: [{ __component: "part.row", name: "r" }] })).body.data.documentId;
  const made = await create("guides", { title: "en", size: 1, rows: [{ name: "r", page }] });
  const path = `/api/guides/${made.body.data.documentId}`;
  await app.call("PUT", `${path}?locale=fr`, { data: { title: "fr" } });
  await app.call("PUT", `${path}?status=draft`, { data: { size: 2 } });
  await app.call("PUT", path, { data: {} });
  expect((await app.call("GET", `${path}?locale=fr`)).body.data.size).toBe(2);
});

test("applies a publication filter on DELETE to drafts", async () => {
  const made = await create("pages", { zone: [{ __component: "part.row", name: "r" }] });
  const path = `/api/pages/${made.body.data.documentId}`;
  await app.call("DELETE", `${path}?publicationFilter=never-published`);
  expect((await app.call("GET", `${path}?status=draft`)).status).toBe(200);
  await app.call("DELETE", `${path}?publicationFilter=has-published-version`);
  expect((await app.call("GET", `${path}?status=draft`)).status).toBe(404);
});

describe("a value that cannot be cast to a list of blocks", () => {
  let texts: TestApp;
  beforeAll(async () => {
    texts = await testApp({
      ...typeFile("text", { body: { type: "blocks" } }),
      ...typeFile("story", { body: { type: "blocks", required: true } }),
    });
  });
  afterAll(() => texts.close());

  test.each([[{}], ["text"], [5], [true]])(
    "is null where the attribute may be empty, and refused elsewhere: %j",
    async (body) => {
      const empty = await texts.call("POST", "/api/texts", { data: { body } });
      expect([empty.status, empty.body.data?.body]).toEqual([201, null]);
      const refused = await texts.call("POST", "/api/storys", { data: { body } });
      expect(refused.status).toBe(400);
      expect(refused.body.error.message).toStartWith("body must be a `array` type, but the final value was: `null`");
    },
  );
});

test("times of a component that have the names of the server's are not required, and set by it", async () => {
  const last = { createdAt: "2031-03-01T10:20:30.000Z", updatedAt: "2031-03-02", total: 2 };
  const made = async (data: object) => (await create("reports", { last: data }, "?populate=last")).body.data;
  const today = new Date().toISOString().slice(0, 10);
  const { last: empty } = await made({ total: 1 });
  expect([empty.createdAt.slice(0, 10), empty.updatedAt]).toEqual([today, today]);
  const { documentId, last: full } = await made(last);
  expect(full).toMatchObject(last);
  const changed = { last: { ...last, id: full.id, createdAt: "2031-04-01T00:00:00.000Z" } };
  const { body } = await app.call("PUT", `/api/reports/${documentId}?populate=last`, { data: changed });
  expect(body.data.last).toMatchObject({ createdAt: "2031-04-01T00:00:00.000Z", updatedAt: today });
});
