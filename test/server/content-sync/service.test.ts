/** Files and database while a project is served. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectError } from "../../../src/lib/errors.ts";
import { isCurrent } from "../../../src/server/content-sync/is-current.ts";
import { lockPass } from "../../../src/server/content-sync/lock.ts";
import { ContentSyncService } from "../../../src/server/content-sync/service.ts";
import { readStatus } from "../../../src/server/content-sync/status.ts";
import { runProject } from "../../../src/server/running.ts";
import { ADMIN, configFile, projectFolder, typeFile } from "../../project.ts";
import { until } from "../../until.ts";
import { SyncedProject } from "./synced-project.ts";

const text = { type: "string" };
const AUTHOR = typeFile("author", { name: text, bio: text });

async function served(files: Readonly<Record<string, string>>, options: object = {}) {
  const { root, remove } = projectFolder({ ...configFile(), ...files });
  const lines: string[] = [];
  const report = (message: string | ProjectError) =>
    lines.push(String(typeof message === "string" ? message : message.message));
  const running = await runProject(root, {
    ...{ memory: false, publicRead: true, environment: {}, watch: true, report, announce: report },
    ...options,
  });
  const call = async (method: string, path: string, data?: unknown) => {
    const headers = { ...ADMIN, "content-type": "application/json" };
    const init = data === undefined ? { method, headers } : { method, headers, body: JSON.stringify({ data }) };
    const response = await running.handle(new Request(`http://localhost${path}`, init));
    const body = await response.text();
    return body === "" ? undefined : JSON.parse(body).data;
  };
  const close = async (): Promise<void> => {
    await running.close();
    remove();
  };
  const path = (file: string): string => join(root, "content", file);
  return { ...running, root, lines, call, path, [Symbol.asyncDispose]: close };
}

const MARA = { ...AUTHOR, "content/authors/mara.yaml": "name: Mara\n" };

test("a saved file is answered, and a write is in its file", async () => {
  await using project = await served(MARA);
  const file = project.path("authors/mara.yaml");
  await until("the file has its id", () => readFileSync(file, "utf8").includes("$id"));
  writeFileSync(file, readFileSync(file, "utf8").replace("name: Mara", "name: Ada"));
  await until("the file is served", async () => (await project.call("GET", "/api/authors"))[0].name === "Ada");
  const [{ documentId }] = await project.call("GET", "/api/authors");
  await project.call("PUT", `/api/authors/${documentId}`, { bio: "Draws" });
  await until("the write is in the file", () => readFileSync(file, "utf8").includes("bio: Draws\n"));
  await project.call("DELETE", `/api/authors/${documentId}`);
  await until("the file is removed", () => !existsSync(file));
});

test("what is not valid is told once, and that it is valid again", async () => {
  await using project = await served(MARA);
  const bad = project.path("authors/bad.yaml");
  await until("the file has its id", () => readFileSync(project.path("authors/mara.yaml"), "utf8").includes("$id"));
  writeFileSync(bad, "name: [\n");
  await until("the problem is told", () => project.lines.some((line) => line.includes("authors/bad.yaml")));
  await project.call("POST", "/api/authors", { name: "Eve" });
  await until("other files are written", () => existsSync(project.path("authors/eve.yaml")));
  rmSync(bad);
  await until("it is valid again", () => project.lines.includes("content/ is valid again"));
  expect(project.lines.filter((line) => line.includes("authors/bad.yaml"))).toHaveLength(1);
});

test("what is served otherwise than a file says is a warning, at the start and later", async () => {
  await using project = await served({ ...MARA, "content/authors/mara.yaml": "name: Mara\nage: 4\n" });
  const warning = (place: string) => `warning: content/authors/${place}: api::author.author has no such attribute`;
  const warnings = () => project.lines.filter((line) => line.includes("no such attribute"));
  expect(warnings()).toEqual([warning("mara.yaml:2: age")]);
  await until("the file has its id", () => readFileSync(project.path("authors/mara.yaml"), "utf8").includes("$id"));
  writeFileSync(project.path("authors/eve.yaml"), "name: Eve\nsize: 4\n");
  await until("the warning is printed", () => warnings().length > 1);
  expect(warnings()[1]).toBe(warning("eve.yaml:2: size"));
});

test("what one file that is not valid keeps out is served once that is valid", async () => {
  await using project = await served(MARA);
  const file = project.path("authors/mara.yaml");
  const bad = project.path("authors/bad.yaml");
  await until("the file has its id", () => readFileSync(file, "utf8").includes("$id"));
  const count = async (): Promise<number> => (await project.call("GET", "/api/authors")).length;
  writeFileSync(bad, "name: [\n");
  await until("the problem is told", () => project.lines.some((line) => line.includes("authors/bad.yaml")));
  writeFileSync(project.path("authors/ada.yaml"), "name: Ada\n");
  await Bun.sleep(300);
  expect(await count()).toBe(1);
  writeFileSync(bad, "name: Eve\n");
  await until("both are served", async () => (await count()) === 3);
});

test("a schema that changes while files do", async () => {
  await using project = await served(MARA);
  await until("the file has its id", () => readFileSync(project.path("authors/mara.yaml"), "utf8").includes("$id"));
  const [path, schema] = Object.entries(typeFile("author", { name: text, bio: text, age: { type: "integer" } }))[0]!;
  writeFileSync(join(project.root, path), schema);
  writeFileSync(project.path("authors/ada.yaml"), "name: Ada\nage: 36\n");
  await until(
    "the new attribute is served",
    async () => (await project.call("GET", "/api/authors?filters[age]=36"))?.length === 1,
  );
});

test("what a file has said of an attribute is read once there is such an attribute, also in components and drafts", async () => {
  const type = (more: object) =>
    typeFile(
      "page",
      { title: text, part: { type: "component", component: "a.part" }, ...more },
      { draftAndPublish: true },
    );
  const component = (more: object) => ({
    "src/components/a/part.json": JSON.stringify({
      collectionName: "components_a_parts",
      info: { displayName: "Part" },
      attributes: { label: text, ...more },
    }),
  });
  const content = "title: One\nsize: 3\npart:\n  label: L\n  size: 4\n$published:\n  title: Old\n  size: 2\n";
  await using project = await served({ ...type({}), ...component({}), "content/pages/one.yaml": content });
  const file = project.path("pages/one.yaml");
  await until("the file has its id", () => readFileSync(file, "utf8").includes("$id"));
  // the database has changed since, which the file has to keep
  const [{ documentId }] = await project.call("GET", "/api/pages?status=draft");
  await project.call("PUT", `/api/pages/${documentId}?status=draft`, { title: "Two" });
  await until("the write is in the file", () => readFileSync(file, "utf8").includes("title: Two"));
  expect(readFileSync(file, "utf8")).toContain("size: 3");
  const size = { size: { type: "integer" } };
  for (const [path, schema] of Object.entries({ ...type(size), ...component(size) }))
    writeFileSync(join(project.root, path), schema);
  await until(
    "the draft has it",
    async () => (await project.call("GET", "/api/pages?status=draft&populate=part"))?.[0]?.size === 3,
  );
  expect(await project.call("GET", "/api/pages?status=draft&populate=part")).toMatchObject([
    { title: "Two", size: 3, part: { label: "L", size: 4 } },
  ]);
  expect(await project.call("GET", "/api/pages")).toMatchObject([{ title: "Old", size: 2 }]);
  // once it is read, what the database says of it counts
  await project.call("PUT", `/api/pages/${documentId}?status=draft`, { size: 5 });
  await until("the write is in the file", () => readFileSync(file, "utf8").includes("size: 5"));
});

test("a start with new attributes looks at the files again, and the status names those that say something of them", async () => {
  await using project = new SyncedProject(AUTHOR);
  project.write("authors/ada.yaml", "name: Ada\nage: 36\n");
  await project.sync();
  await until("nothing is left to do", async () => {
    await project.sync();
    return isCurrent(project.folder.path, project.context);
  });
  await project.reopen(typeFile("author", { name: text, bio: text, age: { type: "integer" } }));
  expect(isCurrent(project.folder.path, project.context)).toBe(false);
  expect((await readStatus(project.project, project.folder)).files).toMatchObject([{ file: "authors/ada.yaml" }]);
  await project.sync();
  expect(await project.service("author").findMany({})).toMatchObject([{ name: "Ada", age: 36 }]);
});

test("with ignoresContentChanges files are loaded once, and not written", async () => {
  await using project = await served(MARA, { ignoresContentChanges: true });
  expect(await project.call("GET", "/api/authors")).toHaveLength(1);
  writeFileSync(project.path("authors/ada.yaml"), "name: Ada\n");
  await project.call("POST", "/api/authors", { name: "Eve" });
  await Bun.sleep(400);
  expect(await project.call("GET", "/api/authors")).toHaveLength(2);
  expect(existsSync(project.path("authors/eve.yaml"))).toBe(false);
});

test("in memory, files are read and not written", async () => {
  await using project = await served(MARA, { memory: true });
  writeFileSync(project.path("authors/ada.yaml"), "name: Ada\n");
  await until("the file is served", async () => (await project.call("GET", "/api/authors")).length === 2);
  expect(readFileSync(project.path("authors/ada.yaml"), "utf8")).toBe("name: Ada\n");
});

test("of two servers of one folder one synchronises, and the other when that has ended", async () => {
  await using project = new SyncedProject(AUTHOR);
  const lines: string[][] = [[], []];
  const [first, second] = lines.map(
    (own) =>
      new ContentSyncService({
        project: () => project.project,
        writes: true,
        report: (line) => own.push(String(line)),
        announced: new Set(),
      }),
  ) as [ContentSyncService, ContentSyncService];
  project.write("authors/mara.yaml", "name: Mara\n");
  expect(await first.sync()).toMatchObject({ applied: 1 });
  expect(await second.sync()).toBeUndefined();
  expect(await second.sync()).toBeUndefined();
  expect(lines[1]).toEqual(["content/ is synchronised by another process; this one only serves"]);
  await first.close();
  project.write("authors/ada.yaml", "name: Ada\n");
  expect(await second.sync()).toMatchObject({ applied: 1 });
  await second.close();
});

test("a conflict is told, and what has failed is told once", async () => {
  await using project = new SyncedProject(AUTHOR);
  const lines: string[] = [];
  const report = (message: string | ProjectError) =>
    lines.push(typeof message === "string" ? message : message.message);
  const service = new ContentSyncService({
    project: () => project.project,
    writes: true,
    report,
    announced: new Set(),
  });
  const id = await project.create("author", { name: "Mara" });
  await service.sync();
  await service.sync();
  await project.update("author", id, { name: "From the API" });
  project.edit("authors/mara.yaml", "name: Mara", "name: From the file");
  await service.sync();
  expect(lines.filter((line) => line.includes("authors/mara.yaml") && line.includes("name"))).toHaveLength(1);
  expect(service.conflicts).toMatchObject([{ file: "authors/mara.yaml", key: "name" }]);
  project.remove("");
  await service.sync();
  await service.sync();
  expect(lines.filter((line) => line.startsWith("content/ cannot be synchronised"))).toHaveLength(1);
  mkdirSync(project.path(""));
  await service.close();
});

test("the change log does not grow without end", async () => {
  await using project = await served(MARA);
  await until("the file has its id", () => readFileSync(project.path("authors/mara.yaml"), "utf8").includes("$id"));
  const { storage } = project.project().context;
  const count = (): number => storage.first("SELECT count(*) FROM galley_changes")![0] as number;
  const [{ documentId }] = await project.call("GET", "/api/authors");
  await project.call("PUT", `/api/authors/${documentId}`, { bio: "Sings" });
  await storage.write(() =>
    storage.run(`INSERT INTO galley_changes (event, source, row, document, locale, status)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
      SELECT event, source, row, document, locale, status FROM numbers, (SELECT * FROM galley_changes WHERE document IS NOT NULL LIMIT 1)`),
  );
  expect(count()).toBeGreaterThan(20_000);
  await project.call("PUT", `/api/authors/${documentId}`, { bio: "Draws" });
  await until("it is small again", () => count() < 100);
  await until("the write is in the file", () =>
    readFileSync(project.path("authors/mara.yaml"), "utf8").includes("bio: Draws\n"),
  );
});

test("a database that cannot be read for a moment is told, and synchronised later", async () => {
  await using project = await served(MARA);
  const file = project.path("authors/mara.yaml");
  await until("the file has its id", () => readFileSync(file, "utf8").includes("$id"));
  const { storage } = project.project().context;
  storage.run("ALTER TABLE galley_changes RENAME TO galley_changes_away");
  await until("it is told", () => project.lines.some((line) => line.includes("cannot be synchronised")));
  storage.run("ALTER TABLE galley_changes_away RENAME TO galley_changes");
  const [{ documentId }] = await project.call("GET", "/api/authors");
  await project.call("PUT", `/api/authors/${documentId}`, { bio: "Draws" });
  await until("the write is in the file", () => readFileSync(file, "utf8").includes("bio: Draws\n"));
});

test("a reload and the end do not wait for another process that reads the files, which may be suspended", async () => {
  await using project = new SyncedProject(AUTHOR);
  project.write("authors/mara.yaml", "name: Mara\n");
  const service = new ContentSyncService({
    ...{ project: () => project.project, writes: true, report: () => {}, announced: new Set<string>() },
  });
  const count = () => project.context.storage.first("SELECT count(*) FROM authors")?.[0];
  const lock = await lockPass(project.context.storage);
  void service.sync();
  await service.pause();
  expect(count()).toBe(0);
  lock!.release();
  service.resume();
  await until("the file is read", () => count() === 1);
  await service.pause();
  using _ = await lockPass(project.context.storage);
  service.resume();
  await service.close();
});
