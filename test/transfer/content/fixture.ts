/** A project with every kind of attribute and link, whose documents have files named as they are made. */
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import type { Data } from "../../../src/engine/documents/documents.ts";
import { FILE, USER } from "../../../src/engine/schema/builtin/index.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import { quote } from "../../../src/engine/storage/sql.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import type { ContentFile } from "../../../src/transfer/content/content-file.ts";
import type { LinkTargets } from "../../../src/transfer/content/link-input.ts";
import { readDocuments, type UnreadableContent } from "../../../src/transfer/content/read-documents.ts";
import type { LinkNames } from "../../../src/transfer/content/read-links.ts";
import { fixtures } from "../../engine/attributes/fixtures.ts";
import { componentFile, configFile, projectFolder, relation, typeFile } from "../../project.ts";

const localized = (definition: object) => ({ ...definition, pluginOptions: { i18n: { localized: true } } });
const text = { type: "string" };
const media = (multiple = false) => ({ type: "media", multiple });
const morph = (kind: string, target: string, morphBy: string) => ({ ...relation(kind, target), morphBy });

/** An attribute of each type, by the type's name. */
export const scalars = Object.fromEntries(
  Object.entries(fixtures).map(([type, { options }]) => [`${type}Value`, { type, ...options }]),
);

export const PROJECT = {
  ...configFile(),
  ...typeFile("thing", scalars, { draftAndPublish: true }),
  ...typeFile(
    "article",
    {
      title: localized(text),
      price: { type: "integer" },
      author: relation("manyToOne", "author"),
      writer: { type: "relation", relation: "oneToOne", target: USER },
      tags: { ...relation("manyToMany", "tag"), inversedBy: "articles" },
      next: relation("oneToOne", "article"),
      related: { type: "relation", relation: "morphToMany" },
      subject: { type: "relation", relation: "morphToOne" },
      cover: localized(media()),
      gallery: localized(media(true)),
      seo: localized({ type: "component", component: "shared.seo" }),
      sections: localized({ type: "dynamiczone", components: ["shared.card", "shared.seo"] }),
    },
    { draftAndPublish: true, localized: true },
  ),
  ...typeFile("author", { title: localized(text) }, { draftAndPublish: true, localized: true }),
  ...typeFile("tag", {
    title: text,
    articles: { ...relation("manyToMany", "article"), mappedBy: "tags" },
    shownBy: morph("morphMany", "article", "related"),
  }),
  ...typeFile("box", {
    title: text,
    size: { type: "integer", default: 3 },
    sides: { type: "component", component: "shared.side", repeatable: true },
  }),
  ...typeFile("person", { title: text }, { draftAndPublish: true }),
  ...typeFile("note", {
    title: text,
    owner: relation("manyToOne", "person"),
    friends: relation("manyToMany", "person"),
  }),
  ...componentFile("shared.side", { name: text, colour: { ...text, default: "red" } }),
  ...componentFile("shared.seo", { metaTitle: text, image: media(), by: relation("oneToOne", "author") }),
  ...componentFile("shared.card", {
    heading: text,
    items: { type: "component", component: "shared.item", repeatable: true },
  }),
  ...componentFile("shared.item", { name: text, authors: relation("oneToMany", "author") }),
};

/** The status and locale of a write. */
interface Options {
  readonly status?: "draft" | "published";
  readonly locale?: string;
}

export class Content {
  readonly project: Project;
  readonly #remove: () => void;
  /** By `uid documentId`. */
  readonly #names = new Map<string, string>();

  constructor(files: Readonly<Record<string, string>> = PROJECT) {
    const { root, remove } = projectFolder(files);
    this.#remove = remove;
    this.project = openProject(root, { memory: true, publicRead: true, environment: {} });
  }

  get context() {
    return this.project.context;
  }

  type(name: string) {
    return contentType(this.project.model, `api::${name}.${name}`);
  }

  service(name: string) {
    return new DocumentService(this.context, this.type(name));
  }

  /** Creates a document whose file has the name of its title. Returns its id. */
  async create(name: string, data: Data, options: Options = {}): Promise<string> {
    const { documentId } = await this.service(name).create({ data, ...options });
    this.#names.set(`${this.type(name).uid} ${documentId}`, `${name}s/${data.title}`);
    return documentId as string;
  }

  update(name: string, documentId: string, data: Data, options: Options = {}) {
    return this.service(name).update({ documentId, data, ...options });
  }

  /** Adds the row of a media file, or a user. Returns its id. */
  row(uid: string, columns: Readonly<Record<string, string | number>>): number {
    const all = {
      document_id: `d${Bun.hash(JSON.stringify(columns))}`,
      status: "published",
      created_at: "2024-01-01T00:00:00.000Z",
      updated_at: "2024-01-01T00:00:00.000Z",
      ...columns,
    };
    return this.context.storage.run(
      `INSERT INTO ${quote(contentType(this.project.model, uid).table)} (${Object.keys(all)}) VALUES (${Object.keys(all).map(() => "?")})`,
      Object.values(all),
    ).id;
  }

  media(name: string): number {
    return this.row(FILE, { name, hash: name, mime: "image/png", size: 1, url: `/${name}`, provider: "local" });
  }

  /** Copies the rows of articles, with their components and links, `count` times: writes would take too long. */
  copyArticles(count: number): void {
    const { storage } = this.context;
    const copy = (table: string, changed: Readonly<Record<string, string>>): void => {
      const columns = storage
        .all("SELECT name FROM pragma_table_info(?)", [table])
        .map(([name]) => quote(String(name)));
      const values = columns.map((column) => changed[column.slice(1, -1)] ?? column);
      storage.run(
        `WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${count})
         INSERT INTO ${table} (${columns}) SELECT ${values} FROM ${table}, copies`,
      );
    };
    const id = "id + n * 1000";
    copy("galley_links", {
      owner: "owner + n * 1000",
      target: "target + n * 1000 * (field IN (SELECT id FROM galley_names WHERE name LIKE '%>components_%'))",
    });
    copy("components_shared_seo", { id });
    copy("articles", { id, document_id: "document_id || n" });
  }

  get names(): LinkNames {
    return {
      document: (uid, documentId) => this.#names.get(`${uid} ${documentId}`),
      media: (row) => this.#media(row),
    };
  }

  #media(row: number): string | undefined {
    return this.context.storage.first("SELECT name FROM files WHERE id = ?", [row])?.[0] as string | undefined;
  }

  /** For a writer of these files into `other`, which has the same media and users. */
  targetsIn(other: Content): LinkTargets {
    const ids = new Map(
      [...this.#names].map(([key, name]) => {
        const [uid, documentId] = key.split(" ") as [string, string];
        return [name, { uid, documentId }];
      }),
    );
    const { storage } = other.context;
    return {
      document: (name) => {
        const user =
          name.startsWith("users/") &&
          storage.first("SELECT document_id FROM up_users WHERE username = ?", [name.slice(6)]);
        return user ? { uid: USER, documentId: user[0] as string } : ids.get(name);
      },
      media: (path) => storage.first("SELECT id FROM files WHERE name = ?", [path])?.[0] as number | undefined,
    };
  }

  files(
    name: string,
    ids?: readonly string[],
    onUnreadable?: (value: UnreadableContent) => void,
  ): ReadonlyMap<string, ContentFile> {
    return readDocuments(this.context, this.type(name), ids, this.names, onUnreadable);
  }

  file(name: string, id: string): ContentFile {
    return this.files(name, [id]).get(id)!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.project.close();
    this.#remove();
  }
}

/** An entry of articles' sections. */
export const card = (name: string, authors: readonly string[]) => ({
  __component: "shared.card",
  items: [{ name, authors }],
});

/** Without what differs in each run. */
export const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, item) => (/^\$(id|\w+At)$/.test(key) ? undefined : item));
