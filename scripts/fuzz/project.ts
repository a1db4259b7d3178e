/** The project that generated requests are sent to: every kind of attribute, relations of every kind, and rights for the public. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createGalley, type Galley } from "../../src/index.ts";

export const ADMIN = "fuzz-full-access";
export const READER = "fuzz-read-only";

const post = "api::post.post";
const tag = "api::tag.tag";
const relation = (kind: string, target?: string, more: Record<string, string> = {}) => ({
  type: "relation",
  relation: kind,
  ...(target === undefined ? {} : { target }),
  ...more,
});

/** By singular name; the plural has an s. */
export const types = {
  post: {
    title: { type: "string", required: true, maxLength: 100 },
    slug: { type: "uid", targetField: "title" },
    code: { type: "text", regex: "^(a+)+$" },
    body: { type: "richtext" },
    text: { type: "blocks" },
    mail: { type: "email" },
    secret: { type: "password" },
    hidden: { type: "string", private: true },
    kind: { type: "enumeration", enum: ["red", "green"] },
    count: { type: "integer", min: 0 },
    big: { type: "biginteger" },
    price: { type: "decimal" },
    ratio: { type: "float" },
    on: { type: "boolean" },
    day: { type: "date" },
    hour: { type: "time" },
    moment: { type: "datetime" },
    meta: { type: "json" },
    cover: { type: "media", multiple: false },
    files: { type: "media", multiple: true },
    part: { type: "component", component: "part.one" },
    parts: { type: "component", component: "part.one", repeatable: true },
    zone: { type: "dynamiczone", components: ["part.one", "part.two"] },
    tags: relation("manyToMany", tag, { inversedBy: "posts" }),
    author: relation("manyToOne", "plugin::users-permissions.user"),
    parent: relation("manyToOne", post, { inversedBy: "children" }),
    children: relation("oneToMany", post, { mappedBy: "parent" }),
    about: relation("morphToOne"),
    related: relation("morphToMany"),
  },
  tag: {
    name: { type: "string", unique: true },
    posts: relation("manyToMany", post, { mappedBy: "tags" }),
    mentions: relation("morphMany", post, { morphBy: "related" }),
    mention: relation("morphOne", post, { morphBy: "about" }),
  },
  vault: { key: { type: "string" }, tags: relation("oneToMany", tag) },
} as const;

export const components = {
  "part.one": {
    name: { type: "string", unique: true },
    size: { type: "integer" },
    two: { type: "component", component: "part.two", repeatable: true },
  },
  "part.two": { note: { type: "text" }, tag: relation("oneToOne", tag) },
} as const;

const users = (...actions: string[]) => actions.map((action) => `plugin::users-permissions.${action}`);

function files(): Record<string, string> {
  const all: Record<string, unknown> = {
    "config/galley.json": {
      locales: [{ code: "en", isDefault: true }, { code: "de" }],
      tokens: [
        { name: "full", type: "full-access", key: ADMIN },
        { name: "read", type: "read-only", key: READER },
      ],
      users: [{ username: "ada", email: "ada@example.com", password: "ada-password" }],
      roles: {
        public: ["api::post.post.*", "api::tag.tag.*", "plugin::upload.content-api.*", ...users("auth.*", "user.find")],
      },
      auth: { jwtManagement: "refresh" },
      email: { provider: "discard" },
    },
  };
  for (const [name, attributes] of Object.entries(types)) {
    all[`src/api/${name}/content-types/${name}/schema.json`] = {
      kind: "collectionType",
      collectionName: `${name}s`,
      info: { singularName: name, pluralName: `${name}s`, displayName: name },
      options: { draftAndPublish: name === "post" },
      pluginOptions: name === "post" ? { i18n: { localized: true } } : {},
      attributes,
    };
  }
  for (const [uid, attributes] of Object.entries(components)) {
    const [category, name] = uid.split(".");
    all[`src/components/${category}/${name}.json`] = {
      collectionName: `components_${category}_${name}`,
      info: { displayName: name },
      attributes,
    };
  }
  return Object.fromEntries(Object.entries(all).map(([path, value]) => [path, JSON.stringify(value)]));
}

/** Some documents that lead to each other. */
async function fill(galley: Galley): Promise<void> {
  const tags = galley.documents(tag);
  for (let at = 0; at < 5; at++) await tags.create({ data: { name: `tag ${at}` } });
  const posts = galley.documents(post);
  for (let at = 0; at < 10; at++) {
    const parts = [{ name: `part ${at}`, two: [{ note: "note", tag: 1 + (at % 5) }] }];
    await posts.create({
      data: {
        title: `Post ${at}`,
        hidden: "hidden",
        kind: "red",
        count: at,
        parts,
        tags: [1, 2, 1 + (at % 5)],
        ...(at > 0 ? { parent: at } : {}),
      },
      status: "published",
    });
  }
}

export interface Target {
  readonly galley: Galley;
  /** As it was at the start. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openTarget(): Promise<Target> {
  const root = mkdtempSync(join(tmpdir(), "galley-fuzz-"));
  for (const [path, text] of Object.entries(files())) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const galley = await createGalley({ project: root, environment: { JWT_SECRET: "fuzz" } });
  await fill(galley);
  return {
    galley,
    reset: async () => {
      await galley.reset();
      await fill(galley);
    },
    close: async () => {
      await galley.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
