/** The project of the page's benchmark: 10,000 documents, and documents with few and with many components. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../../src/index.ts";

export const ARTICLE = "api::article.article";
/** As an article, with the fields whose editor is CodeMirror. */
export const ESSAY = "api::essay.essay";
export const COMPONENTS = 100;
const COUNT = 10_000;

const scalars = [
  "string",
  "text",
  "email",
  "uid",
  "integer",
  "biginteger",
  "float",
  "decimal",
  "boolean",
  "date",
  "time",
  "datetime",
];

const createType = (name: string, attributes: object) => ({
  kind: "collectionType",
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: true },
  attributes,
});

const attributes = {
  title: { type: "string" },
  ...Object.fromEntries(scalars.map((type) => [`a_${type}`, { type }])),
  mood: { type: "enumeration", enum: ["calm", "loud"] },
  body: { type: "blocks" },
  cover: { type: "media", multiple: true },
  related: { type: "relation", relation: "manyToMany", target: ARTICLE },
  parts: { type: "component", component: "text.part", repeatable: true },
  zone: { type: "dynamiczone", components: ["text.part"] },
};

const part = {
  collectionName: "components_text_parts",
  info: { displayName: "Part" },
  attributes: { heading: { type: "string" }, text: { type: "text" } },
};

/** 10,000 articles. Returns the ids of an article with two components, and of an essay with many. */
export async function makeProject(root: string): Promise<{ small: string; large: string }> {
  const files: Record<string, unknown> = {
    "src/api/article/content-types/article/schema.json": createType("article", attributes),
    "src/api/essay/content-types/essay/schema.json": createType("essay", {
      ...attributes,
      story: { type: "richtext" },
      data: { type: "json" },
    }),
    "src/components/text/part.json": part,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(content));
  }
  mkdirSync(join(root, "public"), { recursive: true });
  writeFileSync(join(root, "public/empty.html"), "<!doctype html><title>empty</title><p>empty</p>");
  await using galley = await createGalley({ project: root, memory: false });
  const articles = galley.documents(ARTICLE);
  const body = [{ type: "paragraph", children: [{ type: "text", text: "Some words." }] }];
  const parts = Array.from({ length: COMPONENTS }, (_, index) => ({
    heading: `Part ${index}`,
    text: "Words of a part.",
  }));
  const small = await articles.create({ data: { title: "article 00000", body, parts: parts.slice(0, 2) } });
  const large = await galley.documents(ESSAY).create({ data: { title: "large", body, parts } });
  const db = galley.database();
  const names = (db.query("SELECT name FROM pragma_table_info('articles')").all() as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== "id");
  const others: Readonly<Record<string, string>> = {
    title: "printf('article %05d', n)",
    document_id: "printf('%024d', n)",
  };
  db.run(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${COUNT - 1})
     INSERT INTO articles (${names.map((name) => `"${name}"`).join()})
     SELECT ${names.map((name) => others[name] ?? `articles."${name}"`).join()}
     FROM numbers, articles WHERE articles.document_id = '${small.documentId}'`,
  );
  return { small: String(small.documentId), large: String(large.documentId) };
}
