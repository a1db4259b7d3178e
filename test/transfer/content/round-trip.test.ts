/** Files of a database are loaded into an empty one, and read again. */
import { expect, test } from "bun:test";
import { USER } from "../../../src/engine/schema/builtin/index.ts";
import { apiTypes } from "../../../src/engine/schema/model.ts";
import { atOnce } from "../../../src/lib/in-turns.ts";
import { parseFile, printFile } from "../../../src/transfer/content/file-text.ts";
import { readDocuments } from "../../../src/transfer/content/read-documents.ts";
import { createHashes, writeDocuments } from "../../../src/transfer/content/write-documents.ts";
import { Content, card } from "./fixture.ts";

const TAG = "api::tag.tag";
const AUTHOR = "api::author.author";

async function fill(content: Content): Promise<void> {
  const mara = await content.create("author", { title: "mara" }, { status: "published" });
  const ada = await content.create("author", { title: "ada" });
  const [red, green] = [await content.create("tag", { title: "red" }), await content.create("tag", { title: "green" })];
  await content.update("tag", red, { title: "red" });
  const linked = await content.create(
    "article",
    {
      title: "linked",
      author: mara,
      writer: 1,
      tags: [green, red],
      related: [
        { documentId: green, __type: TAG },
        { documentId: ada, __type: AUTHOR },
      ],
      subject: { documentId: mara, __type: AUTHOR },
      cover: 1,
      gallery: [2, 1],
      seo: { image: 2, by: ada },
      sections: [card("one", [ada, mara]), { __component: "shared.seo", by: mara }],
    },
    { status: "published" },
  );
  await content.update("article", linked, { next: linked, price: 4 });
  await content.update("author", mara, { title: "mara" }, { locale: "de", status: "published" });
  await content.update("article", linked, { title: "de", author: mara }, { locale: "de", status: "published" });
  await content.update("article", linked, { price: 5, tags: [red] });
  const rows = content.context.storage;
  const german = rows.first("SELECT id FROM authors WHERE document_id = ? AND locale = 'de' AND status = 'draft'", [
    mara,
  ])![0];
  const abroad = await content.create("article", { title: "abroad", author: german }, { status: "published" });
  const row = rows.first("SELECT id FROM articles WHERE document_id = ? AND status = 'draft'", [abroad])![0];
  await content.create("tag", { title: "showing", shownBy: [row] });
  const nl = await content.create("article", { title: "nl" }, { locale: "nl" });
  await content.update("article", nl, { title: "it" }, { locale: "it", status: "published" });
  await content.update("article", nl, { next: nl }, { locale: "it" });
  await content.service("author").publish({ documentId: ada });
  await content.update("author", ada, { title: "ada 2" });

  await content.create("box", { title: "box", size: null, sides: [{ colour: null }, {}] });
  const p = await content.create("person", { title: "p" }, { status: "published" });
  const q = await content.create("person", { title: "q" });
  await content.create("note", { title: "both", owner: p, friends: [q, p] });
  await content.service("person").publish({ documentId: q });
  const draft = { documentId: p, status: "draft" };
  const friends = [draft, { documentId: q }, { documentId: p, status: "published" }];
  await content.create("note", { title: "one", owner: draft, friends });

  // both sides add a link, and an archive has had a file twice
  const repeated = await content.create("article", {
    title: "repeated",
    related: [{ documentId: red, __type: TAG }],
    gallery: [1, 2],
  });
  const [[repeatedRow]] = rows.all("SELECT id FROM articles WHERE document_id = ?", [repeated]) as [[number]];
  await content.update("tag", red, { shownBy: { connect: [repeatedRow] } });
  rows.run(
    `INSERT INTO galley_links SELECT field, owner, 3, target, kind, 3, NULL FROM galley_links
     WHERE owner = ? AND position = 1 AND field = (SELECT id FROM galley_names WHERE name = 'articles.gallery>files')`,
    [repeatedRow],
  );
  await content.create("thing", {
    jsonValue: { b: 1, a: [null] },
    decimalValue: 1.5,
    bigintegerValue: "9007199254740993",
  });
}

test("what files are loaded into has the same files", async () => {
  await using content = new Content();
  await using other = new Content();
  for (const { media, row } of [content, other].map((one) => ({
    media: one.media.bind(one),
    row: one.row.bind(one),
  }))) {
    for (const name of ["a.png", "b.png"]) media(name);
    row(USER, { username: "ada", email: "ada@example.org" });
  }
  await fill(content);
  const read = ({ context }: Content) =>
    apiTypes(context.model).flatMap((type) =>
      [...readDocuments(context, type, undefined, content.names)].map(([documentId, file]) => ({
        type,
        documentId,
        file,
      })),
    );
  expect(read(content).find(({ file }) => file.title === "repeated")?.file).toMatchObject({
    related: ["tags/red", { document: "tags/red", field: "shownBy" }],
    gallery: ["a.png", "b.png", "a.png"],
  });
  for (const { file } of read(content))
    for (const kind of ["yaml", "json"] as const) expect(parseFile(printFile(file, { kind }), { kind })).toEqual(file);
  const changes = read(content).map(({ type, documentId, file }) => ({
    type: other.type(type.singularName),
    documentId,
    before: undefined,
    after: file,
  }));
  const hashes = await createHashes(other.context, changes, "en");
  const targets = content.targetsIn(other);
  await other.context.storage.write(() => atOnce(writeDocuments(other.context, changes, targets, hashes)));
  const files = (all: ReturnType<typeof read>) => all.map(({ file }) => file);
  expect(changes).toHaveLength(15);
  expect(files(read(other))).toEqual(files(read(content)));
});
