/** Names of files that get lost in checkouts on other systems. */
import { expect, test } from "bun:test";
import { warnOfNames } from "../../../src/server/content-sync/portable-names.ts";
import { typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const other = (name: string) =>
  `differs from ${name} only in capitals, or in how letters are composed: elsewhere these are one file`;
const INVALID = "has a name that files cannot have on Windows";

test("names that are one file elsewhere, and those that Windows does not have, are warnings", () => {
  const composed = "größe.yaml".normalize("NFC");
  const files = [
    "a.yaml",
    "A.yaml",
    composed,
    composed.normalize("NFD"),
    "b/con.md",
    "a:b.yaml",
    "c./d.yaml",
    "e é.yaml",
  ];
  expect(warnOfNames(files)).toEqual([
    { file: "A.yaml", reason: other("a.yaml") },
    { file: composed.normalize("NFD"), reason: other(composed) },
    { file: "b/con.md", reason: INVALID },
    { file: "a:b.yaml", reason: INVALID },
    { file: "c./d.yaml", reason: INVALID },
  ]);
});

test("the first pass over all files prints them, of documents and media", async () => {
  await using project = new SyncedProject(typeFile("article", { title: { type: "string" } }));
  for (const name of ["One", "two"]) project.write(`articles/${name}.yaml`, `title: ${name}\n`);
  project.write("articles/aux.yaml", "title: three\n");
  project.write("media/a?.txt", "text");
  expect((await project.sync()).warnings).toEqual([
    { file: "articles/aux.yaml", reason: INVALID },
    { file: "media/a?.txt", reason: INVALID },
  ]);
  expect((await project.sync()).warnings).toEqual([]);
});
