/** `strapi.db.metadata`: join tables and columns by Strapi's names, which SQL of the code finds. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Body, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
let strapi: Body;
const SHELF = "api::shelf.shelf";
const author = (kind: string, more: object = {}) => ({
  type: "relation",
  relation: kind,
  target: "api::author.author",
  ...more,
});
const shelf = (kind: string, more: object = {}) => ({ type: "relation", relation: kind, target: SHELF, ...more });

beforeAll(async () => {
  app = await testApp({
    ...typeFile("author", {
      fullName: { type: "string" },
      shelves: shelf("oneToMany", { mappedBy: "owner" }),
      bestShelf: shelf("oneToOne", { inversedBy: "bestOf" }),
      mentors: author("manyToMany", { inversedBy: "pupils" }),
      pupils: author("manyToMany", { mappedBy: "mentors" }),
      photos: { type: "media", multiple: true },
      things: { type: "relation", relation: "morphToMany" },
      leg: { type: "component", component: "part.leg" },
      zone: { type: "dynamiczone", components: ["part.leg"] },
    }),
    ...typeFile("shelf", {
      owner: author("manyToOne", { inversedBy: "shelves" }),
      bestOf: author("oneToOne", { mappedBy: "bestShelf" }),
    }),
    "src/components/part/leg.json": JSON.stringify({
      collectionName: "components_part_legs",
      info: { displayName: "leg" },
      attributes: { shelf: shelf("oneToOne") },
    }),
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.metadataStrapi = strapi; } };",
  });
  strapi = (globalThis as unknown as { metadataStrapi: Body }).metadataStrapi;
});
afterAll(() => app.close());

const joinTable = (uid: string, name: string): Body => strapi.db.metadata.get(uid).attributes[name].joinTable;
const column = (name: string, table: string) => ({ name, referencedColumn: "id", referencedTable: table });

describe("relations", () => {
  test("have one join table for both sides", () => {
    expect(joinTable(SHELF, "owner")).toEqual({
      __internal__: true,
      name: "shelfs_owner_lnk",
      joinColumn: column("shelf_id", "shelfs"),
      inverseJoinColumn: column("author_id", "authors"),
      pivotColumns: ["shelf_id", "author_id"],
      inverseOrderColumnName: "shelf_ord",
    });
    expect(joinTable("api::author.author", "shelves")).toEqual({
      __internal__: true,
      name: "shelfs_owner_lnk",
      joinColumn: column("author_id", "authors"),
      inverseJoinColumn: column("shelf_id", "shelfs"),
      pivotColumns: ["shelf_id", "author_id"],
      orderColumnName: "shelf_ord",
      orderBy: { shelf_ord: "asc" },
    });
  });

  test("to the same type distinguish the sides", () => {
    const pupils = joinTable("api::author.author", "pupils");
    expect([pupils.joinColumn.name, pupils.inverseJoinColumn.name]).toEqual(["inv_author_id", "author_id"]);
    expect([pupils.orderColumnName, pupils.inverseOrderColumnName]).toEqual(["inv_author_ord", "author_ord"]);
  });

  test("of components and to administrators have their own", () => {
    expect(joinTable("part.leg", "shelf").name).toBe("components_part_legs_shelf_lnk");
    expect(strapi.db.metadata.get(SHELF).attributes.createdBy).toMatchObject({
      owner: true,
      joinColumn: column("created_by_id", "admin_users"),
    });
  });

  test("are found by SQL with these names", async () => {
    const owner = await strapi.documents("api::author.author").create({ data: { fullName: "Ann" } });
    await strapi.documents(SHELF).create({ data: { owner: owner.documentId } });
    const { name, joinColumn, inverseJoinColumn } = joinTable(SHELF, "owner");
    const rows = await strapi.db
      .connection("shelfs")
      .join(name, `${name}.${joinColumn.name}`, "shelfs.id")
      .join("authors", "authors.id", `${name}.${inverseJoinColumn.name}`)
      .select("authors.full_name");
    expect(rows).toEqual([{ full_name: "Ann" }]);
  });
});

test("components, zones, media and relations to several types", () => {
  const { attributes } = strapi.db.metadata.get("api::author.author");
  expect(attributes.leg).toMatchObject({ type: "relation", relation: "oneToOne", target: "part.leg" });
  expect(attributes.leg.joinTable).toMatchObject({ name: "authors_cmps", on: { field: "leg" } });
  expect(attributes.zone.joinTable.morphColumn.typeField).toBe("__component");
  expect(attributes.photos).toMatchObject({ relation: "morphMany", target: "plugin::upload.file", morphBy: "related" });
  expect(attributes.things.joinTable.pivotColumns).toEqual(["author_id", "things_type", "things_id"]);
});

test("types know their indexes and columns", () => {
  const { indexes, foreignKeys, columnToAttribute } = strapi.db.metadata.get("api::author.author");
  expect(indexes.map(({ name }: Body) => name)).toContain("authors_documents_idx");
  expect(foreignKeys[0]).toMatchObject({ columns: ["created_by_id"], referencedTable: "admin_users" });
  expect(columnToAttribute.full_name).toBe("fullName");
});
