/** Archives that nobody's export writes: each is refused with a message or taken for what is sound in it; nothing else happens. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { ProjectError } from "../../src/lib/errors.ts";
import { openArchive } from "../../src/server/archive.ts";
import { surveyArchive } from "../../src/transfer/archive/survey.ts";
import { beginSchemaChange } from "../../src/transfer/import/schema-change.ts";
import { schemaFiles } from "../../src/transfer/import/schema-files.ts";
import { createTar, metadata, type TarEntry } from "./tar.ts";

setDefaultTimeout(60_000);

const sandbox = mkdtempSync(join(tmpdir(), "galley-hostile-"));
const folder = join(sandbox, "inside/deep");
beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(sandbox, { recursive: true, force: true }));

const info = { singularName: "post", pluralName: "posts", displayName: "Post" };
const post = {
  uid: "api::post.post",
  modelType: "contentType",
  kind: "collectionType",
  collectionName: "posts",
  info,
  options: { draftAndPublish: true },
  attributes: {
    title: { type: "string" },
    count: { type: "integer" },
    day: { type: "date" },
    more: { type: "json" },
    part: { type: "component", component: "a.part" },
    parts: { type: "component", component: "a.part", repeatable: true },
    zone: { type: "dynamiczone", components: ["a.part"] },
    next: { type: "relation", relation: "oneToOne", target: "api::post.post" },
    picture: { type: "media" },
  },
};
const part = {
  uid: "a.part",
  modelType: "component",
  collectionName: "components_a_parts",
  info: { displayName: "part" },
  attributes: { name: { type: "string" }, inner: { type: "component", component: "a.part" } },
};

const line = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const rows = (stage: string, ...values: readonly unknown[]): TarEntry => ({
  name: `${stage}/${stage}_00001.jsonl`,
  content: values.map(line).join("\n"),
});
const flat = { ...part, attributes: { name: { type: "string" } } };
const schemas = rows("schemas", post, flat);
const entity = (data: unknown, id: unknown = 1, type: unknown = post.uid) => ({ type, id, data });
const entities = (...values: readonly unknown[]): TarEntry[] => [metadata, schemas, rows("entities", ...values)];
const link = (left: unknown, right: unknown, kind = "relation.circular") => ({
  kind,
  relation: "oneToOne",
  left,
  right,
});
const linked = (...values: readonly unknown[]): TarEntry[] => [
  ...entities(entity({ title: "a", documentId: "a" }), entity({ title: "b", documentId: "b" }, 2)),
  rows("links", ...values),
];
const withSchema = (schema: unknown, ...more: readonly unknown[]): TarEntry[] => [
  metadata,
  rows("schemas", schema, ...more),
  rows("entities", entity({ title: "a" })),
];
const changed = (changes: object): unknown => ({ ...post, ...changes });
const withAttributes = (attributes: object): unknown =>
  changed({ attributes: { title: { type: "string" }, ...attributes } });
const record = { id: 1, name: "a.txt", hash: "a", ext: ".txt", mime: "text/plain", size: 1, url: "/uploads/a.txt" };
const file = (data: object) => ({
  type: "plugin::upload.file",
  id: 1,
  data: { ...record, provider: "local", ...data },
});
const asset = (name: string, changes: object = {}, size?: number): TarEntry[] => [
  { name: `assets/metadata/${name}.json`, content: JSON.stringify({ ...record, hash: name, ext: "", ...changes }) },
  { name: `assets/uploads/${name}`, content: "x", ...(size === undefined ? {} : { size }) },
];
const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);
const deepParts = (depth: number): unknown => {
  let value: object = { id: depth };
  for (let id = depth - 1; id > 0; id--) value = { id, inner: value };
  return value;
};

/** "either": what is sound in it may be taken. */
type Expected = RegExp | "either" | "taken";

const cases: readonly (readonly [string, readonly TarEntry[], Expected])[] = [
  ["nothing at all", [], /not a valid/],
  ["a path that climbs with backslashes", [metadata, { name: "..\\..\\evil", content: "x" }], /leads out/],
  ["a path that climbs in the middle", [metadata, { name: "assets/../../evil", content: "x" }], /leads out/],
  ["an absolute path", [metadata, { name: "/evil", content: "x" }], /leads out/],
  ["a drive", [metadata, { name: "C:\\evil", content: "x" }], /leads out/],
  ["a folder that climbs", [metadata, { name: "../evil/", type: "directory" }], /leads out/],
  ["a named pipe", [metadata, { name: "assets/uploads/a", type: "fifo" }], /not a file but/],
  ["a hard link", [metadata, { name: "assets/uploads/a", type: "link", linkname: "/etc/passwd" }], /not a file but/],
  ["an archive inside a folder's name", [metadata, { name: "content.tar.gz/", type: "directory" }, schemas], "taken"],
  [
    "an archive in the place of rows",
    [metadata, { name: "entities/entities_00001.jsonl", content: Buffer.alloc(1024, 7) }],
    /not valid JSON/,
  ],
  ["metadata twice", [metadata, metadata], /twice/],
  ["metadata twice in two spellings", [metadata, { ...metadata, name: "./metadata.json" }], /twice/],
  [
    "20,000 files of rows",
    [metadata, ...Array.from({ length: 20_000 }, (_, index) => ({ name: `entities/e${index}.jsonl`, content: "" }))],
    /more than 10000 files of rows/,
  ],
  ["metadata that is a list", [{ name: "metadata.json", content: "[]" }], /not a valid/],
  [
    "metadata that is deep",
    [{ name: "metadata.json", content: nested(100_000, "[", "]") }],
    /not a valid|not valid JSON/,
  ],
  [
    "a huge version",
    [{ name: "metadata.json", content: JSON.stringify({ strapi: { version: "9".repeat(500_000) } }) }],
    "either",
  ],
  ["rows that are lists", entities([]), /not an entity/],
  ["rows that are null", entities("null"), /not an entity/],
  ["an id of text", entities(entity({ title: "a" }, "1")), /not an entity/],
  ["an id of zero", entities(entity({ title: "a" }, 0)), /not an entity/],
  ["a negative id", entities(entity({ title: "a" }, -1)), /not an entity/],
  ["an id with a fraction", entities(entity({ title: "a" }, 1.5)), /not an entity/],
  ["an id beyond whole numbers", entities(entity({ title: "a" }, 2 ** 60)), /not an entity/],
  ["the largest id", entities(entity({ title: "a" }, Number.MAX_SAFE_INTEGER)), "either"],
  ["an id twice", entities(entity({ title: "a" }), entity({ title: "b" })), /twice/],
  ["a version twice", entities(entity({ documentId: "a" }), entity({ documentId: "a" }, 2)), "either"],
  ["a document id that is a number", entities(entity({ documentId: 5 })), /documentId/],
  ["a document id that is an object", entities(entity({ documentId: { $ne: 1 } })), /documentId/],
  ["a document id that is huge", entities(entity({ documentId: "a".repeat(1_000_000) })), /documentId/],
  ["a locale that is a list", entities(entity({ locale: ["en"] })), /locale/],
  ["a locale that is huge", entities(entity({ locale: "a".repeat(1_000_000) })), /locale/],
  ["a time that is none", entities(entity({ createdAt: "yesterday" })), /createdAt/],
  ["a time that is an object", entities(entity({ publishedAt: {} })), /publishedAt/],
  ["a text that is an object", entities(entity({ title: { a: 1 } })), "either"],
  ["a number that is a list", entities(entity({ count: [1] })), "either"],
  ["a number that is none", entities(entity({ count: "many" })), "either"],
  ["a date that is none", entities(entity({ day: "30th" })), "either"],
  ["data that is a list", entities(entity([])), /not an entity/],
  [
    "data with keys of objects",
    entities('{"type":"api::post.post","id":1,"data":{"__proto__":{"title":"x"},"constructor":1}}'),
    "taken",
  ],
  ["an entity of __proto__", entities(entity({}, 1, "__proto__")), "taken"],
  ["an entity of constructor", entities(entity({}, 1, "constructor")), "taken"],
  ["an entity of an unknown type", entities(entity({}, 1, "api::none.none")), "taken"],
  ["an administrator", entities(entity({ email: "a@b.c" }, 1, "admin::user")), "taken"],
  [
    "JSON that is deep",
    entities(`{"type":"api::post.post","id":1,"data":{"more":${nested(100_000, "[", "]")}}}`),
    /deep|not valid JSON/,
  ],
  [
    "objects that are deep",
    entities(`{"type":"api::post.post","id":1,"data":{"more":${`{"a":`.repeat(100_000)}1${"}".repeat(100_000)}}}`),
    /deep|not valid JSON/,
  ],
  ["a component that is a text", entities(entity({ part: "x" })), /not a component/],
  ["a component without an id", entities(entity({ part: { name: "x" } })), /no id/],
  ["a component twice", entities(entity({ part: { id: 1 }, parts: [{ id: 1 }] })), "taken"],
  [
    "a deep component twice",
    entities(
      `{"type":"api::post.post","id":1,"data":{"parts":[{"id":1},{"id":1,"more":${nested(100_000, "[", "]")}}]}}`,
    ),
    /twice|not valid JSON/,
  ],
  [
    "a large component often",
    entities(entity({ parts: Array(40).fill({ id: 1, name: "a".repeat(1_000_000) }) })),
    /twice/,
  ],
  ["a component very often", entities(entity({ parts: Array(10_002).fill({ id: 1 }) })), /twice/],
  ["a single component that is a list", entities(entity({ part: [{ id: 1 }, { id: 2 }] })), /more than one|list/],
  ["a component of an unknown kind", entities(entity({ zone: [{ id: 1, __component: "no.thing" }] })), "taken"],
  ["a component of __proto__", entities(entity({ zone: [{ id: 1, __component: "__proto__" }] })), "taken"],
  [
    "a component that is an object's name",
    entities(entity({ zone: [{ id: 1, __component: { toString: 1 } }] })),
    "either",
  ],
  ["a component that holds itself", withSchema(post, part), "either"],
  [
    "components that are deep",
    [metadata, rows("schemas", post, part), rows("entities", entity({ part: deepParts(500) }))],
    /deep|circle|itself|inner/,
  ],
  ["a line that is cut off", entities('{"type":"api::post'), /not valid JSON/],
  ["bytes that are not text", entities('{"type":"api::post.post","id":1,"data":{"title":"\uD800"}}'), "taken"],
  ["a zero byte in a text", entities(entity({ title: "a\0b" })), "taken"],
  ["links that are lists", linked([]), /not a link/],
  ["a link to nothing", linked(link({ type: post.uid, ref: 1, field: "next" }, { type: post.uid, ref: 99 })), "taken"],
  [
    "a link from nothing",
    linked(link({ type: post.uid, ref: 99, field: "next" }, { type: post.uid, ref: 1 })),
    "taken",
  ],
  [
    "a link of an unknown attribute",
    linked(link({ type: post.uid, ref: 1, field: "none" }, { type: post.uid, ref: 2 })),
    "taken",
  ],
  [
    "a link of constructor",
    linked(link({ type: "constructor", ref: 1, field: "__proto__" }, { type: "__proto__", ref: 2 })),
    "taken",
  ],
  [
    "a link of a component",
    linked(link({ type: "a.part", ref: 1, field: "name" }, { type: post.uid, ref: 2 })),
    "taken",
  ],
  [
    "a link to another type",
    linked(link({ type: post.uid, ref: 1, field: "next" }, { type: "plugin::users-permissions.user", ref: 1 })),
    "taken",
  ],
  ["a link to itself", linked(link({ type: post.uid, ref: 1, field: "next" }, { type: post.uid, ref: 1 })), "taken"],
  [
    "a link twice",
    linked(...Array(2).fill(link({ type: post.uid, ref: 1, field: "next" }, { type: post.uid, ref: 2 }))),
    "taken",
  ],
  [
    "two targets of one",
    linked(
      link({ type: post.uid, ref: 1, field: "next" }, { type: post.uid, ref: 1 }),
      link({ type: post.uid, ref: 1, field: "next" }, { type: post.uid, ref: 2 }),
    ),
    "either",
  ],
  [
    "positions that are endless",
    linked(
      '{"kind":"relation.circular","relation":"oneToOne","left":{"type":"api::post.post","ref":1,"field":"next","pos":1e999},"right":{"type":"api::post.post","ref":2}}',
    ),
    "either",
  ],
  [
    "localizations in a circle",
    linked(
      link({ type: post.uid, ref: 1, field: "localizations" }, { type: post.uid, ref: 2 }),
      link({ type: post.uid, ref: 2, field: "localizations" }, { type: post.uid, ref: 1 }),
    ),
    "either",
  ],
  [
    "media links to texts",
    linked({
      ...link(
        { type: "plugin::upload.file", ref: 1, field: "related" },
        { type: post.uid, ref: 1, field: "title", pos: 1 },
      ),
      kind: "relation.morph",
    }),
    "taken",
  ],
  ["a schema twice", withSchema(post, post, flat), "either"],
  [
    "a schema that is deep",
    withSchema(`${JSON.stringify(post).slice(0, -1)},"more":${nested(100_000, "[", "]")}}`),
    /deep|not valid JSON/,
  ],
  [
    "5,000 schemas",
    withSchema(
      post,
      ...Array.from({ length: 5_000 }, (_, at) => ({ ...flat, uid: `a.b${at}`, collectionName: `b${at}` })),
    ),
    /more than 2000 schemas/,
  ],
  ["a schema without attributes", withSchema({ ...post, attributes: undefined }), /not a schema/],
  ["a schema named __proto__", withSchema(post, flat, { ...post, uid: "__proto__" }), "either"],
  [
    "a schema named constructor",
    withSchema(post, flat, { ...post, uid: "constructor.prototype", modelType: "component", collectionName: "x" }),
    "either",
  ],
  ["a schema whose name climbs", withSchema(post, flat, { ...post, uid: "api::../../../evil.evil" }), "either"],
  ["a component whose name climbs", withSchema(post, flat, { ...flat, uid: "../../../evil.evil" }), "either"],
  ["a schema with a zero byte", withSchema(post, flat, { ...post, uid: "api::evil.evil\0" }), "either"],
  [
    "a schema with a device's name",
    withSchema(post, flat, { ...flat, uid: "con.nul", collectionName: "devices" }),
    "either",
  ],
  [
    "a schema with an endless name",
    withSchema(post, flat, { ...flat, uid: `a.${"b".repeat(100_000)}`, collectionName: "long" }),
    /too long/,
  ],
  [
    "an attribute named __proto__",
    withSchema(
      `{"uid":"api::post.post","modelType":"contentType","kind":"collectionType","collectionName":"posts","info":${JSON.stringify(info)},"attributes":{"__proto__":{"type":"string"}}}`,
    ),
    "either",
  ],
  ["an attribute named constructor", withSchema(withAttributes({ constructor: { type: "string" } })), "either"],
  [
    "an attribute that breaks out of SQL",
    withSchema(withAttributes({ 'a"); DROP TABLE posts; --': { type: "string" } })),
    "either",
  ],
  [
    "a table that breaks out of SQL",
    withSchema(
      changed({ collectionName: 'p"; DROP TABLE galley_meta; --', attributes: { title: { type: "string" } } }),
    ),
    "either",
  ],
  [
    "a table of Galley's own",
    withSchema(changed({ collectionName: "galley_meta", attributes: { title: { type: "string" } } })),
    "taken",
  ],
  [
    "a table of SQLite's",
    withSchema(changed({ collectionName: "sqlite_master", attributes: { title: { type: "string" } } })),
    /sqlite|reserved|collectionName/,
  ],
  ["an attribute of no type", withSchema(withAttributes({ odd: { type: "none" } })), /none|odd/],
  [
    "a relation to nothing",
    withSchema(withAttributes({ odd: { type: "relation", relation: "oneToOne", target: "api::x.x" } })),
    /odd|api::x/,
  ],
  ["a pattern that never ends", withSchema(withAttributes({ odd: { type: "string", regex: "(a+)+$" } })), "taken"],
  [
    "50,000 attributes",
    withSchema(
      withAttributes(Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`a${at}`, { type: "string" }]))),
    ),
    /attributes|column/,
  ],
  [
    "a name that is a list",
    withSchema(changed({ info: { singularName: ["post"], pluralName: {}, displayName: 1 } })),
    /singularName|info/,
  ],
  ["media that climb", [...entities(), ...asset("..")], /no media file|leads out/],
  ["media named .", [...entities(), ...asset(".")], /no media file|leads out|not a valid/],
  ["hidden media", [...entities(), ...asset(".htaccess")], /no media file/],
  ["media with a device's name", [...entities(), ...asset("con")], /no media file/],
  ["media with a drive", [...entities(), ...asset("c:evil")], /no media file|leads out/],
  ["media with a zero byte", [...entities(), ...asset("a\0b")], /media file|leads out|belongs/],
  ["media with a line break", [...entities(), ...asset("a\nb")], /no media file/],
  ["media with an endless name", [...entities(), ...asset("a".repeat(300))], /no media file|too long/],
  ["media twice but for letter case", [...entities(), ...asset("a"), ...asset("A")], "either"],
  ["a hash that climbs in metadata", [...entities(), ...asset("a", { hash: "../a" })], /belongs/],
  ["a record whose hash climbs", entities(file({ hash: "../../evil" })), "either"],
  [
    "a record whose formats climb",
    entities(file({ formats: { thumbnail: { hash: "../../evil", ext: ".png", url: "/uploads/../../evil.png" } } })),
    "either",
  ],
  ["a record with a wrong size", entities(file({ size: "huge" })), "either"],
  ["a size that lies", [...entities(), ...asset("a", { size: 1e9 })], "either"],
  [
    "a size that is endless",
    [
      ...entities(),
      {
        name: "assets/metadata/a.json",
        content: '{"id":1,"name":"a","hash":"a","mime":"x/y","url":"/a","size":1e999}',
      },
    ],
    "either",
  ],
  [
    "settings that are lists",
    [...entities(), rows("configuration", [], null, { type: "core-store", value: [] })],
    "taken",
  ],
  [
    "settings that are deep",
    [
      ...entities(),
      rows(
        "configuration",
        `{"type":"core-store","value":{"key":"a","value":${nested(100_000, "[", "]")},"type":"object"}}`,
        `{"type":"webhook","value":{"a":${nested(100_000, "[", "]")}}}`,
        { type: "core-store", value: { key: "b", value: nested(100_000, "[", "]"), type: "object" } },
      ),
    ],
    "either",
  ],
  [
    "a default locale that is none",
    [
      ...entities(),
      rows("configuration", {
        type: "core-store",
        value: { key: "plugin_i18n_default_locale", value: "zz-no", type: "string" },
      }),
    ],
    "taken",
  ],
  [
    "settings of users that are wrong",
    [
      ...entities(),
      rows("configuration", {
        type: "core-store",
        value: {
          key: "plugin_users-permissions_advanced",
          value: { allow_register: "yes", default_role: {} },
          type: "object",
        },
      }),
    ],
    "taken",
  ],
  ["a locale that is not a code", entities(entity({ code: "../x", name: 5 }, 1, "plugin::i18n.locale")), "either"],
  [
    "a locale twice",
    entities(entity({ code: "en" }, 1, "plugin::i18n.locale"), entity({ code: "en" }, 2, "plugin::i18n.locale")),
    "either",
  ],
  [
    "a user whose password is plain",
    entities(entity({ username: "a", email: "a@b.c", password: 5 }, 1, "plugin::users-permissions.user")),
    "either",
  ],
];

/** Bytes as they are sent, with what no tar writer makes. */
async function bytes(entries: readonly TarEntry[]): Promise<Buffer> {
  return gzipSync(await createTar(entries));
}

const whole = (): readonly TarEntry[] => [...entities(entity({ title: "a", documentId: "a" })), ...asset("a")];

function header(name: string, type: string, size: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(name.slice(0, 100), 0);
  block.write("000644 \0", 100);
  block.write("000000 \0", 108);
  block.write("000000 \0", 116);
  block.write(`${size.toString(8).padStart(11, "0")} `, 124);
  block.write("00000000000 ", 136);
  block.write("        ", 148);
  block.write(type, 156);
  block.write("ustar\0" + "00", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
const padded = (content: Buffer): Buffer =>
  Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
const pax = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (`${length}`.length + rest.length !== length) length = `${length}`.length + rest.length;
  return `${length}${rest}`;
};
const ends = Buffer.alloc(1024);

const raw: readonly (readonly [string, () => Promise<Buffer> | Buffer, Expected])[] = [
  [
    "a compressed file in several parts",
    async () => {
      const tar = await createTar(whole());
      return Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))]);
    },
    "taken",
  ],
  [
    "something behind the compressed part",
    async () => Buffer.concat([await bytes(whole()), Buffer.from("rubbish after the end")]),
    "either",
  ],
  [
    "zeros behind the compressed part",
    async () => Buffer.concat([await bytes(whole()), Buffer.alloc(5_000)]),
    "either",
  ],
  [
    "two archives in one file",
    async () => gzipSync(Buffer.concat([await createTar(whole()), await createTar(whole())])),
    "either",
  ],
  ["a compressed file that is compressed again", async () => gzipSync(await bytes(whole())), /not a valid/],
  [
    "a checksum that is wrong",
    async () => {
      const all = Buffer.from(await bytes(whole()));
      all[all.length - 6]! ^= 1;
      return all;
    },
    /not a valid/,
  ],
  [
    "a header that is damaged",
    async () => {
      const tar = await createTar(whole());
      tar[0]! ^= 1;
      return gzipSync(tar);
    },
    /not a valid/,
  ],
  ["text", () => Buffer.from("just a text"), /not a valid/],
  ["zeros", () => Buffer.alloc(100_000), /not a valid/],
  [
    "a sparse file",
    () => gzipSync(Buffer.concat([header("assets/uploads/a", "S", 0), ends])),
    /not a file but|not a valid|leads/,
  ],
  [
    "a file of eight exabytes",
    () => gzipSync(Buffer.concat([header("assets/uploads/a", "0", 0o77777777777), ends])),
    /not a valid/,
  ],
  [
    "a size beyond its file",
    () => gzipSync(Buffer.concat([header("metadata.json", "0", 5_000), Buffer.alloc(600)])),
    /not a valid/,
  ],
  [
    "an extended header without an end",
    () => {
      const text = Buffer.alloc(20_000_000, "a");
      return gzipSync(Buffer.concat([header("x", "x", text.length), padded(text), ends]), { level: 1 });
    },
    /header/,
  ],
  [
    "many extended headers",
    () => {
      const one = padded(Buffer.from(pax("comment", "a".repeat(400))));
      return gzipSync(
        Buffer.concat([...Array(20_000).fill(Buffer.concat([header("x", "x", one.length), one])), ends]),
        { level: 1 },
      );
    },
    /header|not a valid/,
  ],
  [
    "a size in an extended header that lies",
    () => {
      const text = Buffer.from(pax("size", "99999999999999"));
      return gzipSync(
        Buffer.concat([
          header("x", "x", text.length),
          padded(text),
          header("metadata.json", "0", 2),
          padded(Buffer.from("{}")),
          ends,
        ]),
      );
    },
    /not a valid/,
  ],
  [
    "a negative size in an extended header",
    () => {
      const text = Buffer.from(pax("size", "-512"));
      return gzipSync(
        Buffer.concat([
          header("x", "x", text.length),
          padded(text),
          header("metadata.json", "0", 2),
          padded(Buffer.from("{}")),
          ends,
        ]),
      );
    },
    /no valid size/,
  ],
  [
    "a record of a negative length in an extended header",
    () => {
      const text = Buffer.from("-5 a=");
      return gzipSync(
        Buffer.concat([
          header("x", "x", text.length),
          padded(text),
          header("metadata.json", "0", 2),
          padded(Buffer.from("{}")),
          ends,
        ]),
      );
    },
    /not a valid/,
  ],
  [
    "a negative length in a header",
    () => {
      const block = header("metadata.json", "0", 0);
      block.fill(0xff, 124, 136);
      block.write("        ", 148);
      const sum = block.reduce((total, byte) => total + byte, 0);
      block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
      return gzipSync(Buffer.concat([block, Buffer.alloc(2048, 65), ends]));
    },
    /size|not (a )?valid/,
  ],
  [
    "a path in an extended header that climbs",
    () => {
      const text = Buffer.from(pax("path", "../../evil"));
      return gzipSync(
        Buffer.concat([
          header("x", "x", text.length),
          padded(text),
          header("a", "0", 2),
          padded(Buffer.from("{}")),
          ends,
        ]),
      );
    },
    /leads out/,
  ],
  [
    "a long name that climbs",
    () => {
      const text = Buffer.from("../../evil\0");
      return gzipSync(
        Buffer.concat([
          header("././@LongLink", "L", text.length),
          padded(text),
          header("a", "0", 2),
          padded(Buffer.from("{}")),
          ends,
        ]),
      );
    },
    /leads out/,
  ],
  [
    "a million empty entries",
    () =>
      gzipSync(
        Buffer.concat([...Array(1_000_000 / 50).fill(Buffer.concat(Array(50).fill(header("a/b", "0", 0)))), ends]),
        { level: 1 },
      ),
    /more than 1000 entries/,
  ],
  [
    "a million folders",
    () =>
      gzipSync(
        Buffer.concat([...Array(1_000_000 / 50).fill(Buffer.concat(Array(50).fill(header("a/b/", "5", 0)))), ends]),
        { level: 1 },
      ),
    /more than|not a valid/,
  ],
  [
    "a line without an end",
    () => {
      const text = Buffer.alloc(66_000_000, "[1,2345,");
      return gzipSync(
        Buffer.concat([
          header("metadata.json", "0", 30),
          padded(Buffer.from(`{"strapi":{"version":"5.0.0"}} `.slice(0, 30))),
          header("schemas/schemas_00001.jsonl", "0", text.length),
          padded(text),
          ends,
        ]),
        { level: 1 },
      );
    },
    /line 1 is longer than|compressed|too large/,
  ],
];

const snapshot = (): string[] =>
  readdirSync(sandbox, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith("inside/deep"))
    .sort();

/** Opens an archive as `serve` does, and writes its schemas as `import --schemas` does. Returns why it was refused. */
async function take(path: string): Promise<string | undefined> {
  const root = mkdtempSync(join(folder, "project-"));
  try {
    const survey = await surveyArchive({ file: path });
    beginSchemaChange(root, join(root, ".galley/schema-change.json"), schemaFiles(survey.schemas.values())).finish();
    const project = await openArchive({ file: path }, { memory: true, publicRead: true, environment: {} });
    const problems = project.context.storage.all("PRAGMA integrity_check");
    await project.close();
    expect(problems).toEqual([["ok"]]);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    expect(error.message.length).toBeLessThan(2_000);
    return error.message;
  }
}

async function check(content: Buffer, name: string, expected: Expected): Promise<void> {
  const path = join(folder, `${Bun.hash(name)}.tar.gz`);
  writeFileSync(path, content);
  const before = snapshot();
  const refused = await take(path);
  if (expected === "taken") expect(refused).toBeUndefined();
  else if (expected !== "either") expect(refused ?? "taken").toMatch(expected);
  expect(snapshot()).toEqual(before);
  rmSync(path);
}

for (const [name, list, expected] of cases) test(name, async () => check(await bytes(list), name, expected));
for (const [name, make, expected] of raw) test(name, async () => check(await make(), name, expected));

test("a pipe, a device and a folder that leads around are refused in the folder form", async () => {
  const root = join(folder, "unpacked");
  mkdirSync(join(root, "assets/uploads"), { recursive: true });
  writeFileSync(join(root, "metadata.json"), metadata.content!);
  expect(Bun.spawnSync(["mkfifo", join(root, "assets/uploads/a")]).exitCode).toBe(0);
  expect(await take(root)).toContain("not a file but");
  rmSync(join(root, "assets/uploads/a"));
  expect(await take(root)).toBeUndefined();
  rmSync(dirname(root), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
});
