/** What `createGalley` offers to tests beside serving a project. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createGalley, type Galley } from "../src/index.ts";
import { configFile, projectFolder, relation, typeFile } from "./project.ts";

const { root, remove } = projectFolder({
  ...typeFile("tag", { name: { type: "string", required: true }, photo: { type: "media" } }),
  ...typeFile("note", { text: { type: "string" }, tag: relation("manyToOne", "tag") }, { draftAndPublish: true }),
  ...configFile({
    roles: { public: ["api::tag.tag.find"], authenticated: ["api::note.note.find"], editor: ["api::note.note.*"] },
    tokens: [
      { name: "build", type: "read-only", key: "a-key-for-builds-of-sites" },
      { name: "seeds", type: "full-access", key: "a-key-for-seed-scripts" },
    ],
  }),
});
afterAll(remove);

const content = {
  tags: [
    { key: "fog", data: { name: "fog" } },
    { key: "rain", data: { name: "rain" } },
  ],
  notes: [{ key: "one", data: { text: "wet", tag: "tags/fog" } }],
};

const json = async (answer: Promise<Response>): Promise<Record<string, unknown>> =>
  (await answer).json() as Promise<Record<string, unknown>>;
const namesOf = async (galley: Galley): Promise<unknown[]> =>
  ((await json(galley.fetch("/api/tags?sort=name"))).data as { name: string }[]).map(({ name }) => name);

function form(name: string): FormData {
  const fields = new FormData();
  fields.set("files", new File(["text"], name, { type: "text/plain" }));
  return fields;
}

test("content of the test's own", async () => {
  await using galley = await createGalley({ project: root, content });
  expect(await namesOf(galley)).toEqual(["fog", "rain"]);
  const notes = await galley.documents("api::note.note").findMany({ status: "published", populate: "tag" });
  expect(notes).toMatchObject([{ text: "wet", tag: { name: "fog" } }]);
});

test("a folder that is not there is refused, and named", async () => {
  await expect(createGalley({ project: "no/such/project" })).rejects.toThrow(
    `${resolve("no/such/project")}: there is no such folder`,
  );
});

test("a DOM that has replaced Response is named, with what to do", async () => {
  const { Response } = globalThis;
  globalThis.Response = class {} as typeof Response;
  const refused = await createGalley({ project: root }).catch(({ message }) => message);
  globalThis.Response = Response;
  expect(refused).toStartWith("Response is not Bun's: a DOM of the tests");
});

test("content with a mistake is refused, and named", async () => {
  const wrong = (given: Record<string, unknown>) => createGalley({ project: root, content: given });
  await expect(wrong({ fogs: [] })).rejects.toThrow("content.fogs: is named after no content-type; expected are");
  await expect(wrong({ tags: [{ key: "a", data: {} }] })).rejects.toThrow("content.tags");
  await expect(wrong({ tags: {} })).rejects.toThrow("content.tags: must hold a list of entries");
  await expect(createGalley({ project: root, content, memory: false })).rejects.toThrow("in memory");
});

describe("snapshots", () => {
  test("content and uploads return to them, and to the start", async () => {
    await using galley = await createGalley({ project: root, content });
    const build = galley.as("build");
    const tags = galley.documents("api::tag.tag");
    await tags.create({ data: { name: "sun" } });
    const uploaded = await galley.as("editor").fetch("/api/upload", { method: "POST", body: form("a.txt") });
    expect(uploaded.status).toBe(403);
    const full = await createUpload(galley);
    const snapshot = await galley.snapshot();

    await tags.create({ data: { name: "snow" } });
    await galley.documents("plugin::upload.file").delete({ documentId: full.documentId });
    await galley.reset(snapshot);
    expect(await namesOf(galley)).toEqual(["fog", "rain", "sun"]);
    expect(await (await galley.fetch(full.url)).text()).toBe("text");

    await galley.reset();
    expect(await namesOf(galley)).toEqual(["fog", "rain"]);
    expect((await galley.fetch(full.url)).status).toBe(404);

    await galley.reset(snapshot);
    expect(await namesOf(galley)).toEqual(["fog", "rain", "sun"]);
    expect(await (await galley.fetch(full.url)).text()).toBe("text");
    expect((await build.fetch("/api/tags")).status).toBe(200);
  });

  test("of another project is refused", async () => {
    await using one = await createGalley({ project: root });
    await using other = await createGalley({ project: root });
    await expect(one.reset(await other.snapshot())).rejects.toThrow("another project");
  });
});

async function createUpload(galley: Galley): Promise<{ documentId: string; url: string }> {
  const answer = await galley.as("seeds").fetch("/api/upload", { method: "POST", body: form("b.txt") });
  expect(answer.status).toBe(201);
  const [file] = (await answer.json()) as { documentId: string; url: string }[];
  return file!;
}

describe("callers", () => {
  test("as a type of token: all may be written with one, and read with the other, also after a reset", async () => {
    await using galley = await createGalley({ project: root });
    const write = (caller: string) =>
      galley.as(caller).fetch("/api/tags", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ data: { name: "fog" } }),
      });
    for (const _ of ["after the start", "after a reset"]) {
      expect((await write("full-access")).status).toBe(201);
      expect((await write("read-only")).status).toBe(403);
      expect((await galley.as("read-only").fetch("/api/tags")).status).toBe(200);
      const upload = await galley.as("full-access").fetch("/api/upload", { method: "POST", body: form("c.txt") });
      expect(upload.status).toBe(201);
      await galley.reset();
    }
  });

  test("the public, roles and tokens", async () => {
    await using galley = await createGalley({ project: root, content });
    const status = async (caller: string, path: string): Promise<number> =>
      (await galley.as(caller).fetch(path)).status;
    expect(await status("public", "/api/tags")).toBe(200);
    expect(await status("public", "/api/notes")).toBe(403);
    expect(await status("authenticated", "/api/notes")).toBe(200);
    expect(await status("authenticated", "/api/tags")).toBe(403);
    expect(await status("build", "/api/notes")).toBe(200);
    expect(await status("a-key-for-builds-of-sites", "/api/notes")).toBe(200);
    const made = await galley.as("editor").fetch("/api/notes", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ data: { text: "dry" } }),
    });
    expect(made.status).toBe(201);
    // the same user again, and a new one after a reset
    await galley.as("editor").fetch("/api/notes");
    expect(await galley.documents("plugin::users-permissions.user").count()).toBe(2);
    await galley.reset();
    expect(await status("editor", "/api/notes")).toBe(200);
    expect(await galley.documents("plugin::users-permissions.user").count()).toBe(1);
  });

  test("a name that is none is refused", async () => {
    await using galley = await createGalley({ project: root });
    await expect(galley.as("nobody").fetch("/api/tags")).rejects.toThrow(
      'as("nobody"): neither an API token nor a role; the roles are "authenticated", "public", "editor"',
    );
  });

  test("a request's own header goes before", async () => {
    await using galley = await createGalley({ project: root });
    const answer = await galley.as("build").fetch("/api/notes", { headers: { authorization: "Bearer nothing" } });
    expect(answer.status).toBe(401);
    const authorization = await galley.as("build").authorization();
    expect((await fetch(`${galley.serve()}/api/notes`, { headers: { authorization: authorization! } })).status).toBe(
      200,
    );
  });
});

describe("a fixed time and a seed", () => {
  const options = { project: root, content, now: "2026-01-02T03:04:05.000Z", seed: "spring" } as const;
  const run = async (galley: Galley) => {
    const { fetch: send } = galley.as("seeds");
    const body = JSON.stringify({ data: { text: "x" } });
    const headers = { "content-type": "application/json" };
    const note = await json(send("/api/notes?status=published", { method: "POST", headers, body }));
    const files = await json(send("/api/upload", { method: "POST", body: form("a.txt") }));
    return { note, files, all: await json(send("/api/notes?populate=*")) };
  };

  test("make whole answers the same in every run", async () => {
    await using one = await createGalley(options);
    await using other = await createGalley(options);
    const first = await run(one);
    expect(await run(other)).toEqual(first);
    expect(JSON.stringify(first.note)).toContain('"2026-01-02T03:04:05.');
    expect((first.note.data as { documentId: string }).documentId).toMatch(/^[a-z][a-z0-9]{23}$/);
    await using seeded = await createGalley({ ...options, seed: "autumn" });
    expect((await run(seeded)).note).not.toEqual(first.note);
  });

  test("also after a reset", async () => {
    await using galley = await createGalley(options);
    const first = await run(galley);
    await galley.reset();
    expect(await run(galley)).toEqual(first);
    const ids = await galley.documents("api::note.note").findMany({ status: "draft", fields: ["documentId"] });
    expect(new Set(ids.map(({ documentId }) => documentId)).size).toBe(ids.length);
  });

  test("a time that is none is refused", async () => {
    await expect(createGalley({ project: root, now: "soon" })).rejects.toThrow(
      'now must be a time from 1970-01-01 to 9999-01-01, as "2030-01-01", "2030-01-01T00:00:00Z", a Date or milliseconds, not "soon"',
    );
  });
});

test("nothing is left in the project's folder", () => {
  expect(existsSync(`${root}/.galley`)).toBe(false);
  expect(readdirSync(root)).not.toContain("public");
});

test("fixtures are loaded once, and branched from: those of a test, of an archive, and of content files", async () => {
  const archive = join(import.meta.dir, "transfer/fixtures/reference.tar.gz");
  const sources = [
    ["tag", { project: root, content }],
    ["article", { archive }],
    ["tag", { project: join(import.meta.dir, "../data/starter") }],
  ] as const;
  for (const [type, source] of sources) {
    await using galley = await createGalley({ ...source, environment: {} });
    await using one = await galley.branch();
    await using other = await galley.branch();
    const service = (of: Galley) => of.documents(`api::${type}.${type}`);
    const counts = () => Promise.all([one, other, galley].map((of) => service(of).count({ status: "draft" })));
    const [before = 0] = await counts();
    expect(before).toBeGreaterThan(0);
    const first = await service(one).findFirst();
    await service(one).delete({ documentId: first!.documentId, locale: "*" });
    expect(await counts()).toEqual([before - 1, before, before]);
  }
});
