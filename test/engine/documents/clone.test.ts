/** What a clone takes from its source: links of both sides, and how `data` is merged with them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Body, componentFile, configFile, relation, type TestApp, testApp, typeFile } from "../../project.ts";

const KINDS = [
  ["profile", "oneToOne", "oneToOne", "inversedBy"],
  ["badge", "oneToOne", "oneToOne", "mappedBy"],
  ["group", "manyToOne", "oneToMany", "inversedBy"],
  ["parts", "oneToMany", "manyToOne", "mappedBy"],
  ["tags", "manyToMany", "manyToMany", "inversedBy"],
  ["lists", "manyToMany", "manyToMany", "mappedBy"],
] as const;
const OTHER_SIDE = { inversedBy: "mappedBy", mappedBy: "inversedBy" } as const;

let app: TestApp;
let targets: string[];
let source: string;

const itemAttributes = {
  title: { type: "string" },
  options: { type: "json" },
  one: relation("oneToOne", "target"),
  many: relation("oneToMany", "target"),
  mixed: { type: "relation", relation: "morphToMany" },
  box: { type: "component", component: "parts.box" },
  boxes: { type: "component", component: "parts.box", repeatable: true },
  zone: { type: "dynamiczone", components: ["parts.box"] },
  ...Object.fromEntries(
    KINDS.map(([name, kind, , side]) => [name, { ...relation(kind, "target"), [side]: `${name}Of` }]),
  ),
};
const targetAttributes = {
  name: { type: "string" },
  ...Object.fromEntries(
    KINDS.map(([name, , kind, side]) => [`${name}Of`, { ...relation(kind, "item"), [OTHER_SIDE[side]]: name }]),
  ),
};

beforeAll(async () => {
  app = await testApp({
    ...configFile({ locales: ["en", "fr"].map((code) => ({ code, isDefault: code === "en" })) }),
    ...typeFile("item", itemAttributes, { draftAndPublish: true, localized: true }),
    ...typeFile("target", targetAttributes, { draftAndPublish: true }),
    ...componentFile("parts.box", { label: { type: "string" }, targets: relation("oneToMany", "target") }),
  });
});
afterAll(() => app.close());

const items = () => app.documents("api::item.item");
const names = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(names) : value && typeof value === "object" ? (value as Body).name : value;

beforeEach(async () => {
  targets = [];
  for (const name of ["t0", "t1", "t2", "t3", "t4"]) {
    const { documentId } = await app.documents("api::target.target").create({ data: { name } });
    targets.push(documentId as string);
  }
  const [t0, t1, t2, t3] = targets;
  const box = { label: "box", targets: [t0, t1] };
  const data = {
    title: "source",
    options: { a: 1, b: { c: 2 } },
    one: t0,
    many: [t1, t2],
    mixed: [{ __type: "api::target.target", documentId: t3 }],
    box,
    boxes: [box, { label: "second" }],
    zone: [{ __component: "parts.box", ...box }],
    profile: t0,
    badge: t1,
    group: t2,
    parts: [t0, t1],
    tags: [t1, t2],
    lists: [t2, t3],
  };
  source = (await items().create({ data })).documentId as string;
});

/** Clones the source; returns names of the targets by attribute. */
async function cloned(data: Body = {}): Promise<Record<string, unknown>> {
  const result = await items().clone({ documentId: source, data, populate: "*" });
  return Object.fromEntries(Object.entries(result.entries[0]!).map(([name, value]) => [name, names(value)]));
}
const linksOf = async (documentId: string): Promise<Record<string, unknown>> => {
  const found = await items().findOne({ documentId, populate: "*" });
  return Object.fromEntries(KINDS.map(([name]) => [name, names(found![name])]));
};

test("a clone has the links of both sides, and takes what may have one owner only, except for one-to-one", async () => {
  const links = {
    profile: "t0",
    badge: "t1",
    group: "t2",
    parts: ["t0", "t1"],
    tags: ["t1", "t2"],
    lists: ["t2", "t3"],
  };
  expect(await linksOf(source)).toEqual(links);
  expect(await cloned()).toMatchObject({ ...links, one: "t0", many: ["t1", "t2"], mixed: ["t3"] });
  expect(await linksOf(source)).toEqual({ ...links, parts: [] });
  const target = await app.documents("api::target.target").findOne({ documentId: targets[0]!, populate: "*" });
  expect([(target!.profileOf as Body).documentId === source, (target!.partsOf as Body).documentId === source]).toEqual([
    true,
    false,
  ]);
});

test("what a clone shares of one-to-one relations is its own once it is written again", async () => {
  const documentId = String((await items().clone({ documentId: source })).documentId);
  const [t0, t1] = targets;
  await items().update({ documentId, data: { title: "clone", profile: t0 } });
  expect(await linksOf(source)).toMatchObject({ profile: null, badge: "t1" });
  await items().update({ documentId, data: { badge: { connect: [t1] } } });
  expect(await linksOf(source)).toMatchObject({ profile: null, badge: null });
  expect(await linksOf(documentId)).toMatchObject({ profile: "t0", badge: "t1" });
});

describe("data is merged with the source", () => {
  const t4 = () => targets[4]!;
  const cases: [name: string, data: () => Body, expected: Body][] = [
    [
      "another target",
      () => ({ profile: t4(), badge: t4(), group: t4(), one: t4() }),
      { profile: "t4", badge: "t4", group: "t4", one: "t4" },
    ],
    [
      "null removes",
      () => ({ profile: null, badge: null, tags: null, one: null }),
      { profile: null, badge: null, tags: [], one: null },
    ],
    [
      "lists are merged by index",
      () => ({ tags: [t4()], many: [], lists: [t4()] }),
      { tags: ["t4", "t2"], many: ["t1", "t2"], lists: ["t4", "t3"] },
    ],
    [
      "operations replace",
      () => ({ tags: { connect: [t4()] }, lists: { disconnect: [targets[2]] }, many: { set: [] } }),
      { tags: ["t4"], lists: [], many: [] },
    ],
    [
      "empty operations change nothing",
      () => ({ tags: { connect: [] }, profile: { connect: [] }, badge: { disconnect: [] } }),
      { tags: ["t1", "t2"], profile: "t0", badge: "t1" },
    ],
    [
      "an entry replaces",
      () => ({ profile: { documentId: t4() }, group: { documentId: t4() } }),
      { profile: "t4", group: "t4" },
    ],
  ];
  test.each(cases)("%s", async (_, data, expected) => {
    expect(await cloned(data())).toMatchObject(expected);
  });

  test("components and JSON", async () => {
    const data = {
      box: { targets: { connect: [t4()] } },
      boxes: [{ label: "first" }],
      zone: [{ __component: "parts.box", targets: [t4()] }],
      options: { b: { d: 3 } },
    };
    const { entries } = await items().clone({
      documentId: source,
      data,
      populate: { box: { populate: "*" }, boxes: { populate: "*" }, zone: { on: { "parts.box": { populate: "*" } } } },
    });
    const [clone] = entries as Body[];
    const shown = ({ label, targets: list }: Body) => [label, names(list)];
    expect([shown(clone.box), clone.boxes.map(shown), clone.zone.map(shown), clone.options]).toEqual([
      ["box", ["t4"]],
      [
        ["first", ["t0", "t1"]],
        ["second", []],
      ],
      [["box", ["t4", "t1"]]],
      { a: 1, b: { c: 2, d: 3 } },
    ]);
  });
});

test("entries of several locales are localizations of each other", async () => {
  await items().update({ documentId: source, locale: "fr", data: { title: "fr" } });
  const { entries } = await items().clone({ documentId: source, locale: "*", populate: ["localizations"] });
  expect(
    entries.map(({ locale, localizations }) => [locale, (localizations as Body[]).map((row) => row.locale)]),
  ).toEqual([
    ["en", ["fr"]],
    ["fr", ["en"]],
  ]);
});
