/** Which versions responses of writes contain, where hooks watch the rows: a type without drafts links to both versions of a document. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Body, configFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...configFile({ roles: { public: ["api::doc.*", "api::plain.*", "api::word.*"] } }),
  ...typeFile(
    "doc",
    { title: { type: "string" }, plain: { ...relation("manyToOne", "plain") } },
    { draftAndPublish: true },
  ),
  ...typeFile("plain", {
    title: { type: "string" },
    words: relation("manyToMany", "word"),
    word: relation("manyToOne", "word"),
  }),
  ...typeFile("word", { title: { type: "string" } }, { draftAndPublish: true }),
  "src/index.js": `module.exports = { bootstrap({ strapi }) {
    const seen = (globalThis.writtenVersions = []);
    strapi.db.lifecycles.subscribe(({ action, model, result }) => {
      if (model.modelName !== "word" && /Create|Update|Delete/.test(action)) seen.push([action, result]);
    });
  } };`,
};

const both = ["w1 DRAFT", "w1 public", "w2 DRAFT"];
const drafts = ["w1 DRAFT", "w2 DRAFT"];
const published = ["w1 public"];

let app: TestApp;
let links: { plain: string; doc: string; words: string[] };
const documents = (name: string): Body => (globalThis as Body).strapi.documents(`api::${name}.${name}`);

const titles = (plain: Body): string[] => plain.words.map(({ title }: Body) => title);
/** The words in results of hooks after rows were written, by event. */
function seen(): unknown[] {
  const list = (globalThis as Body).writtenVersions.splice(0) as [string, Body][];
  return list.flatMap(([action, result]) =>
    action.startsWith("after")
      ? [[action, (result.plain ?? result).words ? titles(result.plain ?? result) : null]]
      : [],
  );
}

beforeAll(async () => {
  app = await testApp(files);
  const words = documents("word");
  const { documentId: first } = await words.create({ data: { title: "w1 public" }, status: "published" });
  await words.update({ documentId: first, data: { title: "w1 DRAFT" } });
  const { documentId: second } = await words.create({ data: { title: "w2 DRAFT" } });
  const ids = [first, second];
  const plain = await documents("plain").create({ data: { title: "p", words: ids, word: first } });
  const doc = await documents("doc").create({
    data: { title: "d", plain: plain.documentId },
    status: "published",
  });
  links = { plain: plain.documentId, doc: doc.documentId, words: ids };
  seen();
});
afterAll(() => app.close());

const send = async (method: string, path: string, data: object): Promise<Body> =>
  (await app.call(method, path, { data }, {})).body.data;

describe("responses to clients have no drafts", () => {
  const nested = "populate[plain][populate]=words&populate[plain][populate]=word";
  test.each([
    ["POST", `/api/docs?${nested}`],
    ["PUT", `/api/docs/:doc?${nested}`],
    ["POST", "/api/plains?populate=*"],
    ["PUT", "/api/plains/:plain?populate=*"],
  ])("%s %s", async (method, path) => {
    const isDoc = path.includes("docs");
    const url = path.replace(":doc", links.doc).replace(":plain", links.plain);
    const data = isDoc ? { plain: links.plain } : { words: links.words, word: links.words[0] };
    const answer = await send(method, url, data);
    const plain = isDoc ? answer.plain : answer;
    expect([titles(plain), plain.word?.title]).toEqual([published, "w1 public"]);
    const draft = await send(method, `${url}&status=draft`, data);
    expect(titles(isDoc ? draft.plain : draft)).toEqual(drafts);
  });
});

describe("own code gets the version that it writes", () => {
  const docs = () => documents("doc");
  const plains = () => documents("plain");
  const of = (params: object) => ({ ...params, populate: { plain: { populate: ["words"] } } });
  const first = async (result: Promise<Body>): Promise<Body> => (await result).entries[0];
  const entity = { populate: ["words"], status: "draft" };
  const cases: [string, () => Promise<Body>, string[], unknown[]][] = [
    [
      "create",
      () => docs().create(of({ data: { plain: links.plain }, status: "published" })),
      published,
      [
        ["afterCreate", drafts],
        ["afterCreate", published],
      ],
    ],
    ["update", () => docs().update(of({ documentId: links.doc, data: {} })), drafts, [["afterUpdate", drafts]]],
    [
      "publish",
      () => first(docs().publish(of({ documentId: links.doc }))),
      published,
      [
        ["afterDelete", null],
        ["afterCreate", published],
      ],
    ],
    [
      "discardDraft",
      () => first(docs().discardDraft(of({ documentId: links.doc }))),
      drafts,
      [
        ["afterDelete", null],
        ["afterCreate", drafts],
      ],
    ],
    ["unpublish", () => first(docs().unpublish(of({ documentId: links.doc }))), both, [["afterDelete", null]]],
    [
      "entityService.create",
      () =>
        (globalThis as Body).strapi.entityService.create("api::plain.plain", {
          data: { words: links.words },
          ...entity,
        }),
      published,
      [["afterCreate", published]],
    ],
    [
      "create without drafts",
      () => plains().create({ data: { words: links.words }, populate: ["words"] }),
      both,
      [["afterCreate", both]],
    ],
    [
      "clone without drafts",
      () => first(plains().clone({ documentId: links.plain, populate: ["words"] })),
      drafts,
      [["afterCreate", drafts]],
    ],
  ];
  test.each(cases)("%s", async (_, write, answered, hooked) => {
    seen();
    const document = await write();
    expect([titles(document.plain ?? document), seen()]).toEqual([answered, hooked]);
  });
});
