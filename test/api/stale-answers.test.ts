/** Answers that change, each with a tag that goes stale: what a walk does not have, or would find only by chance. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { lastSequence } from "../../src/engine/storage/change-log/change-log.ts";
import { staleSince } from "../../src/engine/storage/change-log/stale-tags.ts";
import { type LoggedApp, loggedAppOf } from "../engine/storage/change-log-app.ts";
import { ADMIN, configFile, relation, TOKEN, typeFile } from "../project.ts";

const WIDE = "api::wide.wide";
const TOPIC = "api::topic.topic";
const POST = "api::post.post";
/** Of more columns than values are recorded of. */
const wide = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`c${index}`, { type: "string" }]));

let app: LoggedApp;
const ids: Record<string, string> = {};
beforeAll(async () => {
  app = await loggedAppOf({
    ...typeFile("wide", { ...wide, secret: { type: "string", private: true } }),
    ...typeFile("topic", {
      name: { type: "string" },
      post: { type: "relation", relation: "morphOne", target: POST, morphBy: "topic" },
      parent: relation("manyToOne", "topic"),
    }),
    ...typeFile(
      "post",
      { title: { type: "string" }, topic: { type: "relation", relation: "morphToOne" } },
      { draftAndPublish: true },
    ),
    ...configFile({ tokens: [{ name: "full", type: "full-access", key: TOKEN }] }),
  });
  await app.call("GET", "/galley/changes");
  for (const uid of [WIDE, TOPIC, POST]) {
    const { documentId } = await app.documents(uid).create({ data: {}, status: "published" });
    ids[uid] = documentId as string;
  }
});
afterAll(() => app.close());

async function ask(path: string): Promise<{ text: string; tags: readonly string[] }> {
  const response = await app.handle(new Request(`http://localhost/api${path}`, { headers: ADMIN }));
  return { text: await response.text(), tags: response.headers.get("cache-tag")?.split(",") ?? [] };
}

const cases: readonly (readonly [path: string, uid: string, data: () => Record<string, unknown>])[] = [
  ["/wides?filters[c1][$eq]=b&fields=c2", WIDE, () => ({ c1: "b" })],
  ["/wides?filters[c119][$eq]=b&fields=c2", WIDE, () => ({ c119: "b" })],
  ["/wides?filters[c1][$null]=true&fields=c2", WIDE, () => ({ c1: null })],
  ["/wides?filters[c119][$notNull]=true&fields=c2", WIDE, () => ({ c119: null })],
  ["/topics?populate=post&status=draft", POST, () => ({ topic: { __type: TOPIC, documentId: ids[TOPIC] } })],
  ["/topics?filters[parent][id][$null]=true&fields=name", TOPIC, () => ({ parent: ids[TOPIC] })],
];

test.each(cases)("%s", async (path, uid, data) => {
  const before = await ask(path);
  const since = lastSequence(app.storage);
  await app.documents(uid).update({ documentId: ids[uid]!, data: data() });
  expect((await ask(path)).text).not.toBe(before.text);
  const everything = { mayList: () => true, isNamed: () => true, status: undefined };
  const stale = staleSince(app.storage, since, everything, { entries: 1_000, tags: 10_000 });
  expect(before.tags.filter((tag) => stale.includes(tag))).not.toEqual([]);
});

test.each([
  ...["filters", "filters[$not]", "filters[$or][0]", "filters[$and][0]"].flatMap((place) => [
    `${place}[secret][$eq]=x`,
    `${place}[secret][$null]=true`,
  ]),
  "sort=secret",
])("a private attribute is in no tag: %s", async (params) => {
  const response = await app.handle(new Request(`http://localhost/api/wides?${params}`, { headers: ADMIN }));
  expect([response.status, response.headers.get("cache-tag")]).toEqual([400, null]);
});
