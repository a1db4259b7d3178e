/** Which tags writes make stale, and which not, where a walk would find it only by chance. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { lastSequence } from "../../../src/engine/storage/change-log/change-log.ts";
import { staleSince } from "../../../src/engine/storage/change-log/stale-tags.ts";
import { ARTICLE, AUTHOR, files, type LoggedApp, loggedAppOf } from "./change-log-app.ts";

const everything = { mayList: () => true, isNamed: () => true, status: undefined };

let app: LoggedApp;
beforeAll(async () => {
  // what takes part in writes sees the steps of a replacement
  const { "src/index.js": _, ...others } = files;
  app = await loggedAppOf(others);
});
afterAll(() => app.close());

async function staleBy(work: () => unknown): Promise<string[]> {
  const since = lastSequence(app.storage);
  await work();
  return staleSince(app.storage, since, everything, { entries: 1_000, tags: 10_000 });
}

const publish = async (data: Record<string, unknown>): Promise<string> =>
  (await app.documents(ARTICLE).create({ data, status: "published" })).documentId as string;

test("a document that is published again is behind the others of its list, and as it was besides", async () => {
  const documentId = await publish({ title: "x", size: 1 });
  const tags = await staleBy(() => app.documents(ARTICLE).publish({ documentId }));
  expect(tags).toContain("article.id:en");
  expect(tags.filter((tag) => /list|title|size/.test(tag))).toEqual([]);
});

test("a row with another id may be in any place of a list", async () => {
  const { documentId } = await app.documents(AUTHOR).create({ data: { name: "Ann" } });
  const tags = await staleBy(() =>
    app.storage.run("UPDATE authors SET id = -id WHERE document_id = ?", [documentId as string]),
  );
  for (const tag of ["author.id", "author:list", `author:${documentId}`]) expect(tags).toContain(tag);
});
