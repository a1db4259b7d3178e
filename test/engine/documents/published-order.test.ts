/** The places of a document in the lists of others, when it is published. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, relation, type TestApp, testApp, typeFile } from "../../project.ts";

const drafts = { draftAndPublish: true };

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...typeFile(
      "page",
      {
        name: { type: "string" },
        parent: { ...relation("manyToOne", "page"), inversedBy: "children" },
        children: { ...relation("oneToMany", "page"), mappedBy: "parent" },
        near: { ...relation("manyToMany", "page"), inversedBy: "nearTo" },
        nearTo: { ...relation("manyToMany", "page"), mappedBy: "near" },
        topic: { ...relation("manyToOne", "topic"), inversedBy: "pages" },
      },
      drafts,
    ),
    ...typeFile(
      "topic",
      { name: { type: "string" }, pages: { ...relation("oneToMany", "page"), mappedBy: "topic" } },
      drafts,
    ),
  });
});
afterAll(() => app.close());

type Status = "draft" | "published";
const documents = (type: string) => app.documents(`api::${type}.${type}`);
const create = async (type: string, name: string, status: Status, data: object = {}): Promise<string> =>
  String((await documents(type).create({ data: { name, ...data }, status })).documentId);
const publish = async (...ids: readonly string[]): Promise<void> => {
  for (const documentId of ids) await documents("page").publish({ documentId });
};
/** The names in lists of a published document. */
async function read(type: string, documentId: string, ...lists: readonly string[]): Promise<string[]> {
  const found = (await documents(type).findOne({ documentId, status: "published", populate: [...lists] })) as Body;
  return lists.map((list) => found[list].map(({ name }: { name: string }) => name).join(""));
}

for (const before of ["draft", "published"] as const) {
  test(`of its own type, these are the places in their drafts, whatever is published first (${before} before)`, async () => {
    const root = await create("page", "root", "published");
    const [a, b, c] = [
      await create("page", "a", before),
      await create("page", "b", before),
      await create("page", "c", before),
    ];
    const lists = ["children", "near", "nearTo"];
    await documents("page").update({
      documentId: root,
      data: { children: [b, c, a], near: [b, c, a], nearTo: [a, b, c] },
    });
    await publish(a, c, b);
    expect(await read("page", root, ...lists)).toEqual(["bca", "bca", "abc"]);
    // another order, of which only one document has been published
    await documents("page").update({ documentId: root, data: { children: [a, b, c] } });
    await publish(a);
    expect((await read("page", root, "children"))[0]).toHaveLength(3);
    await publish(b, c);
    expect(await read("page", root, "children")).toEqual(["abc"]);
  });
}

test("of another type, they are the last ones where the published version had none", async () => {
  const topic = await create("topic", "topic", "published");
  const [a, b] = [await create("page", "a", "published"), await create("page", "b", "published")];
  await documents("topic").update({ documentId: topic, data: { pages: [a, b] } });
  await publish(b, a);
  expect(await read("topic", topic, "pages")).toEqual(["ba"]);
  await publish(b);
  expect(await read("topic", topic, "pages")).toEqual(["ba"]);
  const fresh = await create("topic", "fresh", "published");
  const [c, d] = [await create("page", "c", "draft"), await create("page", "d", "draft")];
  await documents("topic").update({ documentId: fresh, data: { pages: [c, d] } });
  await publish(d, c);
  expect(await read("topic", fresh, "pages")).toEqual(["cd"]);
});

test("a document has one place in a list in which it was before it was published", async () => {
  const root = await create("page", "root", "published");
  const [a, b] = [await create("page", "a", "draft"), await create("page", "b", "draft")];
  await documents("page").update({ documentId: root, data: { near: [a, b] } });
  await publish(root, b, root);
  await documents("page").update({ documentId: root, data: { near: [b, a] } });
  await publish(a);
  expect(await read("page", root, "near")).toEqual(["ba"]);
});
