/** The order of relations in archives: imported, exported and imported again. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DocumentService } from "../../src/engine/documents/document-service.ts";
import { contentType } from "../../src/engine/schema/model.ts";
import { openArchive } from "../../src/server/archive.ts";
import { exportArchive } from "../../src/transfer/export/export-archive.ts";
import { Random } from "../random.ts";
import { metadata, writeArchive } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-link-order-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [POST, TAG] = ["api::post.post", "api::tag.tag"];
const type = (name: string, draftAndPublish: boolean, attributes: object) => ({
  uid: `api::${name}.${name}`,
  modelType: "contentType",
  kind: "collectionType",
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish },
  attributes: { title: { type: "string" }, ...attributes },
});
const schemas = [
  type("post", true, {
    tags: { type: "relation", relation: "manyToMany", target: TAG, inversedBy: "posts" },
    list: { type: "relation", relation: "oneToMany", target: TAG },
  }),
  type("tag", false, { posts: { type: "relation", relation: "manyToMany", target: POST, mappedBy: "tags" } }),
];

const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
const time = "2023-01-01T00:00:00.000Z";
const row = (uid: string, id: number, documentId: string, publishedAt: string | null) => ({
  type: uid,
  id,
  data: { documentId, title: `${documentId} ${id}`, createdAt: time, updatedAt: time, publishedAt },
});

const DOCUMENTS = 6;
const TAGS = 8;
/** Each post has a draft (odd ids) and a published version. */
const posts = Array.from({ length: DOCUMENTS * 2 }, (_, index) =>
  row(POST, index + 1, `p${index >> 1}`, index % 2 ? time : null),
);
const tags = Array.from({ length: TAGS }, (_, index) => row(TAG, index + 1, `t${index}`, time));

interface Link {
  readonly left: { readonly ref: number; readonly pos: number };
  readonly right: { readonly ref: number; readonly pos: number };
}

/**
 * The answers by the positions of the links. As in Strapi on SQLite, whose unique index has owner and target, equal positions in the
 * owner's list are read by the ids of the targets, and those in the target's list in the order of the lines.
 */
function expected(links: readonly Link[]): unknown {
  const titled = (from: "left" | "right", status: "draft" | "published") => {
    const [rows, targets] = from === "left" ? [posts, tags] : [tags, posts];
    const isSeen = ({ id, type }: (typeof posts)[number]): boolean =>
      type !== POST || (id % 2 === 1) === (status === "draft");
    return rows.filter(isSeen).map(({ id, data }) => [
      data.documentId,
      links
        .filter((link) => link[from].ref === id)
        .sort((a, b) => a[from].pos - b[from].pos || (from === "left" ? a.right.ref - b.right.ref : 0))
        .map((link) => targets[link[from === "left" ? "right" : "left"].ref - 1]!)
        .filter(isSeen)
        .map((target) => target.data.title),
    ]);
  };
  return (["draft", "published"] as const).flatMap((status) => [titled("left", status), titled("right", status)]);
}

/** Links whose two directions have orders of their own, with gaps, and with `ties` the same order several times. */
function createLinks(random: Random, ties: boolean): Link[] {
  const shuffled = <T>(values: readonly T[]): T[] =>
    values
      .map((value) => [random.next(), value] as const)
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value);
  const pairs = posts.flatMap(({ id }) =>
    shuffled(tags)
      .slice(0, 5)
      .map((tag) => [id, tag.id] as const),
  );
  let count = 0;
  const order = () => (ties ? 1 + random.below(3) : (++count * 397) % 1009);
  return shuffled(
    pairs.map(([from, to]) => ({
      kind: "relation.basic",
      relation: "manyToMany",
      left: { type: POST, ref: from, field: "tags", pos: order() },
      right: { type: TAG, ref: to, field: "posts", pos: order() },
    })),
  );
}

const options = { memory: true, publicRead: true, environment: {} };

/** What both directions of the relation answer for drafts and published versions; and, with `to`, an archive of it. */
async function answers(file: string, to?: string, announced: string[] = []): Promise<unknown> {
  const project = await openArchive({ file }, { ...options, announce: (line) => announced.push(line) });
  const { context, schema, settings, uploads, model } = project;
  const seen: unknown[] = [];
  for (const status of ["draft", "published"] as const) {
    for (const [uid, field] of [
      [POST, "tags"],
      [TAG, "posts"],
    ] as const) {
      const found = await new DocumentService(context, contentType(model, uid)).findMany({ status, populate: field });
      seen.push(
        found.map((document) => [
          document.documentId,
          (document[field] as { documentId: string; title: string }[]).map(({ title }) => title),
        ]),
      );
    }
  }
  if (to) await exportArchive({ context, schema, settings, uploadFolder: uploads.path }, { file: to });
  await project.close();
  return seen;
}

const archiveOf = (file: string, links: readonly object[]): Promise<string> =>
  writeArchive(file, [
    metadata,
    { name: "schemas/schemas_00001.jsonl", content: lines(schemas) },
    { name: "entities/entities_00001.jsonl", content: lines([...posts, ...tags]) },
    { name: "links/links_00001.jsonl", content: lines(links) },
  ]);

test.each([
  ["of their own in each direction and version", false],
  ["that several links share", true],
])("orders %s are kept by import, export and import", async (_, ties) => {
  for (let seed = 1; seed <= 5; seed++) {
    const [first, second, third] = [1, 2, 3].map((step) => join(folder, `${ties}-${seed}-${step}.tar.gz`)) as [
      string,
      string,
      string,
    ];
    const links = createLinks(new Random(seed), ties);
    await archiveOf(first, links);
    const before = await answers(first, second);
    expect(before).toEqual(expected(links));
    expect(await answers(second, third)).toEqual(before);
    expect(await answers(third)).toEqual(before);
  }
});

test("of links that repeat the same two rows, the one with the first position is kept, as the unique index of Strapi allows", async () => {
  const [first, second] = ["repeated", "repeated-again"].map((name) => join(folder, `${name}.tar.gz`)) as [
    string,
    string,
  ];
  const link = (tag: number, pos: number, inverse: number) => ({
    kind: "relation.basic",
    relation: "manyToMany",
    left: { type: POST, ref: 1, field: "tags", pos },
    right: { type: TAG, ref: tag, field: "posts", pos: inverse },
  });
  const once = [link(1, 1, 1), link(2, 2, 1), link(3, 4, 1)];
  // a later line with an earlier position, neighbours, and the same line again
  await archiveOf(first, [link(1, 5, 3), ...once, link(2, 3, 2), link(3, 4, 1)]);
  const announced: string[] = [];
  const before = await answers(first, second, announced);
  expect(before).toEqual(expected(once));
  expect(announced).toEqual(["left out: 2 links that repeat another one at a later position"]);
  const again: string[] = [];
  expect(await answers(second, undefined, again)).toEqual(before);
  expect(again).toEqual([]);
});
