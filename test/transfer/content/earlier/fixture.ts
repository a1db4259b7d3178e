/** A small project folder for tests of content files, and a media library that keeps records without files. */

import { expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DocumentsContext } from "../../../../src/engine/documents/context.ts";
import { FILE } from "../../../../src/engine/schema/builtin/index.ts";
import { apiTypes, contentType } from "../../../../src/engine/schema/model.ts";
import { quote } from "../../../../src/engine/storage/sql.ts";
import { ProjectError } from "../../../../src/lib/errors.ts";
import { createApp } from "../../../../src/server/app.ts";
import { openProject, type Project } from "../../../../src/server/project/project.ts";
import { type LoadedContent, loadEarlier, type MediaLibrary } from "../../../../src/transfer/content/earlier/load.ts";
import { readEarlier } from "../../../../src/transfer/content/earlier/read.ts";

type Json = Readonly<Record<string, unknown>>;

const localized = { i18n: { localized: true } };
const relation = (kind: string, target: string, more: Json = {}): Json => ({
  type: "relation",
  relation: kind,
  target,
  ...more,
});

const type = (name: string, attributes: Json, more: Json = {}): Json => ({
  [`src/api/${name}/content-types/${name}/schema.json`]: {
    kind: "collectionType",
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    attributes,
    ...more,
  },
});

const component = (name: string, attributes: Json): Json => ({
  [`src/components/part/${name}.json`]: { collectionName: `part_${name}s`, info: { displayName: name }, attributes },
});

/** Books with drafts and locales, authors without, a single type, components that link, an own kind of target each. */
const library: Json = {
  ...type(
    "book",
    {
      title: { type: "string", required: true, minLength: 3, pluginOptions: localized },
      pages: { type: "integer" },
      author: relation("manyToOne", "api::author.author", { inversedBy: "books" }),
      next: relation("oneToOne", "api::book.book"),
      mentions: { type: "relation", relation: "morphToMany" },
      owner: relation("oneToOne", "plugin::users-permissions.user"),
      notes: { type: "dynamiczone", components: ["part.pick"], pluginOptions: localized },
      cover: { type: "media", multiple: false },
      checked: { type: "boolean", writable: false },
    },
    { options: { draftAndPublish: true }, pluginOptions: localized },
  ),
  ...type("author", {
    name: { type: "string", required: true, unique: true },
    password: { type: "password" },
    books: relation("oneToMany", "api::book.book", { mappedBy: "author" }),
    favourite: relation("oneToOne", "api::book.book", { required: true }),
  }),
  ...type(
    "shop",
    { name: { type: "string" }, best: { type: "component", component: "part.pick" } },
    {
      kind: "singleType",
    },
  ),
  ...component("pick", { reason: { type: "string" }, book: relation("oneToOne", "api::book.book") }),
  "config/galley.json": {
    locales: [{ code: "en", isDefault: true }, { code: "de" }],
    roles: { public: ["api::book.book.find*", "api::author.author.find*", "api::shop.shop.find"] },
    users: [{ username: "ada", email: "ada@example.com" }],
  },
};

const folders: string[] = [];

/** A new folder with the library and the files given; a text is written as it is, anything else as JSON. */
export function libraryWith(files: Json): string {
  const root = mkdtempSync(join(tmpdir(), "galley-content-"));
  folders.push(root);
  for (const [name, content] of Object.entries({ ...library, ...files })) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }
  return root;
}

export function removeLibraries(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

export const openInMemory = (root: string): Project =>
  openProject(root, { memory: true, publicRead: false, environment: {} });

export interface FakeLibrary extends MediaLibrary<string> {
  readonly prepared: string[];
  readonly discarded: string[];
}

/** Records files in the database only. Refuses a file called `unreadable.png`. */
export function fakeLibrary({ storage, clock }: DocumentsContext): FakeLibrary {
  const prepared: string[] = [];
  const discarded: string[] = [];
  const columns =
    "document_id, status, created_at, updated_at, published_at, name, alternativeText, caption, hash, mime, size, url, provider";
  const insert = (record: string): number => {
    const { name, alternativeText, caption } = JSON.parse(record);
    const now = clock.writeTime();
    const url = `/uploads/${name}`;
    const values = [now, now, now, name, alternativeText, caption, name, "image/png", 1, url, "local"];
    return storage.run(`INSERT INTO files (${columns}) VALUES (?, 'published', ${values.map(() => "?").join(", ")})`, [
      `file-${name}`,
      ...values,
    ]).id;
  };
  return {
    prepared,
    discarded,
    prepareFrom: async (_path, texts) => {
      if (texts.name === "unreadable.png") throw new Error("is not a picture");
      prepared.push(texts.name ?? "");
      return JSON.stringify(texts);
    },
    store: (files, work) => {
      try {
        return storage.transaction(() => work(files.map(insert)));
      } catch (error) {
        discarded.push(...files.map((file) => JSON.parse(file).name));
        throw error;
      }
    },
    discard: (files) => void discarded.push(...files.map((file) => JSON.parse(file).name)),
  };
}

/** Loads a project's content files with another media library than its own. */
export const loadWith = async (project: Project, media: MediaLibrary): Promise<LoadedContent | undefined> => {
  const { root, context } = project;
  const content = readEarlier(join(root, "content"), context, { hasOwnLocales: true });
  return loadEarlier({ context, media: () => media }, content);
};

export interface Answer {
  readonly data: Record<string, unknown>[];
  readonly meta: { readonly pagination: { readonly total: number } };
}

export const asker = (project: Project) => {
  const app = createApp(project);
  return async (path: string): Promise<Answer> => {
    const response = await app.handle(new Request(`http://localhost/api/${path}`));
    const body = (await response.json()) as Answer & { readonly error?: unknown };
    expect([path, response.status, body.error]).toEqual([path, 200, undefined]);
    return body;
  };
};

export async function loaded(files: Json): Promise<{ project: Project; ask: ReturnType<typeof asker> }> {
  const project = openInMemory(libraryWith(files));
  await loadWith(project, fakeLibrary(project.context));
  return { project, ask: asker(project) };
}

/** Rows of the project's own types and components, and of files. */
export function rows({ context: { storage, model } }: Project): number {
  const schemas = [...apiTypes(model), ...model.components.values(), contentType(model, FILE)];
  return schemas.reduce(
    (sum, { table }) => sum + Number(storage.first(`SELECT count(*) FROM ${quote(table)}`)?.[0]),
    0,
  );
}

export async function failure(work: Promise<unknown>): Promise<ProjectError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProjectError) return error;
  throw new Error(`Expected a ProjectError, not ${String(error)}`);
}

/** Content files with one book. */
export const book = (data: Json, more: Json = {}): Json => ({ "content/books.json": [{ key: "one", data, ...more }] });
