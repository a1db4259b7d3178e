/** Samples and rows are written in one transaction. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { relation, typeFile } from "../../project.ts";
import { type Agent, createAgent } from "./agent.ts";

const PERSON = "api::person.person";
const ONLY = "api::only.only";

let agent: Agent;
beforeAll(async () => {
  agent = await createAgent({
    ...typeFile("person", {
      name: { type: "string", required: true, unique: true },
      slug: { type: "uid", targetField: "name" },
      secret: { type: "password", required: true },
      friend: { ...relation("manyToOne", "person"), inversedBy: "friends" },
      friends: { ...relation("oneToMany", "person"), mappedBy: "friend" },
    }),
    ...typeFile("only", { code: { type: "enumeration", enum: ["a", "b"], unique: true, required: true } }),
    ...typeFile("home", { title: { type: "string", required: true } }, { kind: "singleType" }),
  });
});
afterAll(() => agent.close());

const count = (uid: string) => agent.galley.documents(uid).count({});

test("samples have unique values, hashed passwords, and links to each other that lead somewhere", async () => {
  expect((await agent.use("content_seed", { uid: PERSON, count: 12 })).made).toBe(12);
  const people = await agent.galley.documents(PERSON).findMany({ populate: ["friend"], limit: 100 });
  expect(new Set(people.map(({ name }) => name)).size).toBe(12);
  expect(people.some(({ friend }) => friend !== null)).toBe(true);
  const hashes = agent.galley.database().query("SELECT secret FROM persons").values().flat();
  expect(hashes.filter((hash) => String(hash).startsWith("$2"))).toHaveLength(12);
});

test("of samples of which one is refused none is there", async () => {
  const seed = agent.use("content_seed", { uid: ONLY, count: 3 });
  await expect(seed).rejects.toThrow("Nothing is written: document 2: ");
  expect(await count(ONLY)).toBe(0);
  expect(await agent.use("content_seed", { uid: ONLY, count: 2 })).toMatchObject({ made: 2 });
});

test("the document of a single type is created once", async () => {
  const seed = (number: number) => agent.use("content_seed", { uid: "api::home.home", count: number });
  await expect(seed(2)).rejects.toThrow("it has one document");
  expect(await seed(1)).toMatchObject({ made: 1 });
  await expect(seed(1)).rejects.toThrow("has content already");
});

test("rows of which one is refused by the last check leave none", async () => {
  const rows = { uid: PERSON, columns: ["name", "secret"], apply: true };
  const twice = agent.use("content_import", {
    ...rows,
    rows: [
      ["Ida", "x1"],
      ["Ida", "x2"],
    ],
  });
  await expect(twice).rejects.toThrow("Nothing is written: row 1");
  expect(await count(PERSON)).toBe(12);
  expect(
    await agent.use("content_import", {
      ...rows,
      rows: [
        ["Ida", "x1"],
        ["Kim", "x2"],
      ],
    }),
  ).toEqual({ created: 2 });
  expect(await count(PERSON)).toBe(14);
});
