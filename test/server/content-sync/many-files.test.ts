/** Many files at once: reads are answered while they are applied, and a write waits for them. */
import { expect, test } from "bun:test";
import { relation, typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const COUNT = 600;
const PROJECT = {
  ...typeFile("author", { name: { type: "string" } }),
  ...typeFile(
    "article",
    { title: { type: "string", minLength: 3 }, author: relation("manyToOne", "author") },
    { draftAndPublish: true },
  ),
};

const numbers = Array.from({ length: COUNT }, (_, number) => number);

function writeArticles(project: SyncedProject, title: string): void {
  for (const number of numbers)
    project.write(`articles/a${number}.yaml`, `title: ${title} ${number}\nauthor: authors/ada\n$published: true\n`);
}

const published = ({ context }: SyncedProject): number =>
  context.storage.first("SELECT count(*) FROM articles WHERE status = 'published'")![0] as number;

test("others see all of a burst or nothing, and are served while it is applied", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write("authors/ada.yaml", "name: Ada\n");
  writeArticles(project, "First");
  const ada = (await project.create("author", { name: "Before" })) as string;
  let isDone = false;
  const pass = project.pass().finally(() => {
    isDone = true;
  });
  const seen: number[] = [];
  const write = project.update("author", ada, { name: "Meanwhile" });
  while (!isDone) {
    seen.push(published(project));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await pass).toMatchObject({ applied: COUNT + 1, problems: [] });
  expect(seen.filter((count) => count === 0).length).toBeGreaterThan(5);
  expect(new Set([...seen, published(project)])).toEqual(new Set([0, COUNT]));
  await write;
  expect(await project.find("author", ada)).toMatchObject({ name: "Meanwhile" });
  const article = await project
    .service("article")
    .findFirst({ filters: { title: "First 7" }, populate: { author: true } });
  expect(article).toMatchObject({ author: { name: "Ada" } });
  // files have their ids now, and nothing is left to do
  await project.sync();
  expect(await project.pass()).toMatchObject({ applied: 0, written: 0 });
});

test("one that is not valid keeps all out", async () => {
  await using project = new SyncedProject(PROJECT);
  project.write("authors/ada.yaml", "name: Ada\n");
  writeArticles(project, "First");
  project.write("articles/a5.yaml", "title: x\n$published: true\n");
  const { applied, problems } = await project.pass();
  expect(applied).toBe(0);
  expect(problems).toMatchObject([{ file: "articles/a5.yaml", line: 1, key: "title" }]);
  expect(published(project)).toBe(0);
  project.write("articles/a5.yaml", "title: Long enough\n$published: true\n");
  expect((await project.pass()).problems).toEqual([]);
  expect(published(project)).toBe(COUNT);
});
