/** Whole contents, written as files by one database and loaded by an empty one, are answered as before. */
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiTypes, type ContentType } from "../../../src/engine/schema/model.ts";
import { isRecord } from "../../../src/lib/is-record.ts";
import { createApp } from "../../../src/server/app.ts";
import { exportFolder } from "../../../src/server/content-sync/export-folder.ts";
import { ContentFolder } from "../../../src/server/content-sync/folder.ts";
import { ContentSync } from "../../../src/server/content-sync/sync.ts";
import type { Project } from "../../../src/server/project/project.ts";
import { startProject } from "../../../src/server/start.ts";
import { PROGRAM } from "../../program.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-whole-content-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ROOT = join(import.meta.dir, "../../..");
const CONTENTS: Readonly<Record<string, { readonly project?: string; readonly archive?: string }>> = {
  starter: { project: join(ROOT, "data/starter") },
  blog: { project: join(ROOT, "data/blog") },
  reference: { archive: join(ROOT, "test/transfer/fixtures/reference.tar.gz") },
  polymorphic: { archive: join(ROOT, "test/transfer/fixtures/morph.tar.gz") },
};

const start = async (root: string, memory: boolean): Promise<Project> =>
  (await startProject(root, { memory, publicRead: true, environment: {}, announce: () => {} })).project;

/** Ids of rows count writes; sizes of resized copies depend on the image that they were made of, which is stored smaller. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isRecord(value)) return value;
  const { id: _, formats: __, ...others } = value;
  return Object.fromEntries(Object.entries(others).map(([key, item]) => [key, comparable(item)]));
}

/** The documents of a type, with everything that files have: links that only the other side has are in another order. */
async function answers(project: Project, type: ContentType): Promise<unknown[]> {
  const app = createApp(project);
  const { pluralName, singularName, kind, draftAndPublish, localized } = type;
  const path = `/api/${kind === "singleType" ? singularName : pluralName}`;
  const populate = [...type.attributes.values()].flatMap((attribute, index) =>
    attribute.kind !== "scalar" &&
    !attribute.system &&
    (attribute.kind !== "relation" || attribute.link.side === "owner")
      ? [`populate[${index}]=${attribute.name}`]
      : [],
  );
  const queries = (draftAndPublish ? ["draft", "published"] : [""]).flatMap((status) =>
    (localized ? ["*"] : [""]).map((locale) =>
      [...populate, "pagination[pageSize]=100", status && `status=${status}`, locale && `locale=${locale}`].filter(
        Boolean,
      ),
    ),
  );
  return Promise.all(
    queries.map(async (query) => {
      const response = await app.handle(new Request(`http://localhost${path}?${query.join("&")}`));
      return comparable(await response.json());
    }),
  );
}

describe.each(Object.entries(CONTENTS))("%s", (name, { project: source, archive }) => {
  test("is answered as before", async () => {
    const root = join(folder, name);
    if (source) cpSync(source, root, { recursive: true, filter: (path) => !path.includes(".galley") });
    else {
      const child = Bun.spawn([...PROGRAM, "import", archive!, root, "--schemas", "--yes"], { stdout: "ignore" });
      expect(await child.exited).toBe(0);
    }
    const before = await start(root, false);
    const content = join(root, "content");
    rmSync(content, { recursive: true, force: true });
    mkdirSync(content);
    // the files of the projects are synchronised already
    if (source) await exportFolder({ context: before.context, uploadFolder: before.uploads.path }, content);
    else {
      const written = await new ContentSync(before, new ContentFolder(content), { writes: true }).run();
      expect(written.problems).toEqual([]);
      expect(written.written).toBeGreaterThan(0);
    }

    const copy = join(folder, `${name}-copy`);
    cpSync(root, copy, { recursive: true, filter: (path) => !/\.galley|uploads/.test(path) });
    expect(existsSync(join(copy, ".galley"))).toBe(false);
    const after = await start(copy, true);
    for (const type of apiTypes(before.model)) expect(await answers(after, type)).toEqual(await answers(before, type));
    await Promise.all([before.close(), after.close()]);
  }, 60_000);
});
