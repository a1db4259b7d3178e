import { expect, test } from "bun:test";
import { join } from "node:path";
import { createGalley } from "../src/index.ts";

const archive = join(import.meta.dir, "transfer/fixtures/reference.tar.gz");

test("an archive is a program's content server: fetch, reset, await using", async () => {
  await using galley = await createGalley({ archive, publicRead: true });
  const total = async (): Promise<number> => {
    const response = await galley.fetch("/api/articles?pagination[pageSize]=1");
    expect(response.status).toBe(200);
    return ((await response.json()) as { meta: { pagination: { total: number } } }).meta.pagination.total;
  };
  const before = await total();
  expect(before).toBeGreaterThan(5);
  const articles = galley.documents("api::article.article");
  const [one] = await articles.findMany({ status: "published" });
  await articles.delete({ documentId: one!.documentId as string, locale: "*" });
  expect(await total()).toBeLessThan(before);
  await galley.reset();
  expect(await total()).toBe(before);
  expect((await galley.fetch(new Request("http://localhost/api/nothing"))).status).toBe(404);
});

test("what is neither a project nor an archive is refused", async () => {
  await expect(createGalley({})).rejects.toThrow("either a project or an archive");
  await expect(createGalley({ archive, project: "." })).rejects.toThrow("either a project or an archive");
  await expect(createGalley({ archive, memory: false })).rejects.toThrow("in memory only");
});
