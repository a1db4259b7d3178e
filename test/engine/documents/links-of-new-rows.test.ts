/** The links of a new document are written together, and copied to the published version without being read. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { contentType } from "../../../src/engine/schema/model.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { componentFile, projectFolder, relation, typeFile } from "../../project.ts";

type Data = Readonly<Record<string, unknown>>;

const inverse = (kind: string, target: string, mappedBy: string) => ({ ...relation(kind, target), mappedBy });
const owning = (kind: string, target: string, inversedBy: string) => ({ ...relation(kind, target), inversedBy });

let project: Project;
let remove: () => void;
const tags: string[] = [];
const authors: string[] = [];
beforeAll(async () => {
  const folder = projectFolder({
    ...componentFile("shared.item", { label: { type: "string" }, tag: relation("manyToOne", "tag") }),
    ...componentFile("shared.group", {
      tags: relation("manyToMany", "tag"),
      items: { type: "component", component: "shared.item", repeatable: true },
    }),
    ...typeFile("author", { name: { type: "string" }, pages: inverse("oneToMany", "page", "author") }),
    ...typeFile(
      "tag",
      { label: { type: "string" }, pages: inverse("manyToMany", "page", "tags") },
      { draftAndPublish: true },
    ),
    ...typeFile(
      "page",
      {
        title: { type: "string" },
        author: owning("manyToOne", "author", "pages"),
        tags: owning("manyToMany", "tag", "pages"),
        first: relation("oneToOne", "tag"),
        parent: owning("manyToOne", "page", "children"),
        children: inverse("oneToMany", "page", "parent"),
        subject: { type: "relation", relation: "morphToOne" },
        cover: { type: "media", multiple: false },
        groups: { type: "component", component: "shared.group", repeatable: true },
        zone: { type: "dynamiczone", components: ["shared.item", "shared.group"] },
      },
      { draftAndPublish: true },
    ),
  });
  remove = folder.remove;
  project = openProject(folder.root, { memory: true, publicRead: false, environment: {} });
  for (let at = 0; at < 12; at++) tags.push(await create("tag", { label: `${at}` }));
  for (let at = 0; at < 2; at++) authors.push(await create("author", { name: `${at}` }));
});
afterAll(() => {
  project.close();
  remove();
});

const documents = (name: string) => project.context.documents(contentType(project.model, `api::${name}.${name}`));

async function create(name: string, data: Data, status = "published"): Promise<string> {
  const { documentId } = await documents(name).create({ data, status });
  return String(documentId);
}

const populate = {
  ...{ author: { populate: "pages" }, tags: { populate: "pages" }, first: true, parent: true, children: true },
  ...{ groups: { populate: { tags: true, items: { populate: "tag" } } } },
  zone: { on: { "shared.item": { populate: "tag" }, "shared.group": { populate: { tags: true, items: true } } } },
};

/** What a version shows, with names instead of what differs between two documents. */
async function shown(documentId: string, status: string): Promise<unknown> {
  const document = await documents("page").findOne({ documentId, status, populate });
  const keep = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(keep);
    if (typeof value !== "object" || value === null) return value;
    const kept = Object.entries(value).filter(([key]) => !/^(id|.*At)$/.test(key));
    return Object.fromEntries(kept.map(([key, item]) => [key, item === documentId ? "own" : keep(item)]));
  };
  return keep(document);
}

/** Links of a field that have the same place in the list of their target. */
const SAME_PLACE = `SELECT field, target, inverse FROM galley_links
  WHERE field IN (SELECT id FROM galley_names WHERE name GLOB '*.tag>*') GROUP BY 1, 2, 3 HAVING count(*) > 1`;

const item = (at: number): Data => ({ label: `${at}`, tag: tags[at] });

const cases: readonly (readonly [name: string, data: () => Data])[] = [
  ["relations", () => ({ author: authors[0], tags: [tags[1], tags[0]], first: tags[2] })],
  ["the same target in several entries", () => ({ groups: [{ items: [item(0), item(0)] }, { items: [item(0)] }] })],
  ["more links than a statement has", () => ({ tags: tags.slice(0, 9).reverse(), groups: [{ tags }] })],
  ["as many links as a statement has", () => ({ tags: tags.slice(0, 8), author: authors[1] })],
  ["positions", () => ({ tags: { connect: [tags[3], { documentId: tags[4], position: { start: true } }] } })],
  [
    "zones",
    () => ({
      zone: [
        { __component: "shared.item", ...item(1) },
        { __component: "shared.group", tags },
      ],
    }),
  ],
  ["nothing", () => ({ tags: [], author: null, groups: [], zone: [] })],
];

describe("a document that is published when it is created is as one that is published afterwards", () => {
  test.each(cases)("%s", async (_name, data) => {
    const later = await create("page", { title: "a", ...data() }, "draft");
    await documents("page").publish({ documentId: later });
    const afterwards = [await shown(later, "draft"), await shown(later, "published")];
    await documents("page").delete({ documentId: later });
    const atOnce = await create("page", { title: "a", ...data() });
    expect([await shown(atOnce, "draft"), await shown(atOnce, "published")]).toEqual(afterwards);
    const { storage } = project.context;
    expect(storage.all(SAME_PLACE)).toEqual([]);
    await documents("page").delete({ documentId: atOnce });
    // nothing of the pages is left
    const left =
      "SELECT count(*) FROM galley_links WHERE field IN (SELECT id FROM galley_names WHERE name GLOB 'page*')";
    expect(storage.first(left)).toEqual([0]);
  });
});

test("the parent of a child that is taken away has the new document last", async () => {
  const parent = await create("page", { title: "parent" });
  const child = await create("page", { title: "child", parent });
  const between = await create("page", { title: "between", parent, children: [child] });
  const read = async (documentId: string, status: string): Promise<unknown> => {
    const { children } = (await documents("page").findOne({ documentId, status, populate: "children" })) as {
      children: readonly { readonly title: string }[];
    };
    return children.map(({ title }) => title);
  };
  for (const status of ["draft", "published"]) {
    expect(await read(parent, status)).toEqual(["between"]);
    expect(await read(between, status)).toEqual(["child"]);
  }
});

test("several new documents are last in the lists of their targets, in the order of their creation", async () => {
  const titles = ["a", "b", "c"];
  for (const title of titles) await create("page", { title, tags: [tags[10], tags[11]], author: authors[1] });
  for (const status of ["draft", "published"]) {
    const { pages } = (await documents("tag").findOne({ documentId: tags[11]!, status, populate: "pages" })) as {
      pages: readonly { readonly title: string }[];
    };
    expect(pages.map(({ title }) => title)).toEqual(titles);
  }
});
