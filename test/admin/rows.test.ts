/** Rows of tables as documents: cells become values, names become links, and a trial writes nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { projectFolder, relation, typeFile } from "../project.ts";
import { EVERYTHING, files, TAG } from "./page/everything.ts";
import { askAs, signedIn } from "./signed-in.ts";

const KEY = "a key for tests of rows";
const BOOK = "api::book.book";
const folder = projectFolder({
  ...files,
  ...typeFile(
    "book",
    {
      title: { type: "string", required: true, unique: true },
      slug: { type: "uid", targetField: "title", required: true },
      tags: relation("manyToMany", "tag"),
      best: relation("manyToOne", "tag"),
    },
    { draftAndPublish: true },
  ),
});

let galley: Galley;
let ask: ReturnType<typeof askAs>;
beforeAll(async () => {
  galley = await createGalley({ project: folder.root, admin: true, environment: { ADMIN_JWT_SECRET: KEY } });
  ask = askAs(galley, await signedIn(galley, KEY));
  for (const name of ["Red", "green", "a, b", "twin", "twin"]) await galley.documents(TAG).create({ data: { name } });
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

const send = async (
  uid: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  given: object = {},
) => ask("POST", "/rows", { uid, columns, rows, isTrial: false, ...given });

test("cells of every type become values", async () => {
  const cells = {
    title: "From a table",
    summary: "Two\nlines",
    story: "## Story",
    body: "First\n\nSecond",
    count: " 42 ",
    big: "9007199254740993",
    price: "1,50",
    ratio: "-2.5e3",
    open: "no",
    day: "22.11.2026",
    at: "9:30",
    when: "2026-11-22 10:00Z",
    mood: "LOUD",
    data: '{"a":[1]}',
    contact: "a@example.com ",
    hidden: "private",
    tags: "red; GREEN",
    first: "a, b",
  };
  const { body } = await send(EVERYTHING, Object.keys(cells), [Object.values(cells)]);
  expect(body.data).toEqual({ made: 1, refused: [] });
  const [made] = await galley.documents(EVERYTHING).findMany({ populate: "*" });
  expect(made).toMatchObject({
    title: "From a table",
    slug: "from-a-table",
    summary: "Two\nlines",
    body: ["First", "Second"].map((text) => ({ type: "paragraph", children: [{ type: "text", text }] })),
    count: 42,
    big: "9007199254740993",
    price: 1.5,
    ratio: -2500,
    open: false,
    day: "2026-11-22",
    at: "09:30:00.000",
    when: "2026-11-22T10:00:00.000Z",
    mood: "loud",
    data: { a: [1] },
    contact: "a@example.com",
    tags: [{ name: "Red" }, { name: "green" }],
    first: { name: "a, b" },
  });
});

test.each([
  ["count", "four", '"four" is not a whole number'],
  ["price", "a lot", '"a lot" is not a number'],
  ["count", "1.5", '"1.5" is not a whole number'],
  ["open", "maybe", '"maybe" is neither yes nor no'],
  ["day", "11/22/2026", '"11/22/2026" is not a date such as 2026-11-22'],
  ["day", "2026-02-31", "Invalid date"],
  ["at", "noon", '"noon" is not a time such as 09:30'],
  ["when", "yesterday", '"yesterday" is not a date and time such as 2026-11-22 09:30'],
  ["mood", "sad", "mood must be one of the following values: calm, loud, "],
  ["data", "{", "This is not valid JSON"],
  ["tags", "Red, blue", 'Nothing is called "blue"'],
  ["first", "twin", 'Several are called "twin"'],
  ["cover", "dot.png", 'Nothing is called "dot.png"'],
])("%s of %j is refused, as a trial says before", async (column, cell, message) => {
  const count = await galley.documents(EVERYTHING).count({});
  for (const isTrial of [true, false]) {
    const { status, body } = await send(EVERYTHING, ["title", column], [["Refused", cell]], { isTrial });
    expect(status).toBe(200);
    expect(body.data.made).toBe(0);
    expect(body.data.refused).toMatchObject([{ row: 0, problems: [{ message: expect.stringContaining(message) }] }]);
  }
  expect(await galley.documents(EVERYTHING).count({})).toBe(count);
});

test("good rows are made, others are told with what is wrong, and a trial has told the same", async () => {
  const rows = [
    ["One", "Red"],
    ["", "green"],
    ["One", ""],
    ["Two", "blue"],
    ["Two", ""],
  ];
  const trial = await send(BOOK, ["title", "tags"], rows, { isTrial: true, publish: true });
  expect(await galley.documents(BOOK).count({})).toBe(0);
  const real = await send(BOOK, ["title", "tags"], rows, { publish: true });
  expect(real.body).toEqual(trial.body);
  expect(real.body.data.made).toBe(2);
  expect(real.body.data.refused).toEqual([
    { row: 1, problems: [expect.objectContaining({ column: "title" }), expect.objectContaining({ column: "slug" })] },
    { row: 2, problems: [{ column: "title", message: "This attribute must be unique" }] },
    { row: 3, problems: [{ column: "tags", message: 'Nothing is called "blue"' }] },
  ]);
  expect(await galley.documents(BOOK).findMany({ status: "published", sort: "title" })).toMatchObject([
    { title: "One", slug: "one" },
    { title: "Two", slug: "two" },
  ]);
});

/** Every row of every table, also the counters of ids. */
const content = (): unknown => {
  const db = galley.database();
  const tables = db.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").values().flat();
  return tables.map((name) => [name, db.query(`SELECT * FROM "${name}" ORDER BY 1`).values()]);
};

test("a trial leaves every table as it is", async () => {
  const before = content();
  const rows = [
    ["Tried", "Red, green", "Red"],
    ["Tried", "", ""],
    ["Other", "twin", "nothing"],
  ];
  const { body } = await send(BOOK, ["title", "tags", "best"], rows, { isTrial: true, publish: true });
  expect(body.data.made).toBe(1);
  expect(content()).toEqual(before);
});

test.each([
  ["an unknown type", { uid: "api::nothing.nothing" }],
  ["users", { uid: "plugin::users-permissions.user" }],
  ["an unknown column", { columns: ["nothing"] }],
  ["a system column", { columns: ["createdBy"] }],
  ["a component", { columns: ["lead"] }],
  ["a column twice", { columns: ["title", "title"] }],
  ["cells that are not text", { rows: [[1]] }],
  ["too many rows", { rows: Array.from({ length: 101 }, () => ["a"]) }],
  ["an unknown locale", { locale: "xx" }],
  ["an unknown key", { dry: true }],
])("%s is refused", async (_, given) => {
  const body = { uid: EVERYTHING, columns: ["title"], rows: [["a title"]], isTrial: true, ...given };
  expect((await ask("POST", "/rows", body)).status).toBe(400);
});
