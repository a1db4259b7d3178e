import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProject } from "../../src/server/project/project.ts";
import { PROGRAM } from "../program.ts";
import { metadata, type TarEntry, writeArchive } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-schemas-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schema = (name: string, attributes: object) => ({
  uid: `api::${name}.${name}`,
  modelType: "contentType",
  kind: "collectionType",
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: false },
  attributes,
});
const part = { uid: "shared.part", modelType: "component", info: { displayName: "Part" }, attributes: {} };
const rows = (stage: string, ...values: readonly unknown[]): TarEntry => ({
  name: `${stage}/${stage}_00001.jsonl`,
  content: values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n"),
});
const post = (title: string) => ({ type: "api::post.post", id: 1, data: { documentId: "one", title } });

async function runImport(archive: string, root: string): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([...PROGRAM, "import", archive, root, "--schemas", "--yes"], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: out + errors };
}

/** Contents of the project's own files by path; null for folders. */
const filesOf = (root: string): Record<string, string | null> =>
  Object.fromEntries(
    ["src", "config"].flatMap((top) =>
      existsSync(join(root, top))
        ? readdirSync(join(root, top), { recursive: true, encoding: "utf8" }).map((name) => {
            const path = join(root, top, name);
            return [`${top}/${name}`, statSync(path).isDirectory() ? null : readFileSync(path, "utf8")];
          })
        : [],
    ),
  );

function titles(root: string): unknown[] {
  const project = openProject(root, { memory: false, publicRead: false, environment: {} });
  const found = project.context.storage.all("SELECT title FROM posts").map(([title]) => title);
  void project.close();
  return found;
}

test("a failed import puts back the schema files and the content that were there", async () => {
  const root = join(folder, "project");
  const good = await writeArchive(join(folder, "good.tar.gz"), [
    rows("schemas", schema("post", { title: { type: "string" } })),
    rows("entities", post("first")),
    metadata,
  ]);
  expect((await runImport(good, root)).code).toBe(0);
  const before = filesOf(root);
  const failing: Record<string, TarEntry[]> = {
    "a row twice": [
      rows("schemas", schema("post", { title: { type: "text" } }), schema("page", {}), part),
      rows("entities", post("second"), post("third")),
    ],
    "a line that is cut off": [rows("schemas", schema("page", {})), rows("entities", post("second"), '{"type":')],
    "schemas that cannot be served": [
      rows("schemas", schema("post", { title: { type: "string" }, other: { type: "no such type" } }), part),
    ],
  };
  for (const [name, entries] of Object.entries(failing)) {
    const archive = await writeArchive(join(folder, "bad.tar.gz"), [...entries, metadata]);
    const { code, output } = await runImport(archive, root);
    expect([name, code]).toEqual([name, 1]);
    expect(output).not.toContain("    at ");
    expect(output.split("\n").length).toBeLessThan(5);
    expect(filesOf(root)).toEqual(before);
    expect(titles(root)).toEqual(["first"]);
  }
  const empty = join(folder, "empty");
  const archive = await writeArchive(join(folder, "bad.tar.gz"), [...failing["a row twice"]!, metadata]);
  expect((await runImport(archive, empty)).code).toBe(1);
  expect(filesOf(empty)).toEqual({});
}, 180_000);
