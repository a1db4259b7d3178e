/** Sample documents: they pass the rules of their type, link to what is there, and are the same for the same seed. */
import { describe, expect, test } from "bun:test";
import { stringMatching } from "../../src/admin/sample/from-pattern.ts";
import { Random } from "../../src/admin/sample/random.ts";
import type { Galley } from "../../src/index.ts";
import { threadTime } from "../processor-time.ts";
import { componentFile, projectFolder, relation, typeFile } from "../project.ts";
import { EVERYTHING, files, TAG } from "./page/everything.ts";
import { type Ask, openSignedIn } from "./signed-in.ts";

const KEY = "a key for tests of samples";
const STRICT = "api::strict.strict";
const folder = projectFolder({
  ...files,
  ...componentFile("parts.tree", {
    label: { type: "string" },
    leaves: { type: "component", component: "parts.tree", repeatable: true },
  }),
  ...typeFile("owner", { name: { type: "string" }, mark: { ...relation("oneToOne", "mark"), inversedBy: "owner" } }),
  ...typeFile("mark", { name: { type: "string" }, owner: { ...relation("oneToOne", "owner"), mappedBy: "mark" } }),
  ...typeFile("member", { secret: { type: "password", required: true, minLength: 30, maxLength: 32 } }),
  ...typeFile("only", { code: { type: "enumeration", enum: ["a", "b"], unique: true, required: true } }),
  ...typeFile("impossible", { code: { type: "string", regex: "^(?=a)b$", required: true } }),
  ...typeFile(
    "strict",
    {
      short: { type: "string", required: true, minLength: 2, maxLength: 5 },
      long: { type: "text", required: true, minLength: 900, maxLength: 1000 },
      code: { type: "string", required: true, regex: "^[A-Z]{2}-\\d{3,4}(?:/[a-f]+)?$", unique: true },
      slug: { type: "uid", targetField: "short", required: true },
      year: { type: "integer", required: true, min: 3000, max: 3005 },
      price: { type: "decimal", required: true, min: 0.5, max: 0.75 },
      below: { type: "integer", required: true, max: -10 },
      big: { type: "biginteger", required: true, min: 10, max: "12" },
      at: { type: "timestamp", required: true },
      kind: { type: "enumeration", enum: ["book", "film"], required: true },
      pages: {
        type: "integer",
        required: true,
        conditions: { visible: { "==": [{ var: "kind" }, "book"] } },
      },
      quotes: { type: "component", component: "parts.quote", repeatable: true, required: true, min: 4, max: 5 },
      zone: { type: "dynamiczone", components: ["parts.quote", "parts.image"], required: true, min: 1, max: 2 },
      tree: { type: "component", component: "parts.tree" },
    },
    { draftAndPublish: true },
  ),
});

let galley: Galley;
let ask: Ask;
openSignedIn(folder, KEY, (opened) => {
  ({ galley, ask } = opened);
});

const make = async (uid: string, given: object = {}) => {
  const { status, body } = await ask("POST", "/sample", { uid, count: 20, from: 0, seed: "one", ...given });
  expect(status).toBe(200);
  return body.data;
};

test("every type of attribute is filled, and what there is nothing to link to is named", async () => {
  expect(await make(EVERYTHING, { publish: true })).toEqual({
    made: 20,
    refused: [],
    unlinked: expect.arrayContaining(["cover", "files", "tags", "first"]),
    hasGivenUp: false,
  });
  const documents = await galley.documents(EVERYTHING).findMany({ status: "published", populate: "*" });
  expect(documents).toHaveLength(20);
  const filled = new Set(
    documents.flatMap((document) => Object.keys(document).filter((name) => document[name] !== null)),
  );
  for (const name of [
    "title",
    "slug",
    "story",
    "body",
    "big",
    "ratio",
    "open",
    "at",
    "mood",
    "data",
    "lead",
    "quotes",
    "zone",
  ])
    expect(filled).toContain(name);
  expect(new Set(documents.map(({ slug }) => slug)).size).toBe(20);
  const creators = galley.database().query("SELECT DISTINCT created_by_id FROM everythings").values();
  expect(creators).toEqual([[1]]);
});

test("rules of required, unique and patterned attributes hold, so that all of them can be published", async () => {
  expect(await make(STRICT, { count: 10, publish: true })).toMatchObject({ made: 10, refused: [] });
  expect(await make("api::member.member", { count: 1 })).toMatchObject({ made: 1, refused: [] });
});

test("a single type is filled once", async () => {
  expect(await make("api::about.about", { count: 1 })).toMatchObject({ made: 1, refused: [] });
  expect(await galley.documents("api::about.about").findFirst({})).toMatchObject({ heading: expect.any(String) });
  const again = await ask("POST", "/sample", { uid: "api::about.about", count: 1, from: 0, seed: "two" });
  expect(again).toMatchObject({ status: 400, body: { error: { message: "about has content already" } } });
});

test("links lead to documents that are there, and take nothing away from others", async () => {
  await make(TAG, { count: 5 });
  await make(EVERYTHING, { count: 10, seed: "linked" });
  const linked = await galley.documents(EVERYTHING).findMany({ filters: { tags: { name: { $notNull: true } } } });
  expect(linked.length).toBeGreaterThan(2);
  const owner = await galley.documents("api::owner.owner").create({ data: { name: "first" } });
  await galley.documents("api::mark.mark").create({ data: { name: "taken", owner: owner.documentId } });
  expect(await make("api::mark.mark", { count: 10 })).toMatchObject({ made: 10, unlinked: ["owner"] });
  const taken = await galley.documents("api::mark.mark").findFirst({ filters: { name: "taken" }, populate: "owner" });
  expect(taken!.owner).toMatchObject({ name: "first" });
});

test("the same seed makes the same documents, in one request or in several", async () => {
  const owners = galley.documents("api::owner.owner");
  for (const { documentId } of await owners.findMany({})) await owners.delete({ documentId: documentId as string });
  const values = async (seed: string, parts: readonly number[]): Promise<unknown> => {
    for (const [index, count] of parts.entries())
      await make("api::owner.owner", { seed, count, from: parts.slice(0, index).reduce((sum, one) => sum + one, 0) });
    const made = await galley.documents("api::owner.owner").findMany({ sort: "id" });
    for (const { documentId } of made)
      await galley.documents("api::owner.owner").delete({ documentId: documentId as string });
    return made.map(({ name }) => name);
  };
  const first = await values("a", [6]);
  expect(await values("a", [4, 2])).toEqual(first);
  expect(await values("b", [6])).not.toEqual(first);
});

test("a locale gets documents of its own", async () => {
  expect(await make(EVERYTHING, { count: 3, locale: "fr", seed: "fr" })).toMatchObject({ made: 3 });
  expect(await galley.documents(EVERYTHING).count({ locale: "fr" })).toBe(3);
});

test("a type that takes no more documents ends it, with the reason", async () => {
  const { made, refused, hasGivenUp } = await make("api::only.only");
  expect({ made, hasGivenUp }).toEqual({ made: 2, hasGivenUp: true });
  expect(refused).toEqual(["code must be defined."]);
  expect(await make("api::impossible.impossible")).toMatchObject({ made: 0, hasGivenUp: true });
});

test.each([
  ["an unknown type", { uid: "api::nothing.nothing" }],
  ["several documents of a single type", { uid: "api::about.about", count: 2 }],
  ["users", { uid: "plugin::users-permissions.user" }],
  ["too many", { count: 51 }],
  ["none", { count: 0 }],
  ["a broken number", { from: -1 }],
  ["a long seed", { seed: "s".repeat(101) }],
  ["an unknown locale", { uid: EVERYTHING, locale: "xx" }],
  ["an unknown key", { amount: 3 }],
])("%s is refused", async (_, given) => {
  const { status } = await ask("POST", "/sample", { uid: TAG, count: 1, from: 0, seed: "x", ...given });
  expect(status).toBe(400);
});

describe("texts of patterns", () => {
  test.each([
    "^\\d{4}-\\d{2}$",
    "^#[0-9a-f]{6}$",
    "^(red|green|blue)$",
    "^https?://[\\w.-]+\\.com/.*$",
    "^([a-z])\\1$",
    "[^a-z]+x",
  ])("%s", (source) => {
    for (let seed = 0; seed < 20; seed++)
      expect(stringMatching(new Random(String(seed)), source)).toMatch(new RegExp(source));
  });

  test.each(["^((((a{999}){999}){999}){999})$", "^((()*){99999999}){99999999}x$", "^(?=b)a$"])(
    "%s takes no time",
    (source) => {
      const start = threadTime();
      stringMatching(new Random("x"), source);
      expect(threadTime() - start).toBeLessThan(2000);
    },
  );
});
