import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openapiDocument } from "../../../src/api/descriptions/openapi.ts";
import { strapiTypes } from "../../../src/api/descriptions/strapi-types.ts";
import { typescriptTypes } from "../../../src/api/descriptions/typescript.ts";
import { readModel } from "../../../src/server/project/project-source.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-descriptions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const localized = { i18n: { localized: true } };
const files: Readonly<Record<string, object>> = {
  "src/api/post/content-types/post/schema.json": {
    kind: "collectionType",
    collectionName: "posts",
    info: { singularName: "post", pluralName: "posts", displayName: "Post" },
    options: { draftAndPublish: true },
    pluginOptions: localized,
    attributes: {
      title: { type: "string", required: true, maxLength: 80, pluginOptions: localized },
      kind: { type: "enumeration", enum: ["news", "it's"], default: "news" },
      views: { type: "integer", min: 0 },
      secret: { type: "string", private: true },
      key: { type: "password" },
      extra: { type: "json" },
      body: { type: "blocks" },
      author: { type: "relation", relation: "manyToOne", target: "api::author.author", inversedBy: "posts" },
      cover: { type: "media", multiple: false, allowedTypes: ["images"] },
      blocks: { type: "dynamiczone", components: ["part.quote", "part.link"] },
      about: { type: "relation", relation: "morphToMany" },
    },
  },
  "src/api/author/content-types/author/schema.json": {
    kind: "collectionType",
    collectionName: "authors",
    info: { singularName: "author", pluralName: "authors", displayName: "Author" },
    options: { draftAndPublish: false },
    attributes: {
      name: { type: "string", unique: true },
      posts: { type: "relation", relation: "oneToMany", target: "api::post.post", mappedBy: "author" },
      links: { type: "component", component: "part.link", repeatable: true },
    },
  },
  "src/api/home/content-types/home/schema.json": {
    kind: "singleType",
    collectionName: "homes",
    info: { singularName: "home", pluralName: "homes", displayName: "Home" },
    attributes: { link: { type: "component", component: "part.link" } },
  },
  "src/components/part/quote.json": {
    collectionName: "quotes",
    info: { displayName: "quote" },
    attributes: { text: { type: "text" } },
  },
  "src/components/part/link.json": {
    collectionName: "links",
    info: { displayName: "link" },
    attributes: {
      url: { type: "string" },
      author: { type: "relation", relation: "oneToOne", target: "api::author.author" },
    },
  },
};
for (const [path, content] of Object.entries(files)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), JSON.stringify(content));
}

const { model } = readModel(folder, {});
const texts: Readonly<Record<string, string>> = {
  "types.txt": typescriptTypes(model).split("export type Uid")[0]!,
  ...Object.fromEntries(Object.entries(strapiTypes(model)).map(([name, text]) => [`${name}.txt`, text])),
  "openapi.txt": `${JSON.stringify(openapiDocument(model, { prefix: "/api", url: "" }), null, 2)}\n`,
};

for (const [name, text] of Object.entries(texts))
  test(`${name} is as it was`, () => {
    const golden = join(import.meta.dir, "golden", name);
    if (!existsSync(golden) && process.env.UPDATE_GOLDEN) writeFileSync(golden, text);
    expect(text).toBe(readFileSync(golden, "utf8"));
  });

test("custom fields have the type that their values are stored as", () => {
  const root = join(folder, "custom-fields");
  const file = join(root, "src/api/page/content-types/page/schema.json");
  const attributes = {
    tags: {
      type: "customField",
      customField: "plugin::multi-select.multi-select",
      options: ["a", "b"],
      required: true,
    },
    stars: { type: "customField", customField: "plugin::stars.stars" },
    color: { type: "customField", customField: "plugin::color-picker.color" },
  };
  mkdirSync(dirname(file), { recursive: true });
  mkdirSync(join(root, "config"));
  writeFileSync(
    join(root, "config/galley.json"),
    JSON.stringify({ customFields: { "plugin::stars.stars": "integer" } }),
  );
  const info = { singularName: "page", pluralName: "pages", displayName: "Page" };
  writeFileSync(file, JSON.stringify({ kind: "collectionType", collectionName: "pages", info, attributes }));
  const pages = readModel(root, {}).model;
  expect(typescriptTypes(pages)).toContain(
    "      tags: Json;\n      stars: number | null;\n      color: string | null;\n",
  );
  const { components } = openapiDocument(pages, { prefix: "/api", url: "" }) as {
    components: { schemas: Record<string, { properties: object }> };
  };
  expect(components.schemas["api_page.page-input"]?.properties).toMatchObject({
    tags: { anyOf: [{}, { type: "null" }] },
    stars: { anyOf: [{ type: "integer" }, { type: "null" }] },
    color: { anyOf: [{ type: "string" }, { type: "null" }] },
  });
  const generated = strapiTypes(pages)["contentTypes.d.ts"];
  expect(generated).toContain(`    color: Schema.Attribute.String &
      Schema.Attribute.CustomField<'plugin::color-picker.color'>;`);
  expect(generated).toContain(`    tags: Schema.Attribute.JSON &
      Schema.Attribute.Required &
      Schema.Attribute.CustomField<
        'plugin::multi-select.multi-select',
        ['a', 'b']
      >;`);
});

const client = `
import type { Author, List, OffsetPagination, Paths, Post, PostInput, Populate, Result, Schemas } from "./types.ts";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T | undefined => undefined;

export async function find<P extends keyof Paths, const Q extends Populate<Paths[P]>>(path: P, populate: Q) {
  const response = await fetch(\`http://localhost:1337/api/\${path}?populate=\${String(populate)}\`);
  return (await response.json()) as List<Result<Paths[P], Q>>;
}

const posts = await find("posts", { author: { populate: "links" }, blocks: { on: { "part.link": { populate: ["author"] } } } });
for (const post of posts.data) {
  const title: string = post.title;
  const name: string | null | undefined = post.author?.name;
  const url: string | null | undefined = post.author?.links[0]?.url;
  for (const part of post.blocks) if (part.__component === "part.link") console.log(part.author?.name, part.url);
  console.log(title, name, url);
  // @ts-expect-error what was not asked for is not there
  post.cover;
  // @ts-expect-error private
  post.secret;
}
const some = { author: { fields: ["name"], populate: { posts: { fields: "title,views" } } }, blocks: { on: { "part.quote": { fields: ["id"] } } } } as const;
const few: List<Post<typeof some, readonly ["title"]>> = await (await fetch("/api/posts")).json();
console.log(few.data[0]?.documentId, few.data[0]?.title, few.data[0]?.author?.name, few.data[0]?.author?.posts[0]?.views);
// @ts-expect-error not among the fields
few.data[0]?.views;
// @ts-expect-error not among the fields of what is populated
few.data[0]?.author?.createdAt;
// @ts-expect-error not among the fields below
few.data[0]?.author?.posts[0]?.kind;
// @ts-expect-error not among the fields of a part
for (const part of few.data[0]?.blocks ?? []) if (part.__component === "part.quote") console.log(part.text);
const deep = await find("posts", ["author.posts", "cover"]);
const back: string | undefined = deep.data[0]?.author?.posts[0]?.title;
const cover: string | undefined = deep.data[0]?.cover?.url;
const all: Post<"*"> | undefined = undefined as never;
const file: string | undefined = (all as unknown as Post<"*">).cover?.url;
const plain = undefined as unknown as Author;
// @ts-expect-error nothing is populated
plain.posts;
const thumbnail: string | undefined = deep.data[0]?.cover?.formats?.thumbnail?.url;
const input: PostInput = { title: "a", kind: "news", author: { connect: ["x"] }, blocks: [{ __component: "part.quote", text: "b" }] };
for (const block of posts.data[0]?.body ?? []) {
  if (block.type === "heading") console.log(block.level, block.children.map((child) => (child.type === "link" ? child.url : child.text)));
  // @ts-expect-error no such block
  if (block.type === "table") console.log(block);
}
input.body = [{ type: "paragraph", children: [{ type: "text", text: "c", bold: true }] }];
// @ts-expect-error a list of what
input.body = [{ type: "list", children: [] }];
// @ts-expect-error no such value
const wrong: PostInput = { kind: "other" };
yes<Same<Schemas["api::post.post"]["attributes"]["kind"], "news" | "it's" | null>>();
const { page, pageCount, total } = posts.meta.pagination;
const next: number | undefined = page < pageCount ? page + 1 : undefined;
// @ts-expect-error of requests with start and limit
posts.meta.pagination.start;
const slice = undefined as unknown as List<Post, OffsetPagination>;
console.log(back, cover, file, input, thumbnail, wrong, next, total - slice.meta.pagination.start);
`;

/** `@strapi/client` leaves what documents have to its caller. */
const strapiClient = `
import { strapi } from "@strapi/client";
import type { Home, List, Post, PostInput, Single } from "./types.ts";

const client = strapi({ baseURL: "http://localhost:1337/api" });
const populate = { author: { populate: "links" }, cover: true } as const;
const posts: List<Post<typeof populate>> = (await client.collection("posts").find({ populate })) as List<Post<typeof populate>>;
const url: string | null | undefined = posts.data[0]?.author?.links[0]?.url;
const total: number = posts.meta.pagination.total;
// @ts-expect-error what was not asked for is not there
posts.data[0]?.blocks;
const home = (await client.single("home").find({ populate: "link" })) as Single<Home<"link">>;
const input: PostInput = { title: "a", kind: "news", author: "x" };
const made = (await client.collection("posts").create(input)) as Single<Post>;
await client.collection("posts").update(made.data.documentId, input);
console.log(url, total, home.data.link?.url);
`;

/** Types whose names are those of types that are there already. */
const takenNames = (): string => {
  const root = mkdtempSync(join(folder, "names-"));
  for (const name of ["relation", "reference", "head", "text-node", "post", "post-input", "promise"]) {
    const path = join(root, `src/api/${name}/content-types/${name}/schema.json`);
    const info = { singularName: name, pluralName: `${name}s`, displayName: name };
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ kind: "collectionType", info, attributes: { title: { type: "string" } } }));
  }
  return typescriptTypes(readModel(root, {}).model);
};

test("types compile against client code, and refuse what would fail", async () => {
  writeFileSync(join(folder, "types.ts"), typescriptTypes(model));
  writeFileSync(join(folder, "client.ts"), client);
  writeFileSync(join(folder, "strapi-client.ts"), strapiClient);
  writeFileSync(join(folder, "names.ts"), takenNames());
  mkdirSync(join(folder, "node_modules/@strapi"), { recursive: true });
  symlinkSync(
    join(import.meta.dir, "../../../node_modules/@strapi/client"),
    join(folder, "node_modules/@strapi/client"),
    "junction",
  );
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "esnext",
    module: "esnext",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    noUncheckedIndexedAccess: true,
    // the client names types of Node.js
    skipLibCheck: true,
    lib: ["esnext", "dom"],
    types: [],
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["client.ts", "strapi-client.ts", "names.ts"] }),
  );
  const tsc = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../../../node_modules/typescript/bin/tsc"), "-p", folder],
    {
      stdout: "pipe",
    },
  );
  expect(await new Response(tsc.stdout).text()).toBe("");
  expect(await tsc.exited).toBe(0);
}, 180_000);
