import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Comparison, compareServers } from "../../scripts/roundtrip/compare.ts";
import { makeContent } from "../../scripts/roundtrip/content.ts";
import { compareValues } from "../../scripts/roundtrip/values.ts";
import { contentType } from "../../src/engine/schema/model.ts";
import { createApp } from "../../src/server/app.ts";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { surveyArchive } from "../../src/transfer/archive/survey.ts";
import { writeArchive } from "../../src/transfer/export/archive-writer.ts";
import { entityRows } from "../../src/transfer/export/export-archive.ts";
import { importArchive } from "../../src/transfer/import/import-archive.ts";
import { RestClient } from "../../src/transfer/remote/rest/client.ts";
import { pullOverRest } from "../../src/transfer/remote/rest/pull.ts";
import { EVERYTHING, Selection } from "../../src/transfer/selection.ts";
import { CONFORMANCE } from "../project.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-rest-pull-"));
const FULL = "conformance-full-access";
let source: Project;
let server: ReturnType<typeof Bun.serve>;
/** Called before a request is answered. */
let intercept: ((request: Request) => Response | undefined) | undefined;

const open = (root: string): Project => openProject(root, { memory: false, publicRead: false, environment: {} });

function copyProject(name: string): string {
  cpSync(CONFORMANCE, join(folder, name), { recursive: true });
  return join(folder, name);
}

beforeAll(async () => {
  source = open(copyProject("source"));
  await source.idle();
  const app = createApp(source);
  await makeContent({
    model: source.model,
    ask: async (request) => app.handle(request),
    token: FULL,
    locales: ["en", "fr", "de"],
    documents: 6,
    files: 4,
    seed: 7,
  });
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => intercept?.(request) ?? app.handle(request),
  });
}, 180_000);
afterAll(async () => {
  server.stop(true);
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});

let copies = 0;
interface Options {
  readonly token?: string;
  readonly since?: Date;
  readonly selection?: Selection;
}

async function pull(target: Project, options: Options = {}): Promise<readonly string[]> {
  return (await pullWithResult(target, options)).notes;
}

async function pullWithResult(target: Project, options: Options = {}) {
  const file = join(folder, `pull-${++copies}.tar`);
  const temporaryFolder = mkdtempSync(join(folder, "scratch-"));
  const root = `http://127.0.0.1:${server.port}`;
  const client = new RestClient(root, { prefix: "/api", token: options.token ?? FULL, wait: async () => {} });
  const { model, schema, context, uploads } = target;
  const { since, selection = EVERYTHING } = options;
  const result = await writeArchive({ file }, (writer) =>
    pullOverRest(writer, { client, model, schema, selection, since, temporaryFolder }),
  );
  const survey = await surveyArchive({ file });
  const imported = await importArchive(
    { file },
    survey,
    { context, uploads },
    { mode: since ? "merge" : "replace", unread: result.unread, selection },
  );
  return { ...result, imported };
}

/** Where REST answers otherwise, and how much they answered. */
async function compared(target: Project): Promise<Comparison> {
  const app = createApp(target);
  const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => app.handle(request) });
  const [a, b] = [server, other].map(({ port }) => ({ url: `http://127.0.0.1:${port}`, token: FULL }));
  try {
    return await compareServers(source.model, a!, b!, { users: false, graphql: false });
  } finally {
    other.stop(true);
  }
}

const rowsOf = ({ context, schema, settings, uploads }: Project): string[] =>
  [...entityRows({ context, schema, settings, uploadFolder: uploads.path })].map((row) => JSON.stringify(row));

test("a pull with an API token copies every document, locale, version, link and file", async () => {
  const target = open(copyProject("target"));
  const notes = await pull(target);
  const { differences, documents, files, values } = await compared(target);
  expect(differences).toEqual([]);
  expect([documents > 40, files >= 4, values > 3_000]).toEqual([true, true, true]);
  expect(target.uploads.list().toSorted()).toEqual(source.uploads.list().toSorted());
  expect(notes.join("\n")).toMatch(/not answered by REST: .*api::author.author.secret/);
  expect(target.context.defaultLocale()).toBe("en");
  await target.close();
}, 180_000);

test("what the token may not see is left out and said", async () => {
  const target = open(copyProject("custom"));
  const notes = (await pull(target, { token: "conformance-custom" })).join("\n");
  expect(notes).toContain("not seen: api::author.author, which the token may not find");
  expect(notes).toContain("not seen: api::article.article.author, whose targets the token may not find");
  const rows = rowsOf(target);
  expect(rows.filter((row) => row.includes('"type":"api::tag.tag"')).length).toBe(6);
  expect(rows.some((row) => row.includes('"type":"api::product.product"'))).toBe(false);
  await target.close();
}, 180_000);

test("what is not selected is not asked for, and stays", async () => {
  const target = open(copyProject("selected"));
  await pull(target);
  const before = rowsOf(target);
  target.context.storage.run("UPDATE tags SET label = 'changed ' || id");
  target.context.storage.run("UPDATE authors SET name = 'changed'");
  const asked: string[] = [];
  intercept = (request) => void asked.push(new URL(request.url).pathname);
  const { imported } = await pullWithResult(target, { selection: new Selection({ onlyTypes: ["api::tag.tag"] }) });
  intercept = undefined;
  expect([...new Set(asked)].toSorted()).toEqual(["/api/i18n/locales", "/api/tags"]);
  expect([[...imported.entities.keys()], imported.kept]).toEqual([["api::tag.tag"], []]);
  const after = rowsOf(target);
  const ofType = (rows: readonly string[], uid: string) => rows.filter((row) => row.includes(`"type":"${uid}"`));
  expect(ofType(after, "api::tag.tag")).toEqual(ofType(before, "api::tag.tag"));
  expect(ofType(after, "api::author.author").every((row) => row.includes('"name":"changed"'))).toBe(true);
  // files alone: their records say where they are
  for (const name of target.uploads.list()) rmSync(join(target.uploads.path!, name));
  const files = await pullWithResult(target, { selection: new Selection({ only: ["files"] }) });
  expect([files.imported.entities.size, target.uploads.list().toSorted()]).toEqual([
    0,
    source.uploads.list().toSorted(),
  ]);
  await target.close();
}, 180_000);

test("only what was changed since is taken over, with all versions of it", async () => {
  const target = open(copyProject("since"));
  await pull(target);
  const app = createApp(source);
  const headers = { authorization: `Bearer ${FULL}`, "content-type": "application/json" };
  const send = (method: string, path: string, data: object) =>
    app.handle(new Request(`http://localhost/api/${path}`, { method, headers, body: JSON.stringify({ data }) }));
  const list = (await (await app.handle(new Request("http://localhost/api/articles?sort=id", { headers }))).json()) as {
    data: { documentId: string }[];
  };
  const { documentId } = list.data[0]!;
  await Bun.sleep(5);
  const since = new Date();
  await Bun.sleep(5);
  expect((await send("PUT", `articles/${documentId}?status=draft`, { title: "changed since" })).status).toBe(200);
  expect((await send("POST", "tags", { label: "made since" })).status).toBe(201);
  const asked: string[] = [];
  intercept = (request) => void asked.push(request.url);
  const notes = await pull(target, { since });
  intercept = undefined;
  expect(notes.at(-1)).toContain("deletions are not seen");
  const apps = [source, target].map((project) => createApp(project));
  for (const path of [
    ...["draft", "published"].flatMap((status) =>
      ["en", "fr"].map((locale) => `articles/${documentId}?status=${status}&locale=${locale}&populate=*`),
    ),
    "tags?filters[label]=made since",
    // without a sort, lists are in the order of ids
    "articles?status=draft&locale=en&populate=*&pagination[pageSize]=100",
    "articles?locale=fr&populate=*&pagination[pageSize]=100",
  ]) {
    const [theirs, ours] = await Promise.all(
      apps.map(async (one) => (await one.handle(new Request(`http://localhost/api/${path}`, { headers }))).json()),
    );
    expect(compareValues(theirs, ours).difference).toBeUndefined();
    if (path.includes("draft&locale=en")) expect(JSON.stringify(ours)).toContain("changed since");
  }
  expect(asked.some((url) => decodeURIComponent(url).includes(documentId))).toBe(true);
  await target.close();
}, 180_000);

test("a publication since of a draft from before is taken over", async () => {
  const target = open(copyProject("published-since"));
  const articles = source.context.documents(contentType(source.model, "api::article.article"));
  const { documentId } = await articles.create({ data: { title: "written before" }, locale: "en" });
  await pull(target);
  const since = new Date();
  await Bun.sleep(5);
  await articles.publish({ documentId: documentId as string, locale: "en" });
  await pull(target, { since });
  const published = target.context.storage.all(
    "SELECT title FROM articles WHERE document_id = ? AND status = 'published'",
    [documentId as string],
  );
  expect(published).toEqual([["written before"]]);
  await target.close();
}, 180_000);

test("failures that pass are survived, others end the pull", async () => {
  const target = open(copyProject("failing"));
  // passwords of configured users are hashed behind the start
  await target.idle();
  let requests = 0;
  intercept = () => (++requests % 3 === 0 ? new Response("busy", { status: 503 }) : undefined);
  await pull(target);
  const before = rowsOf(target);
  expect(before.length).toBeGreaterThan(80);
  for (const [answer, message] of [
    [() => new Response("busy", { status: 503 }), "answers 503, after 6 attempts"],
    [() => new Response("<html>"), "something that is not JSON"],
    [() => Response.json({ data: "none" }), "with something else|does not list"],
    [() => Response.json({ data: [{ id: 0 }] }), "by id"],
    [() => Response.json({ error: { message: "odd" } }, { status: 400 }), "answers 400"],
    [() => Response.redirect("http://127.0.0.1:1/", 302), "not JSON|something else"],
  ] as const) {
    intercept = ({ url }) => (url.includes("locales") ? undefined : answer());
    await expect(pull(target)).rejects.toThrow(new RegExp(message));
  }
  intercept = undefined;
  expect(rowsOf(target)).toEqual(before);
  await target.close();
}, 180_000);

const sendTo = (project: Project, method: string, path: string, data: object): Promise<Response> =>
  createApp(project).handle(
    new Request(`http://localhost/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${FULL}`, "content-type": "application/json" },
      body: JSON.stringify({ data }),
    }),
  );

test("a token that may not list locales reads documents in all of them", async () => {
  const target = open(copyProject("no-locales"));
  await pull(target);
  const before = rowsOf(target);
  intercept = ({ url }) =>
    url.includes("/i18n/locales") ? Response.json({ data: null, error: {} }, { status: 403 }) : undefined;
  const { notes, imported } = await pullWithResult(target);
  intercept = undefined;
  expect(notes.join("\n")).toContain("not seen: the list of locales; documents were read in those that they have: ");
  expect(imported.leftOut).toEqual([]);
  // single types without other localized documents before them, too
  expect((await compared(target)).differences).toEqual([]);
  const types = (rows: readonly string[]) => rows.filter((row) => !row.includes("plugin::")).length;
  expect(types(rowsOf(target))).toBe(types(before));
  expect(target.context.defaultLocale()).toBe("en");
  await target.close();
}, 180_000);

test("what a token may not read stays as it is here, with its links, and is said", async () => {
  const target = open(copyProject("kept"));
  await pull(target);
  const { storage } = target.context;
  // values that REST never answers
  storage.run("UPDATE authors SET secret = 'kept ' || id");
  const author = JSON.parse(rowsOf(target).find((row) => row.includes('"type":"api::author.author"'))!) as {
    data: { documentId: string };
  };
  const made = await sendTo(target, "POST", "articles?status=draft", { title: "only here" });
  expect(made.status).toBe(201);
  const authors = rowsOf(target).filter((row) => row.includes('"type":"api::author.author"'));
  const files = rowsOf(target).filter((row) => row.includes('"type":"plugin::upload.file"')).length;
  const articleAuthors = (project: Project): unknown =>
    project.context.storage.all(
      `SELECT a.document_id, a.locale, a.status, t.document_id FROM articles a
         JOIN galley_links l ON l.owner = a.id AND l.field = (SELECT id FROM galley_names WHERE name = 'articles.author>authors')
         JOIN authors t ON t.id = l.target WHERE a.title <> 'only here' ORDER BY 1, 2, 3`,
    );
  const linksBefore = articleAuthors(target);
  expect((linksBefore as unknown[]).length).toBeGreaterThan(0);
  intercept = ({ url }) =>
    url.includes("/upload/files") ? Response.json({ data: null, error: {} }, { status: 403 }) : undefined;
  const { imported } = await pullWithResult(target, { token: "conformance-custom" });
  intercept = undefined;
  const kept = new Map(imported.kept.map(({ name, reason, count }) => [name, [reason, count]]));
  expect(kept.get("api::author.author")).toEqual(["refused", authors.length]);
  expect(kept.get("plugin::upload.file")).toEqual(["refused", files]);
  expect(kept.get("api::article.article.author")?.[0]).toBe("refused");
  const rows = rowsOf(target);
  expect(rows.filter((row) => row.includes('"type":"api::author.author"'))).toEqual(authors);
  expect(rows.some((row) => row.includes(author.data.documentId) && row.includes('"secret":"kept '))).toBe(true);
  expect(rows.filter((row) => row.includes('"type":"plugin::upload.file"')).length).toBe(files);
  expect(articleAuthors(target)).toEqual(linksBefore);
  // what was read is replaced
  expect(rows.some((row) => row.includes("only here"))).toBe(false);
  const tags = (all: readonly string[]) => all.filter((row) => row.includes('"type":"api::tag.tag"'));
  expect(tags(rows)).toEqual(tags(rowsOf(source)));
  await target.close();
}, 180_000);

test("values that REST does not answer stay with their documents", async () => {
  const target = open(copyProject("private"));
  await pull(target);
  const { storage } = target.context;
  storage.run("UPDATE authors SET secret = 'kept ' || document_id");
  const idsBefore = storage.all("SELECT id, document_id, secret FROM authors ORDER BY id");
  const { imported } = await pullWithResult(target);
  expect(imported.kept.map(({ name, reason }) => [name, reason])).toContainEqual([
    "api::author.author.secret",
    "unanswered",
  ]);
  // with the ids of the source
  expect(storage.all("SELECT id, document_id, secret FROM authors ORDER BY id")).toEqual(idsBefore);
  expect((await compared(target)).differences).toEqual([]);
  await target.close();
}, 180_000);
