/** An application over a file whose changes another connection logs, as another process would. */
import { join } from "node:path";
import { enableChangeLog, lastSequence } from "../../../src/engine/storage/change-log/change-log.ts";
import { changesSince } from "../../../src/engine/storage/change-log/changes-since.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";
import { createGalley } from "../../../src/index.ts";
import {
  ADMIN,
  type Body,
  componentFile,
  configFile,
  createCall,
  projectFolder,
  type TestApp,
  typeFile,
} from "../../project.ts";

export const ARTICLE = "api::article.article";
export const AUTHOR = "api::author.author";
export const TAG = "api::tag.tag";
export const LOCALES = ["en", "fr"];

const localized = { pluginOptions: { i18n: { localized: true } } };
const relation = (kind: string, target: string, side: Record<string, string> = {}) => ({
  type: "relation",
  relation: kind,
  target: `api::${target}.${target}`,
  ...side,
});

export const files: Readonly<Record<string, string>> = {
  ...configFile({ locales: LOCALES.map((code) => ({ code, isDefault: code === "en" })) }),
  ...componentFile("part.quote", { text: { type: "string" }, author: relation("oneToOne", "author") }),
  ...componentFile("part.block", {
    text: { type: "string" },
    tags: relation("oneToMany", "tag"),
    image: { type: "media" },
    quotes: { type: "component", component: "part.quote", repeatable: true },
  }),
  ...typeFile(
    "article",
    {
      title: { type: "string", ...localized },
      size: { type: "integer" },
      author: relation("manyToOne", "author", { inversedBy: "articles" }),
      tags: relation("manyToMany", "tag", { inversedBy: "articles" }),
      mixed: { type: "relation", relation: "morphToMany" },
      cover: { type: "media" },
      block: { type: "component", component: "part.block", ...localized },
      parts: { type: "dynamiczone", components: ["part.block", "part.quote"], ...localized },
    },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("author", {
    name: { type: "string" },
    articles: relation("oneToMany", "article", { mappedBy: "author" }),
    friends: relation("manyToMany", "author"),
    mentions: relation("morphMany", "article", { morphBy: "mixed" }),
  }),
  ...typeFile(
    "tag",
    { name: { type: "string" }, articles: relation("manyToMany", "article", { mappedBy: "tags" }) },
    { draftAndPublish: true },
  ),
  "src/index.js": "module.exports = { register({ strapi }) { globalThis.changeLogCode = strapi; } };",
};

export const KEY = "a key for tests of the change log";
const SERVED = { admin: true, environment: { ADMIN_JWT_SECRET: KEY } };

export interface LoggedApp extends TestApp {
  /** Of another connection. */
  readonly storage: Storage;
  readonly file: string;
  readonly root: string;
  /** The `strapi` of the project's code. */
  readonly strapi: Body;
  /** What `work` has changed, as "<type> <document id> <locale> <status> <kind>", and whole types. */
  readonly changedBy: (work: () => unknown) => Promise<string[]>;
}

export const loggedApp = (more: Readonly<Record<string, string>> = {}): Promise<LoggedApp> =>
  loggedAppOf({ ...files, ...more });

export async function loggedAppOf(all: Readonly<Record<string, string>>): Promise<LoggedApp> {
  const { root, remove } = projectFolder(all);
  const galley = await createGalley({ ...SERVED, project: root, memory: false });
  const file = join(root, ".galley/content.db");
  const storage = Storage.open(file);
  storage.loadNumbers();
  enableChangeLog(storage);
  const changedBy = async (work: () => unknown): Promise<string[]> => {
    const before = lastSequence(storage);
    await work();
    return changedSince(storage, before);
  };
  const close = async (): Promise<void> => {
    storage.close();
    await galley.close();
    remove();
  };
  const { changeLogCode: strapi } = globalThis as unknown as { changeLogCode: Body };
  return { ...galley, close, call: createCall(galley, ADMIN), storage, file, root, strapi, changedBy };
}

export function changedSince(storage: Storage, since: number): string[] {
  const changes = changesSince(storage, since);
  if (!changes) throw new Error("The log does not know");
  const versions = changes.documents.flatMap(({ type, documentId, versions }) =>
    versions.map(({ locale, status, kind }) => `${type} ${documentId} ${locale ?? "-"} ${status} ${kind}`),
  );
  return [...versions, ...changes.types];
}
