/** Several processes that serve one folder, and disks that take no more files. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ContentFolder } from "../../../src/server/content-sync/folder.ts";
import { ContentSync } from "../../../src/server/content-sync/sync.ts";
import { openProject } from "../../../src/server/project/project.ts";
import { configFile, projectFolder, typeFile } from "../../project.ts";
import { until } from "../../until.ts";
import { Server } from "../worker-server.ts";
import { SyncedProject } from "./synced-project.ts";

const AUTHOR = typeFile("author", { name: { type: "string" } });

const servers: Server[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop("SIGKILL"))));

test.skipIf(process.platform !== "linux")(
  "of several workers each serves what a file says, and what each writes is in its file once",
  async () => {
    const { root, remove } = projectFolder({ ...configFile(), ...AUTHOR, "content/authors/mara.yaml": "name: Mara\n" });
    const file = join(root, "content/authors/mara.yaml");
    const server = new Server(root);
    servers.push(server);
    await server.started();
    await until("the file has its id", () => readFileSync(file, "utf8").includes("$id"));
    writeFileSync(file, readFileSync(file, "utf8").replace("Mara", "Ada"));
    const names = async (): Promise<Set<string>> => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => server.call("GET", "/api/authors")));
      return new Set(answers.map(({ body }) => body.data[0].name));
    };
    await until("all workers serve it", async () => Bun.deepEquals(await names(), new Set(["Ada"])));
    const { body } = await server.call("GET", "/api/authors");
    const path = `/api/authors/${body.data[0].documentId}`;
    for (let number = 0; number < 10; number++)
      expect((await server.call("PUT", path, { data: { name: `Name ${number}` } })).status).toBe(200);
    await until("the last is in the file", () => readFileSync(file, "utf8").includes("name: Name 9\n"));
    expect(readFileSync(file, "utf8").match(/^name:/gm)).toHaveLength(1);
    await server.stop("SIGTERM");
    remove();
  },
  120_000,
);

test("a server and a command that read new files at once make one document, and one media file, of each", async () => {
  await using project = new SyncedProject(AUTHOR);
  await project.sync();
  const other = openProject(project.root, { memory: false, publicRead: true, environment: {} });
  for (let number = 0; number < 5; number++) {
    project.write(`authors/a${number}.yaml`, `name: A ${number}\n`);
    project.write(`media/m${number}.txt`, `M ${number}\n`);
  }
  const command = new ContentSync(other, project.folder, { writes: false });
  const results = await Promise.all([project.pass(), command.run()]);
  await other.close();
  expect(results.flatMap(({ problems }) => problems)).toEqual([]);
  expect(results.map(({ applied }) => applied).sort()).toEqual([0, 10]);
  expect(project.context.storage.all("SELECT count(*) FROM authors")).toEqual([[5]]);
  expect(project.context.storage.all("SELECT count(*) FROM files")).toEqual([[5]]);
});

test.each([
  ["ENOSPC", "no space left on device"],
  ["EROFS", "read-only file system"],
  ["EACCES", "permission denied"],
  ["EIO", "i/o error"],
])("a write whose file cannot be written (%s) is kept, told, and in the file later", async (code, message) => {
  class FullFolder extends ContentFolder {
    override replace(): never {
      throw Object.assign(new Error(`${code}: ${message}`), { code });
    }
  }
  await using project = new SyncedProject(AUTHOR);
  const id = await project.create("author", { name: "Mara" });
  const full = new ContentSync(project.project, new FullFolder(project.folder.path), { writes: true });
  const { written, unwritten, problems } = await full.run();
  expect([written, problems]).toEqual([0, []]);
  expect(unwritten).toMatchObject([
    { file: "authors/mara.yaml", reason: expect.stringMatching(/^cannot be written: /) },
  ]);
  expect(await project.find("author", id)).toMatchObject({ name: "Mara" });
  await project.update("author", id, { name: "Ada" });
  await project.sync();
  expect(project.list("authors").map((name) => project.read(`authors/${name}`))).toEqual([
    expect.stringContaining("name: Ada\n"),
  ]);
  // and an existing file keeps its text
  await project.update("author", id, { name: "Ines" });
  await new ContentSync(project.project, new FullFolder(project.folder.path), { writes: true }).run();
  const [file] = project.list("authors");
  expect(project.read(`authors/${file}`)).toContain("name: Ada\n");
  await project.sync();
  expect(project.read(`authors/${file}`)).toContain("name: Ines\n");
});
