/** Sides of relations in requests to the content-type builder: which of them owns the links is never changed. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Body, projectFolder, relation, type TestApp, typeFile } from "../project.ts";
import { adminTokenFile, openAsAdmin } from "./admin-token.ts";

const side = (kind: string, target: string, other: object) => ({ ...relation(kind, target), ...other });
const folder = projectFolder({
  ...typeFile("song", {
    name: { type: "string" },
    tags: side("manyToMany", "tag", { inversedBy: "songs" }),
    cover: side("oneToOne", "cover", { inversedBy: "song" }),
    covers: side("manyToMany", "song", { inversedBy: "coverOf" }),
    coverOf: side("manyToMany", "song", { mappedBy: "covers" }),
  }),
  ...typeFile("tag", { songs: side("manyToMany", "song", { mappedBy: "tags" }) }),
  ...typeFile("cover", { song: side("oneToOne", "song", { mappedBy: "cover" }) }),
  ...adminTokenFile,
});
const BUILDER = "/content-type-builder/content-types";
const contentOf = (name: string): string => `/content-manager/collection-types/api::${name}.${name}`;

let admin: TestApp["call"];
openAsAdmin(
  folder,
  (opened) => {
    ({ admin } = opened);
  },
  { memory: false },
);

const sidesOf = (name: string): Body => {
  const file = join(folder.root, `src/api/${name}/content-types/${name}/schema.json`);
  const { attributes } = JSON.parse(readFileSync(file, "utf8"));
  const sides = Object.entries(attributes as Body).map(([key, { inversedBy, mappedBy }]: [string, Body]) => [
    key,
    inversedBy ? "owns its links" : mappedBy && "mapped",
  ]);
  return Object.fromEntries(sides);
};
const create = async (name: string, data: object): Promise<string> =>
  (await admin("POST", contentOf(name), data)).body.data.documentId;

test("a type that is sent back as it was received keeps its links", async () => {
  const tag = await create("tag", {});
  const cover = await create("cover", {});
  const original = await create("song", { name: "Original", tags: [tag], cover });
  const song = await create("song", { name: "Cover", covers: [original] });
  const before = ["song", "tag", "cover"].map(sidesOf);
  for (const name of ["tag", "cover", "song"]) {
    const { body } = await admin("GET", `${BUILDER}/api::${name}.${name}`);
    const { status } = await admin("PUT", `${BUILDER}/api::${name}.${name}`, { contentType: body.data.schema });
    expect(status).toBe(201);
  }
  expect(["song", "tag", "cover"].map(sidesOf)).toEqual(before);
  const links = async (documentId: string) => (await admin("GET", `${contentOf("song")}/${documentId}`)).body.data;
  expect(await links(original)).toMatchObject({ tags: { count: 1 }, cover: { count: 1 }, coverOf: { count: 1 } });
  expect(await links(song)).toMatchObject({ covers: { count: 1 } });
});

test("of two new sides in one type the first owns the links", async () => {
  const side = (targetAttribute: string) => ({
    ...relation("manyToMany", "band"),
    target: "__self__",
    targetAttribute,
  });
  const attributes = { friends: side("friendOf"), friendOf: side("friends") };
  const names = { singularName: "band", pluralName: "bands", displayName: "Band", kind: "collectionType" };
  const made = await admin("POST", BUILDER, { contentType: { ...names, attributes } });
  expect(made.status).toBe(201);
  expect(sidesOf("band")).toEqual({ friends: "owns its links", friendOf: "mapped" });
});
