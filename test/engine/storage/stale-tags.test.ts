/** Which tags writes make stale, and which not, where a walk would find it only by chance. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { linkedValuePart, valuePart } from "../../../src/engine/storage/cache-tags.ts";
import { lastSequence } from "../../../src/engine/storage/change-log/change-log.ts";
import { staleSince } from "../../../src/engine/storage/change-log/stale-tags.ts";
import { compactPart } from "../../../src/engine/storage/change-log/upkeep.ts";
import { Clock } from "../../../src/lib/clock.ts";
import { ARTICLE, AUTHOR, files, type LoggedApp, loggedAppOf } from "./change-log-app.ts";

const everything = { mayList: () => true, isNamed: () => true, status: undefined };

let app: LoggedApp;
beforeAll(async () => {
  // what takes part in writes sees the steps of a replacement
  const { "src/index.js": _, ...others } = files;
  app = await loggedAppOf(others);
});
afterAll(() => app.close());

async function staleBy(work: () => unknown): Promise<string[]> {
  const since = lastSequence(app.storage);
  await work();
  return staleSince(app.storage, since, everything, { entries: 1_000, tags: 10_000 });
}

const publish = async (data: Record<string, unknown>): Promise<string> =>
  (await app.documents(ARTICLE).create({ data, status: "published" })).documentId as string;

test("a document that is published again is behind the others of its list, and as it was besides", async () => {
  const documentId = await publish({ title: "x", size: 1 });
  const tags = await staleBy(() => app.documents(ARTICLE).publish({ documentId }));
  expect(tags).toContain("article.id:en");
  expect(tags.filter((tag) => /list|title|size/.test(tag))).toEqual([]);
});

test("a document that is published again has the links that it had, without entries of them", async () => {
  const { documentId: author } = await app.documents(AUTHOR).create({ data: { name: "Eve" } });
  const documentId = await publish({ title: "x", author });
  const since = lastSequence(app.storage);
  const tags = await staleBy(() => app.documents(ARTICLE).publish({ documentId }));
  expect(tags.filter((tag) => tag.startsWith("author"))).toEqual([]);
  const link = app.storage.number("articles.author>authors");
  expect(app.storage.all("SELECT 1 FROM galley_changes WHERE sequence > ? AND source = ?", [since, link])).toEqual([]);
  const [article] = await app
    .documents(ARTICLE)
    .findMany({ status: "published", populate: ["author"], filters: { documentId } });
  expect((article!.author as { documentId: string }).documentId).toBe(author as string);
});

test("a link that is given to another document", async () => {
  const { documentId: author } = await app.documents(AUTHOR).create({ data: { name: "Ida" } });
  await publish({ title: "has", author });
  const documentId = await publish({ title: "gets" });
  const link = app.storage.number("articles.author>authors");
  const target = app.storage.first("SELECT id FROM authors WHERE document_id = ?", [author as string])![0] as number;
  const of = "document_id = ? AND status = 'published'";
  const to = app.storage.first(`SELECT id FROM articles WHERE ${of}`, [documentId])![0] as number;
  const tags = await staleBy(() =>
    app.storage.run(
      "UPDATE galley_links SET owner = ?, kind = kind WHERE field = ? AND target = ? AND owner IN (SELECT id FROM articles WHERE status = 'published')",
      [to, link, target],
    ),
  );
  expect(tags).toContain(`article:${documentId}:author:en`);
});

test("what a type without versions shows of drafts has tags of its own", async () => {
  const { documentId } = await app.documents(AUTHOR).create({ data: { name: "Ann" } });
  const link = `author:${documentId}:articles`;
  const drafted = await staleBy(() => app.documents(ARTICLE).create({ data: { title: "x", author: documentId } }));
  expect(drafted).toContain(`${link}:draft`);
  expect(drafted).not.toContain(link);
  expect(await staleBy(() => publish({ title: "x", author: documentId }))).toContain(link);
});

test("rows that another program deletes without their links, and brings back", async () => {
  const { documentId } = await app.documents(AUTHOR).create({ data: { name: "Ann" } });
  await publish({ title: "linked", author: documentId });
  const [row] = app.storage.all("SELECT * FROM authors WHERE document_id = ?", [documentId as string]);
  const wanted = [
    `author${linkedValuePart("articles", "title", "linked")}`,
    `article${linkedValuePart("author", "name", "Ann")}:en`,
    "article.author:en",
  ];
  const gone = await staleBy(() =>
    app.storage.run("DELETE FROM authors WHERE document_id = ?", [documentId as string]),
  );
  const back = await staleBy(() =>
    app.storage.run(`INSERT INTO authors VALUES (${row!.map(() => "?").join()})`, row as string[]),
  );
  for (const tags of [gone, back]) for (const tag of wanted) expect(tags).toContain(tag);
});

test.each(["authors", "articles"])(
  "%s: a row that is there only after its link, as compacted entries say",
  async (table) => {
    const { documentId: author } = await app.documents(AUTHOR).create({ data: { name: "Bea" } });
    const documentId = table === "authors" ? (author as string) : await publish({ title: "linked", author });
    if (table === "authors") await publish({ title: "linked", author });
    const of = `document_id = '${documentId}' AND status = 'published'`;
    const row = app.storage.first(`SELECT * FROM ${table} WHERE ${of}`)!;
    const field = app.storage.number("articles.author>authors");
    const linked = `field = ${field} AND ${table === "authors" ? "target" : "owner"} = ${row[0]}`;
    const links = app.storage.all(`SELECT * FROM galley_links WHERE ${linked}`);
    const insert = (name: string, values: readonly unknown[]): unknown =>
      app.storage.run(`INSERT INTO ${name} VALUES (${values.map(() => "?").join()})`, values as string[]);
    app.storage.run(`DELETE FROM ${table} WHERE ${of}`);
    app.storage.run(`DELETE FROM galley_links WHERE ${linked}`);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) insert("galley_links", link);
    const tags = await staleBy(async () => {
      insert(table, row);
      // the last entry of all is not compacted
      await app.documents(AUTHOR).create({ data: { name: "Cid" } });
      while (compactPart(app.storage, new Clock()) === "more");
    });
    expect(tags).toContain(`article${linkedValuePart("author", "name", "Bea")}:en`);
    expect(tags).toContain("article.author:en");
  },
);

test("a link from the other side is no write of the document, to whom may not list that side", async () => {
  const { documentId: author } = await app.documents(AUTHOR).create({ data: { name: "Dan" } });
  const article = await publish({ title: "unlinked" });
  const since = lastSequence(app.storage);
  await app.documents(AUTHOR).update({ documentId: author as string, data: { articles: [article] } });
  // the last entry of all is not compacted
  await app.documents(AUTHOR).create({ data: { name: "Eve" } });
  while (compactPart(app.storage, new Clock()) === "more");
  const bounds = { entries: 1_000, tags: 10_000 };
  const isOfArticle = (tag: string): boolean => tag.startsWith("article");
  expect(staleSince(app.storage, since, everything, bounds).filter(isOfArticle)).not.toEqual([]);
  const scope = { ...everything, mayList: (uid: string) => uid !== AUTHOR };
  expect(staleSince(app.storage, since, scope, bounds).filter(isOfArticle)).toEqual([]);
});

test("a value that is new with its document is no changed one", async () => {
  const name = `author${valuePart("name", "Bea")}`;
  let documentId = "";
  const created = await staleBy(async () => {
    documentId = (await app.documents(AUTHOR).create({ data: { name: "Bea" } })).documentId as string;
  });
  expect(created).toContain(name);
  expect(created).not.toContain(`${name}~`);
  const changed = await staleBy(() => app.documents(AUTHOR).update({ documentId, data: { name: "Cleo" } }));
  for (const tag of [name, `${name}~`, "author.updated_at"]) expect(changed).toContain(tag);
});

test("permissions are no reason to forget what tokens have read", async () => {
  const { body } = await app.call("GET", "/api/users-permissions/roles");
  const { id, name, description } = body.roles[0];
  const permissions = { "api::tag": { controllers: { tag: { find: { enabled: true } } } } };
  const tags = await staleBy(() =>
    app.call("PUT", `/api/users-permissions/roles/${id}`, { name, description, permissions }),
  );
  expect(tags).toContain("access");
  expect(tags).not.toContain("all");
});

test("a row with another id may be in any place of a list", async () => {
  const { documentId } = await app.documents(AUTHOR).create({ data: { name: "Ann" } });
  const tags = await staleBy(() =>
    app.storage.run("UPDATE authors SET id = -id WHERE document_id = ?", [documentId as string]),
  );
  for (const tag of ["author.id", "author:list", `author:${documentId}`]) expect(tags).toContain(tag);
});
