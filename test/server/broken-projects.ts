/** Projects that cannot be served, each by one change of a good one: what is written, and what the person is told. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { componentFile, configFile, typeFile, writeFiles } from "../project.ts";

const SCHEMA = "src/api/post/content-types/post/schema.json";

export const goodFiles = {
  ...configFile(),
  ...componentFile("part.row", { name: { type: "string" } }),
  ...typeFile("post", { title: { type: "string" } }),
};

interface BrokenProject {
  readonly name: string;
  readonly breakIt: (root: string) => void;
  /** In the one line that the person reads. */
  readonly tells: string;
}

const files =
  (changed: Readonly<Record<string, string>>) =>
  (root: string): void =>
    writeFiles(root, changed);

/** What is in the way of a file: a folder cannot be read as one, whoever asks. */
function folderAt(root: string, path: string): void {
  rmSync(join(root, path), { force: true });
  mkdirSync(join(root, path), { recursive: true });
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, { type: "integer" }]));

export const brokenProjects: readonly BrokenProject[] = [
  {
    name: "a component that throws",
    breakIt: files({ "src/components/part/other.js": 'throw new Error("not today")' }),
    tells: "src/components/part/other.js: cannot be read (not today)",
  },
  {
    name: "a schema that cannot be read",
    breakIt: (root) => folderAt(root, SCHEMA),
    tells: `${SCHEMA}: cannot be read`,
  },
  {
    name: "a folder that is called as a file",
    breakIt: (root) => folderAt(root, "src/components/part/thing.json"),
    tells: "src/components/part/thing.json: cannot be read",
  },
  {
    name: "a file where a folder belongs",
    breakIt: (root) => {
      const path = join(root, "src/api/other/content-types");
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
    },
    tells: "src/api/other/content-types: cannot be read",
  },
  {
    name: "more attributes than a table has columns",
    breakIt: files(typeFile("post", many(2100))),
    tells: `${SCHEMA}: attributes: 21`,
  },
  {
    name: "a rejected promise in the list of middlewares",
    breakIt: files({ "config/middlewares.js": 'module.exports = () => Promise.reject(new Error("no database"))' }),
    tells: "config/middlewares.js: must hold a list",
  },
  {
    name: "an attribute with a reserved name",
    breakIt: files(typeFile("post", { documentId: { type: "string" } })),
    tells: `${SCHEMA}: attributes.documentId`,
  },
  {
    name: "a table with the name of an index",
    breakIt: files(typeFile("note", {}, { collectionName: "posts_version" })),
    tells:
      'src/api/note/content-types/note/schema.json: collectionName: "posts_version" is the name of an index of "posts"',
  },
  {
    name: "a token without its key",
    breakIt: files(configFile({ tokens: [{ name: "t", type: "full-access", keyEnv: "MISSING_KEY" }] })),
    tells: "config/galley.json: tokens.0.keyEnv: the environment variable MISSING_KEY is not set",
  },
];
