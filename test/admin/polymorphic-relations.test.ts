/** Relations to several types in the content manager: Strapi fails for them, and its page does not show them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { projectFolder, relation, typeFile } from "../project.ts";
import { askAs, signedIn } from "./signed-in.ts";

const KEY = "a key for tests of polymorphic relations";
const RELATIONS = "/content-manager/relations";
const project = projectFolder({
  ...typeFile("apple", { name: { type: "string" }, boxes: { ...relation("morphMany", "box"), morphBy: "items" } }),
  ...typeFile("plum", { label: { type: "string" } }, { draftAndPublish: true }),
  ...typeFile("box", { name: { type: "string" }, items: { type: "relation", relation: "morphToMany" } }),
});
let galley: Galley;
let ask: ReturnType<typeof askAs>;
const ids: Record<string, string> = {};

beforeAll(async () => {
  galley = await createGalley({ project: project.root, admin: true, environment: { ADMIN_JWT_SECRET: KEY } });
  ask = askAs(galley, await signedIn(galley, KEY));
  for (const name of ["red", "green"])
    ids[name] = (await galley.documents("api::apple.apple").create({ data: { name } })).documentId as string;
  const plum = await galley.documents("api::plum.plum").create({ data: { label: "blue" } });
  ids.blue = plum.documentId as string;
  await galley.documents("api::plum.plum").publish({ documentId: ids.blue });
  const connect = [
    { documentId: ids.red, __type: "api::apple.apple" },
    { documentId: ids.blue, __type: "api::plum.plum" },
  ];
  const box = await ask("POST", "/content-manager/collection-types/api::box.box", { items: { connect } });
  ids.box = box.body.data.documentId;
});
afterAll(async () => {
  await galley.close();
  project.remove();
});

const linked = async () => {
  const { body } = await ask("GET", `${RELATIONS}/api::box.box/${ids.box}/items`);
  return body.results.map((item: Record<string, unknown>) => [item.__type, item.name ?? item.label, item.status]);
};

test("what is linked has its type and its name, each document once, the last one first", async () => {
  expect(await linked()).toEqual([
    ["api::plum.plum", "blue", "published"],
    ["api::apple.apple", "red", undefined],
  ]);
});

test("a type is searched for what can be linked, without what is linked", async () => {
  const path = `${RELATIONS}/api::box.box/items?id=${ids.box}`;
  const apples = await ask("GET", `${path}&target=api::apple.apple`);
  expect(apples.body.results.map(({ name }: { name: string }) => name)).toEqual(["green"]);
  const plums = await ask("GET", `${path}&target=api::plum.plum`);
  expect(plums.body.results).toEqual([]);
});

test.each(["", "&target=api::none.none", "&target[]=api::apple.apple"])("a search %p names one type", async (query) => {
  const { status, body } = await ask("GET", `${RELATIONS}/api::box.box/items?page=1${query}`);
  expect(status).toBe(400);
  expect(body.error.message).toBe("The relation items leads to several types: target must name one of them");
});

test("lists have what is linked, and the other side is read whole", async () => {
  const boxes = await ask("GET", "/content-manager/collection-types/api::box.box");
  expect(boxes.body.results[0].items[0]).toMatchObject({ __type: "api::apple.apple", name: "red" });
  const path = "/content-manager/collection-types/api::apple.apple";
  const connect = [{ documentId: ids.box }];
  const made = await ask("POST", path, { name: "ripe", boxes: { connect } });
  expect(made.body.data.boxes).toMatchObject([{ documentId: ids.box }]);
  await ask("PUT", `${path}/${made.body.data.documentId}`, { boxes: { disconnect: connect } });
  const apple = await ask("GET", `${path}/${made.body.data.documentId}`);
  expect(apple.body.data.boxes).toEqual([]);
});

test("a document is put behind one of another type", async () => {
  const position = { after: ids.red, __type: "api::apple.apple" };
  const connect = [{ documentId: ids.green, __type: "api::apple.apple", position }];
  await ask("PUT", `/content-manager/collection-types/api::box.box/${ids.box}`, { items: { connect } });
  expect((await linked()).map(([, name]: string[]) => name)).toEqual(["blue", "green", "red"]);
});
