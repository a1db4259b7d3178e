import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { checkGalleyFile } from "../src/engine/config/galley-file.ts";
import { checkSchema } from "../src/engine/schema/check.ts";
import { apiTypes } from "../src/engine/schema/model.ts";
import { ProjectReport } from "../src/lib/errors.ts";
import { createApp } from "../src/server/app.ts";
import { loadContent } from "../src/server/load-content.ts";
import type { Project } from "../src/server/project/project.ts";
import { loadProjectSchema } from "../src/server/project/project-source.ts";
import { readStarterFolder, templateFolder, templates } from "../src/server/starter.ts";
import { openInMemory } from "./transfer/content/earlier/fixture.ts";

const STARTER = join(import.meta.dir, "../data/starter");
const files = readStarterFolder();
const text = (name: string): string => new TextDecoder().decode(files.get(name));
const names = [...files.keys()];
const pictures = names.filter((name) => name.startsWith("content/media/") && !name.endsWith(".yaml"));
const galleyFile = JSON.parse(text("config/galley.json")) as { roles: { public: string[] } };

let project: Project;
let get: (path: string) => Promise<{ status: number; body: unknown }>;

beforeAll(async () => {
  project = openInMemory(STARTER);
  await loadContent(project, { memory: true });
  const app = createApp(project);
  get = async (path) => {
    const response = await app.handle(new Request(`http://localhost${path}`));
    return { status: response.status, body: await response.json() };
  };
});

test("every schema passes", () => {
  const report = new ProjectReport();
  const schema = loadProjectSchema(STARTER, report);
  checkSchema(schema, {}, report);
  expect(() => report.finish()).not.toThrow();
  expect(report.warnings).toEqual([]);
  expect(schema.components.length).toBeGreaterThanOrEqual(8);
});

test("the configuration passes, and has no key, user or password in it", () => {
  expect(() => checkGalleyFile(galleyFile, "config/galley.json")).not.toThrow();
  expect(Object.keys(galleyFile).sort()).toEqual(["locales", "roles"]);
});

test.each(templates)("%s explains the format of content files", (template) => {
  const readme = new TextDecoder().decode(readStarterFolder(templateFolder(template)).get("content/README.md"));
  expect(readme).toBe(text("content/README.md"));
});

test("the model shows what content-types can do", () => {
  const types = apiTypes(project.model);
  const attributes = [...types, ...project.model.components.values()].flatMap((schema) => [
    ...schema.attributes.values(),
  ]);
  const declared = new Set(attributes.map(({ definition }) => definition.type));
  expect(types.filter(({ kind }) => kind === "collectionType").length).toBeGreaterThanOrEqual(6);
  expect(types.filter(({ kind }) => kind === "singleType").length).toBeGreaterThanOrEqual(1);
  expect(types.filter(({ localized, draftAndPublish }) => localized && draftAndPublish).length).toBeGreaterThanOrEqual(
    1,
  );
  for (const type of [
    "component",
    "dynamiczone",
    "media",
    "blocks",
    "richtext",
    "enumeration",
    "date",
    "uid",
    "relation",
  ])
    expect(declared).toContain(type);
  expect(attributes.some((attribute) => attribute.private && !attribute.system)).toBe(true);
  expect(attributes.some(({ kind, definition }) => kind === "relation" && definition.mappedBy)).toBe(true);
});

describe("public routes", () => {
  const actions = galleyFile.roles.public.filter((name) => name.startsWith("api::"));
  const routeOf = async (action: string): Promise<string> => {
    const [uid, name] = [action.slice(0, action.lastIndexOf(".")), action.slice(action.lastIndexOf(".") + 1)];
    const type = project.model.types.get(uid);
    if (!type) throw new Error(`There is no type ${uid}`);
    if (type.kind === "singleType") return `/api/${type.singularName}`;
    if (name === "find") return `/api/${type.pluralName}`;
    const { body } = await get(`/api/${type.pluralName}?pagination[pageSize]=1`);
    return `/api/${type.pluralName}/${(body as { data: { documentId: string }[] }).data[0]?.documentId}`;
  };

  test("are those of every content-type", () => {
    const types = new Set(actions.map((action) => action.slice(0, action.lastIndexOf("."))));
    expect([...types].sort()).toEqual(
      apiTypes(project.model)
        .map(({ uid }) => uid)
        .sort(),
    );
  });

  test.each(actions)("%s answers 200 with content, and with everything populated", async (action) => {
    const route = await routeOf(action);
    for (const path of [route, `${route}?populate=*`]) {
      const { status, body } = await get(path);
      const { data } = body as { data: unknown };
      expect([path, status]).toEqual([path, 200]);
      expect(Array.isArray(data) ? data.length : Object.keys(data as object).length).toBeGreaterThan(0);
    }
  });

  test.each([...text("README.md").matchAll(/<http:\/\/localhost:1337([^>]+)>/g)].map(([, path]) => path!))(
    "the README's %s answers 200",
    async (path) => expect((await get(path)).status).toBe(200),
  );

  test("nobody writes without a token", async () => {
    const request = new Request("http://localhost/api/tags", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ data: { name: "intruder", slug: "intruder" } }),
    });
    expect((await createApp(project).handle(request)).status).toBe(403);
  });
});

describe("texts", () => {
  test.each(names.filter((name) => /\.(json|md|svg|yaml)$/.test(name)))("%s has no filler in it", (name) => {
    expect(text(name)).not.toMatch(/lorem|ipsum|dolor sit|\b(foo|bar|baz|todo|xxx|placeholder|click here)\b/i);
  });

  test("no two articles have the same words", async () => {
    const { body } = await get("/api/articles?status=draft&fields=title,summary,body");
    const articles = (body as { data: { title: string; summary: string; body: unknown[] }[] }).data;
    const paragraphs = articles.flatMap((article) => article.body.map((block) => JSON.stringify(block)));
    expect(new Set(paragraphs).size).toBe(paragraphs.length);
    for (const { title, summary } of articles) expect([title, summary.length > 60]).toEqual([title, true]);
  });

  test("published articles are worth a visit: at least a hundred and fifty words each, in both languages", async () => {
    for (const locale of ["en", "fr"]) {
      const { body } = await get(`/api/articles?locale=${locale}&fields=title,body`);
      for (const { title, body: blocks } of (body as { data: { title: string; body: unknown }[] }).data) {
        const words = JSON.stringify(blocks).split(/\s+/).length;
        expect([title, words >= 150]).toEqual([title, true]);
      }
    }
  });
});

describe("pictures", () => {
  test.each(pictures)("%s is small, has an alternative text, and is used", async (name) => {
    const key = name.slice("content/media/".length);
    expect(files.get(name)!.length).toBeLessThan(60_000);
    expect(/^alternativeText: (.+)$/m.exec(text(`${name}.yaml`))?.[1]?.length).toBeGreaterThan(20);
    const content = names.filter((file) => /^content\/(?!media\/).*\.(yaml|md)$/.test(file)).map(text);
    expect(content.some((file) => file.includes(`: ${key}\n`))).toBe(true);
  });
});
