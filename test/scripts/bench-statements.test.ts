/** How many statements each workload of the benchmark takes: more of them are slower on any machine. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContent } from "../../scripts/bench/data.ts";
import { fillNumbers, nextNumber, readLine } from "../../scripts/bench/load.ts";
import { writeUpload } from "../../scripts/bench/upload.ts";
import { type Content, MIN_ARTICLES, works } from "../../scripts/bench/works.ts";
import { DocumentService } from "../../src/engine/documents/document-service.ts";
import { contentType } from "../../src/engine/schema/model.ts";
import { type App, createApp } from "../../src/server/app.ts";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { CONFORMANCE, FULL } from "../project.ts";

/** At most, by workload. */
const MOST: Readonly<Record<string, number>> = {
  list: 2,
  one: 1,
  populate: 8,
  deep: 9,
  search: 2,
  graphql: 6,
  same: 0,
  pages: 0,
  create: 13,
  // one gives the new row the links that stay, which takes less than writing them again
  update: 24,
  publish: 24,
  mixed: 9,
  upload: 18,
};

const UIDS: Readonly<Record<string, string>> = {
  categories: "api::category.category",
  tags: "api::tag.tag",
  authors: "api::author.author",
  articles: "api::article.article",
};

let folder: string;
let project: Project;
let app: App;
let content: Content;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "galley-statements-"));
  project = openProject(CONFORMANCE, { memory: true, publicRead: false, environment: {} });
  app = createApp(project);
  await project.idle();
  const create = async (plural: string, data: Readonly<Record<string, unknown>>): Promise<string> => {
    const documents = new DocumentService(project.context, contentType(project.model, UIDS[plural]!));
    return (await documents.create({ data, status: "published" })).documentId as string;
  };
  const ids = await createContent(create, MIN_ARTICLES, 1);
  content = { ids, articles: MIN_ARTICLES, upload: writeUpload(folder) };
});
afterAll(async () => {
  await project.close();
  rmSync(folder, { recursive: true });
});

async function send(line: string): Promise<unknown> {
  const { method, path, body, type } = readLine(fillNumbers(line, nextNumber()));
  const headers = { ...FULL, "content-type": type };
  const response = await app.handle(
    new Request(`http://localhost${path}`, { method, headers, ...(body.length > 0 ? { body } : {}) }),
  );
  expect(response.status).toBeLessThan(300);
  return response.json();
}

test("every workload has a most", () => {
  expect(works.map(({ name }) => name)).toEqual(Object.keys(MOST));
});

for (const work of works) {
  test(`${work.name}: ${work.about}`, async () => {
    const lines = work.requests(content);
    const { storage } = project.context;
    // what is read once, and kept until content changes
    for (let time = 0; time < 3; time++) await send(lines[0]!);
    let least = Number.POSITIVE_INFINITY;
    // the server's own work, as of the search index, may fall into one of them
    for (let time = 1; time <= 3; time++) {
      const before = storage.statements;
      const body = await send(lines[work.name === "same" || work.name === "pages" ? 0 : time % lines.length]!);
      expect(work.check(body)).toBeUndefined();
      least = Math.min(least, storage.statements - before);
    }
    expect(least).toBeLessThanOrEqual(MOST[work.name]!);
  });
}
