/** The project that generated requests are sent to: every kind of attribute, relations of every kind, and rights for the public. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sign } from "../../src/admin/session/signed.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import type { Snapshot } from "../../src/public-types.ts";
import { ownCodeFiles } from "./own-code-files.ts";

export const ADMIN = "fuzz-full-access";
export const READER = "fuzz-read-only";
export const ADMIN_TOKEN = "fuzz-admin";
const ADMIN_KEY = "fuzz-admin-key";
/** A session of the admin page. */
export const COOKIE = `galley-admin-80=${sign(ADMIN_KEY, "session", 30 * 86_400_000, Date.now())}`;
/** Documents at the start, at least: requests name these. */
export const COUNTS = { post: 10, tag: 10, vault: 1 } as const;
export type Size = keyof typeof sizes;
/** Documents, and tags of each post. */
const sizes = {
  small: { post: COUNTS.post, tag: COUNTS.tag, tagsOfPost: 3 },
  large: { post: 300, tag: 200, tagsOfPost: 40 },
} as const;

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
        { name: "admin", type: "admin", key: ADMIN_TOKEN },
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

/** Some documents that lead to each other. Resolves with their ids, by the placeholders of requests. */
async function fill(galley: Galley, size: Size): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const create = async (type: keyof typeof types, at: number, data: Record<string, unknown>) => {
    const status = type === "post" ? ({ status: "published" } as const) : {};
    const { documentId } = await galley.documents(`api::${type}.${type}`).create({ data, ...status });
    ids.set(`@${type}-${at}`, documentId as string);
  };
  const { post, tag, tagsOfPost } = sizes[size];
  for (let at = 0; at < tag; at++) await create("tag", at, { name: `tag ${at}` });
  for (let at = 0; at < post; at++) {
    const parts = [{ name: `part ${at}`, two: [{ note: "note", tag: 1 + (at % tag) }] }];
    await create("post", at, {
      title: `Post ${at}`,
      hidden: "hidden",
      kind: "red",
      count: at,
      parts,
      tags: Array.from({ length: tagsOfPost }, (_, step) => 1 + ((at + step) % tag)),
      ...(at > 0 ? { parent: at } : {}),
    });
  }
  await create("vault", 0, { key: "k", tags: [1] });
  return ids;
}

export interface Target {
  readonly galley: Galley;
  /** Content of this size, as at the start. */
  readonly reset: (size: Size) => Promise<void>;
  /** With the ids of documents in the place of their placeholders. */
  readonly resolve: (text: string) => string;
  readonly close: () => Promise<void>;
}

/** Hashing takes tens of milliseconds of another thread by design, which says nothing about the requests. */
function cheapPasswords(): void {
  const { hash } = Bun.password;
  Bun.password.hash = (password) => hash(password, { algorithm: "bcrypt", cost: 4 });
}

/** `ownCode`: the project has code of its own. */
export async function openTarget(ownCode: boolean): Promise<Target> {
  const root = mkdtempSync(join(tmpdir(), "galley-fuzz-"));
  for (const [path, text] of Object.entries({ ...files(), ...(ownCode ? ownCodeFiles : {}) })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  cheapPasswords();
  const environment = { JWT_SECRET: "fuzz", ADMIN_JWT_SECRET: ADMIN_KEY };
  const galley = await createGalley({ project: root, admin: true, seed: "fuzz", environment });
  const made = {} as Record<Size, { ids: ReadonlyMap<string, string>; snapshot: Snapshot }>;
  for (const size of Object.keys(sizes) as Size[]) {
    await galley.reset();
    made[size] = { ids: await fill(galley, size), snapshot: await galley.snapshot() };
  }
  let { ids } = made.small;
  return {
    galley,
    reset: async (size) => {
      ids = made[size].ids;
      await galley.reset(made[size].snapshot);
    },
    resolve: (text) => text.replace(/@(?:post|tag|vault)-\d/g, (placeholder) => ids.get(placeholder) ?? placeholder),
    close: async () => {
      await galley.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
