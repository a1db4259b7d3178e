/** How many statements each write runs. A change that needs another one changes a number here. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { contentType } from "../../../src/engine/schema/model.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { componentFile, projectFolder, relation, typeFile } from "../../project.ts";

const shared = { pluginOptions: { i18n: { localized: false } } };
const own = { pluginOptions: { i18n: { localized: true } } };

const article = {
  title: "a",
  views: 1,
  seo: { title: "s" },
  items: [{ label: "a" }, { label: "b" }],
};

let author: string;
const tags: string[] = [];
let project: Project;
let remove: () => void;
beforeAll(async () => {
  const folder = projectFolder({
    ...componentFile("shared.seo", { title: { type: "string" } }),
    ...componentFile("shared.item", { label: { type: "string" } }),
    ...typeFile("note", { title: { type: "string" }, views: { type: "integer" } }),
    ...typeFile("draft", { title: { type: "string" }, views: { type: "integer" } }, { draftAndPublish: true }),
    ...typeFile("author", { name: { type: "string" } }),
    ...typeFile("tag", { label: { type: "string" } }, { draftAndPublish: true }),
    ...typeFile(
      "article",
      {
        title: { type: "string", required: true },
        views: { type: "integer" },
        author: relation("manyToOne", "author"),
        tags: relation("manyToMany", "tag"),
        seo: { type: "component", component: "shared.seo" },
        items: { type: "component", component: "shared.item", repeatable: true },
      },
      { draftAndPublish: true },
    ),
    ...typeFile(
      "page",
      { title: { type: "string", ...own }, views: { type: "integer", ...shared } },
      { draftAndPublish: true, localized: true },
    ),
  });
  remove = folder.remove;
  project = openProject(folder.root, { memory: true, publicRead: false, environment: {} });
  author = String((await documents("author").create({ data: { name: "a" } })).documentId);
  for (const label of ["a", "b"]) tags.push(String((await documents("tag").create({ data: { label } })).documentId));
});
afterAll(() => {
  project.close();
  remove();
});

const documents = (name: string) => project.context.documents(contentType(project.model, `api::${name}.${name}`));

type Work = (name: string, documentId: string) => Promise<unknown>;
type Data = Readonly<Record<string, unknown>>;

const update =
  (data: Data, params: Data = {}): Work =>
  (name, documentId) =>
    documents(name).update({ documentId, data, status: "published", ...params });
const publish: Work = (name, documentId) => documents(name).publish({ documentId });
const unpublish: Work = (name, documentId) => documents(name).unpublish({ documentId });
const create =
  (status?: "draft"): Work =>
  (name) =>
    createDocument(name, status);
const erase: Work = (name, documentId) => documents(name).delete({ documentId });

async function createDocument(name: string, status: "draft" | "published" = "published"): Promise<string> {
  const data = name === "article" ? { ...article, author, tags } : { title: "a", views: 1 };
  const { documentId } = await documents(name).create({ data, status });
  if (name === "page") await documents(name).update({ documentId: String(documentId), data, status, locale: "fr" });
  return String(documentId);
}

/** With BEGIN and COMMIT. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const { storage } = project.context;
  const before = storage.statements;
  await work();
  return storage.statements - before;
}

const works: readonly (readonly [name: string, type: string, work: Work, statements: number])[] = [
  ["creates", "note", create(), 4],
  ["updates a number of", "note", update({ views: 2 }), 5],
  ["deletes", "note", erase, 6],
  ["creates and publishes", "draft", create(), 5],
  ["creates the draft of", "draft", create("draft"), 4],
  ["updates a number of the published version of", "draft", update({ views: 2 }), 8],
  ["updates a number of the draft of", "draft", update({ views: 2 }, { status: "draft" }), 5],
  ["publishes", "draft", publish, 7],
  ["unpublishes", "draft", unpublish, 8],
  ["deletes", "draft", erase, 8],
  ["creates and publishes", "article", create(), 17],
  ["creates the draft of", "article", create("draft"), 10],
  ["updates a number of the published version of", "article", update({ views: 2 }), 19],
  ["updates a number of the draft of", "article", update({ views: 2 }, { status: "draft" }), 5],
  ["publishes", "article", publish, 18],
  ["unpublishes", "article", unpublish, 12],
  ["deletes", "article", erase, 16],
  ["updates what only one locale has of", "page", update({ title: "b" }), 11],
  ["updates what two locales share of", "page", update({ views: 2 }), 13],
  ["publishes both locales of", "page", (name, documentId) => documents(name).publish({ documentId, locale: "*" }), 14],
];

for (const [name, type, work, statements] of works) {
  test(`${statements} statements: ${name} a document of the type ${type}`, async () => {
    const run = async (): Promise<number> => {
      const documentId = await createDocument(type);
      return countStatements(() => work(type, documentId));
    };
    // the first time fills caches
    await run();
    expect(await run()).toBe(statements);
  });
}
