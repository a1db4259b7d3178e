/** A project with many files of content, and the edits that are measured. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const AUTHORS = 20;
const TOKEN = "content-files-full-access";
export const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

const articlePath = (number: number): string => `content/articles/a${number}.yaml`;

export const articleFile = (root: string, number: number): string => join(root, articlePath(number));

function write(root: string, path: string, text: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function writeSchema(root: string, name: string, attributes: object): void {
  const schema = {
    kind: "collectionType",
    collectionName: `${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    options: { draftAndPublish: true },
    attributes,
  };
  write(root, `src/api/${name}/content-types/${name}/schema.json`, JSON.stringify(schema));
}

/** Files as a person writes them: without ids. */
export function writeProject(root: string, articles: number): void {
  write(root, "config/galley.json", JSON.stringify({ tokens: [{ name: "full", type: "full-access", key: TOKEN }] }));
  write(root, ".gitignore", ".galley\n");
  writeSchema(root, "author", { name: { type: "string" } });
  writeSchema(root, "article", {
    title: { type: "string" },
    body: { type: "text" },
    views: { type: "integer" },
    author: { type: "relation", relation: "manyToOne", target: "api::author.author" },
  });
  for (let number = 0; number < AUTHORS; number++)
    write(root, `content/authors/a${number}.yaml`, `name: Author ${number}\n$published: true\n`);
  for (let number = 0; number < articles; number++)
    write(
      root,
      articlePath(number),
      `title: Article ${number}\nbody: Some text that is a bit longer ${number}\nviews: ${number}\nauthor: authors/a${number % AUTHORS}\n$published: true\n`,
    );
}

/** As editors that save in place do. */
export function setTitle(root: string, number: number, title: string): void {
  const file = articleFile(root, number);
  writeFileSync(file, readFileSync(file, "utf8").replace(/^title: .*$/m, `title: ${title}`));
}
