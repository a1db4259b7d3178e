/** Reads content files into an empty database, as the rows of an archive: with the ids, times and versions that they say. */
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DocumentsContext } from "../../documents/context.ts";
import { ProjectError } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import { FILE, LOCALE, USER } from "../../schema/builtin/index.ts";
import { type Attribute, apiTypes, type ContentType, contentType, type Schema } from "../../schema/model.ts";
import { quote } from "../../storage/quote.ts";
import type { ArchiveEntry } from "../archive/entries.ts";
import { isAssetName } from "../archive/paths.ts";
import type { Json } from "../archive/shapes.ts";
import { type ImportTarget, importArchive } from "../import/import-archive.ts";
import { linkedVersion } from "./documents.ts";
import {
  compareLoadKeys,
  type DocumentFile,
  folderOf,
  isDocumentFile,
  type LinkFile,
  type LoadKey,
  MEDIA_FOLDER,
  type VersionFile,
} from "./format.ts";
import { readManifest } from "./manifest.ts";

interface ReadVersion {
  readonly path: string;
  readonly type: ContentType;
  readonly documentId: string;
  readonly status: "draft" | "published";
  readonly locale: string | null;
  readonly version: VersionFile;
}

const endings = /\.json$/;

const namesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => endings.test(name) && !name.startsWith("."))
        .sort()
    : [];

function readJson(root: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  } catch (cause) {
    throw new ProjectError(path, undefined, `is not valid JSON (${(cause as Error).message})`);
  }
}

/** Whether a folder holds documents as files, rather than lists of entries. */
export const hasDocumentFiles = (root: string, types: readonly ContentType[]): boolean =>
  types.some((type) =>
    type.kind === "singleType"
      ? existsSync(join(root, `${type.singularName}.json`)) &&
        isDocumentFile(readJson(root, `${type.singularName}.json`))
      : namesIn(join(root, folderOf(type))).length > 0,
  );

/** Lists of entries, which are not read beside documents. */
export const listFiles = (root: string, types: readonly ContentType[]): string[] =>
  types
    .map(({ pluralName, singularName, kind }) => (kind === "singleType" ? singularName : pluralName))
    .filter((name) => existsSync(join(root, `${name}.json`)) && !isDocumentFile(readJson(root, `${name}.json`)))
    .map((name) => `${name}.json`);

class FilesReader {
  readonly #root: string;
  readonly #context: DocumentsContext;
  readonly #versions: ReadVersion[] = [];
  readonly #ids = new Map<ReadVersion, number>();
  readonly #byKey = new Map<string, ReadVersion>();
  readonly #parts = new Map<string, number>();
  readonly #inverse = new Map<string, number>();
  readonly #media = new Map<string, { readonly id: number; readonly data: Json }>();
  readonly #users = new Map<string, number>();
  /** Names of users that are not there. */
  readonly missingUsers = new Set<string>();

  constructor(root: string, context: DocumentsContext) {
    this.#root = root;
    this.#context = context;
    for (const type of apiTypes(context.model)) this.#readType(type);
    this.#number();
    for (const name of namesIn(join(root, MEDIA_FOLDER))) this.#readMedia(name);
    const { table } = contentType(context.model, USER);
    for (const [id, name] of context.storage.all(`SELECT id, username FROM ${quote(table)}`))
      this.#users.set(`users/${name}`, id as number);
  }

  #readType(type: ContentType): void {
    const folder = folderOf(type);
    const paths = namesIn(join(this.#root, folder)).map((name) => `${folder}/${name}`);
    const single = `${type.singularName}.json`;
    if (type.kind === "singleType" && existsSync(join(this.#root, single))) paths.unshift(single);
    for (const path of paths) {
      const value = readJson(this.#root, path);
      if (isDocumentFile(value)) this.#addDocument(type, path, value);
      else if (path !== single) throw new ProjectError(path, undefined, "must hold a documentId and versions");
    }
  }

  #addDocument(type: ContentType, path: string, { documentId, versions }: DocumentFile): void {
    for (const [index, version] of versions.entries()) {
      const refuse = (problem: string) => new ProjectError(path, `versions.${index}`, problem);
      if (!isRecord(version) || !isRecord(version.data)) throw refuse("must hold data");
      const { locale = null, status = "published" } = version as Partial<VersionFile>;
      if (type.localized !== (locale !== null))
        throw refuse(type.localized ? "needs a locale" : "the type has no locales");
      if (status !== "published" && (status !== "draft" || !type.draftAndPublish))
        throw refuse(`status must be ${type.draftAndPublish ? "draft or published" : "left out"}`);
      const read = { path, type, documentId, status, locale, version: version as unknown as VersionFile };
      const key = keyOf(type.uid, documentId, status, locale);
      if (this.#byKey.has(key)) throw refuse(`is there twice, also in ${this.#byKey.get(key)!.path}`);
      this.#byKey.set(key, read);
      this.#versions.push(read);
    }
  }

  /** Ids in the order in which rows were made. */
  #number(): void {
    const keyed = (read: ReadVersion): LoadKey => {
      const { createdAt, publishedAt = createdAt } = read.version;
      return { ...read, createdAt, publishedAt };
    };
    this.#versions.sort((a, b) => compareLoadKeys(keyed(a), keyed(b)));
    const next = new Map<string, number>();
    for (const version of this.#versions) {
      const id = (next.get(version.type.uid) ?? 0) + 1;
      next.set(version.type.uid, id);
      this.#ids.set(version, id);
    }
  }

  #readMedia(file: string): void {
    const path = `${MEDIA_FOLDER}/${file}`;
    const name = file.replace(endings, "");
    const data = readJson(this.#root, path);
    // other JSON files are media themselves
    if (!isRecord(data) || typeof data.documentId !== "string" || `${data.hash}${data.ext ?? ""}` !== name) return;
    if (!isAssetName(name)) throw new ProjectError(path, undefined, "no media file can have this name");
    this.#media.set(name, { id: this.#media.size + 1, data });
  }

  get locales(): ReadonlySet<string> {
    return new Set(this.#versions.flatMap(({ locale }) => locale ?? []));
  }

  get documents(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [uid, own] of Map.groupBy(this.#versions, ({ type }) => type.uid))
      counts.set(uid, new Set(own.map(({ documentId }) => documentId)).size);
    return counts;
  }

  get mediaCount(): number {
    return this.#media.size;
  }

  *entries(locales: readonly Json[]): Generator<ArchiveEntry> {
    yield rowsEntry("media", "entities", [
      ...locales.map((data, index) => ({ type: LOCALE, id: index + 1, data })),
      ...[...this.#media.values()].map(({ id, data }) => ({ type: FILE, id, data })),
    ]);
    const links: object[] = [];
    for (const version of this.#versions) yield rowsEntry(version.path, "entities", [this.#row(version, links)]);
    for (const { data } of this.#media.values()) yield* this.#assets(data);
    yield rowsEntry("links", "links", links);
  }

  *#assets(data: Json): Generator<ArchiveEntry> {
    const formats = isRecord(data.formats) ? Object.values(data.formats).filter(isRecord) : [];
    for (const { hash, ext } of [data, ...formats]) {
      const name = `${hash}${ext ?? ""}`;
      const path = `${MEDIA_FOLDER}/${name}`;
      const file = join(this.#root, path);
      const found = isAssetName(name) ? statSync(file, { throwIfNoEntry: false }) : undefined;
      if (found?.isFile()) yield { path, place: { kind: "asset", name }, size: found.size, content: contentOf(file) };
    }
  }

  #row(read: ReadVersion, links: object[]): object {
    const { type, documentId, status, locale, version, path } = read;
    const { createdAt, updatedAt } = version;
    const publishedAt = status === "draft" ? null : (version.publishedAt ?? createdAt);
    const id = this.#ids.get(read)!;
    const data = this.#data(type, id, version.data, read, links, path);
    return { type: type.uid, id, data: { ...data, documentId, createdAt, updatedAt, publishedAt, locale } };
  }

  #data(schema: Schema, id: number, data: Json, read: ReadVersion, links: object[], path: string): Json {
    const out: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(data)) {
      const attribute = schema.attributes.get(key);
      if (key === "__component") continue;
      if (!attribute || (attribute.kind === "scalar" && attribute.system))
        throw new ProjectError(
          read.path,
          path === read.path ? key : `${path}.${key}`,
          `${schema.uid} has no such attribute`,
        );
      if (value === null) continue;
      const at = path === read.path ? key : `${path}.${key}`;
      if (attribute.kind === "scalar") out[key] = value;
      else {
        const values = Array.isArray(value) ? value : [value];
        if (attribute.kind === "relation" || attribute.kind === "media")
          for (const [index, link] of values.entries())
            this.#link(attribute, { schema, id, position: index + 1, read, at }, link, links);
        else {
          const parts = values.map((part) => this.#part(attribute, part, read, links, at));
          out[key] = Array.isArray(value) ? parts : parts[0];
        }
      }
    }
    return out;
  }

  #part(attribute: Attribute, part: unknown, read: ReadVersion, links: object[], at: string): Json {
    const uid = attribute.kind === "component" ? attribute.component : isRecord(part) ? part.__component : undefined;
    const schema = typeof uid === "string" ? this.#context.model.components.get(uid) : undefined;
    if (!isRecord(part) || !schema) throw new ProjectError(read.path, at, "must be a component of the project");
    const id = (this.#parts.get(schema.uid) ?? 0) + 1;
    this.#parts.set(schema.uid, id);
    const data = this.#data(schema, id, part, read, links, at);
    return { ...data, id, ...(attribute.kind === "zone" ? { __component: schema.uid } : {}) };
  }

  #link(
    attribute: Attribute & { kind: "relation" | "media" },
    { schema, id, position, read, at }: { schema: Schema; id: number; position: number; read: ReadVersion; at: string },
    link: unknown,
    links: object[],
  ): void {
    const owner = { type: schema.uid, ref: id, field: attribute.name };
    const refuse = (problem: string) => new ProjectError(read.path, at, problem);
    if (attribute.kind === "media") {
      const file = this.#media.get(String(link));
      if (!file) throw refuse(`there is no file ${MEDIA_FOLDER}/${link} with a record`);
      links.push({
        kind: "relation.morph",
        relation: "morphToMany",
        left: { type: FILE, ref: file.id, field: "related" },
        right: { ...owner, pos: position },
      });
      return;
    }
    const { relation } = attribute;
    if (typeof link === "string" && attribute.target === USER) {
      const ref = this.#users.get(link);
      if (ref === undefined) this.missingUsers.add(link);
      else
        links.push({ kind: "relation.basic", relation, left: { ...owner, pos: position }, right: { type: USER, ref } });
      return;
    }
    const given = (typeof link === "string" ? { documentId: link } : link) as LinkFile;
    const target = isRecord(given)
      ? this.#context.model.types.get(attribute.target ?? String(given.__type))
      : undefined;
    if (!target) throw refuse("must be a document id");
    const expected = linkedVersion(target, read, this.#context.defaultLocale());
    const { documentId, status = expected.status, locale = expected.locale } = given;
    const found = this.#byKey.get(keyOf(target.uid, documentId, status, locale));
    if (!found)
      throw refuse(`there is no ${target.singularName} ${documentId} (${[status, locale].filter(Boolean).join(", ")})`);
    const ref = this.#ids.get(found)!;
    const isMixed = attribute.target === undefined;
    const list = `${target.uid} ${ref} ${schema.uid} ${attribute.name}`;
    const count = (this.#inverse.get(list) ?? 0) + 1;
    this.#inverse.set(list, count);
    links.push(
      isMixed
        ? { kind: "relation.morph", relation, left: owner, right: { type: target.uid, ref, pos: position } }
        : {
            kind: target.uid === schema.uid ? "relation.circular" : "relation.basic",
            relation,
            left: { ...owner, pos: position },
            right: { type: target.uid, ref, pos: given.order ?? count },
          },
    );
  }
}

const keyOf = (uid: string, documentId: string, status: string, locale: string | null): string =>
  JSON.stringify([uid, documentId, status, locale]);

/** Opened when it is read. */
async function* contentOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file) as AsyncIterable<Uint8Array>;
}

function rowsEntry(path: string, stage: "entities" | "links", rows: readonly object[]): ArchiveEntry {
  async function* content(): AsyncGenerator<Uint8Array> {
    for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
  }
  return { path, place: { kind: "rows", stage }, size: 0, content: content() };
}

export interface FilesImport {
  /** Documents by content-type uid. */
  readonly documents: ReadonlyMap<string, number>;
  readonly files: number;
  /** What was left out, a line each. */
  readonly warnings: readonly string[];
}

export interface FilesOptions {
  /** config/galley.json lists the locales, so that the files add none. */
  readonly hasOwnLocales: boolean;
  /** Called in the transaction before it ends; what it throws undoes the import. */
  readonly beforeEnd: () => void;
}

function localeRows(context: DocumentsContext, root: string, used: ReadonlySet<string>, hasOwn: boolean): Json[] {
  const { storage, model } = context;
  const sql = `SELECT code FROM ${quote(contentType(model, LOCALE).table)}`;
  const known = new Set(storage.all(sql).map(([code]) => code as string));
  const missing = [...used].filter((code) => !known.has(code));
  if (hasOwn && missing.length > 0)
    throw new ProjectError("config/galley.json", "locales", `has no locale ${missing[0]}, which content files have`);
  if (hasOwn) return [];
  const { locales } = readManifest(root);
  const named = new Map(locales.map(({ code, name }) => [code, name]));
  const codes = named.size > 0 ? new Set(named.keys()) : new Set([...known, ...used]);
  return [...codes].map((code) => ({ code, name: named.get(code) ?? code }));
}

/** Expects a database without content. Throws a ProjectError that names the file; nothing is loaded then. */
export async function importFiles(root: string, target: ImportTarget, options: FilesOptions): Promise<FilesImport> {
  const { context } = target;
  const reader = new FilesReader(root, context);
  const locales = localeRows(context, root, reader.locales, options.hasOwnLocales);
  const { defaultLocale } = readManifest(root);
  const settings =
    !options.hasOwnLocales && defaultLocale !== ""
      ? [{ type: "core-store", value: { key: "plugin_i18n_default_locale", value: defaultLocale, type: "string" } }]
      : [];
  async function* entries(): AsyncGenerator<ArchiveEntry> {
    yield* reader.entries(locales);
    const rows = rowsEntry("locales", "links", settings);
    yield { ...rows, place: { kind: "rows", stage: "configuration" } };
  }
  await importArchive(
    { file: root, entries },
    {
      metadata: { createdAt: "", strapi: { version: "5" } },
      schemas: new Map(),
      stages: new Set(["entities", "links"]),
      assets: reader.mediaCount,
      isOrdered: true,
      settings: new Map(),
      bytes: 0,
    },
    target,
    { mode: "replace", beforeEnd: options.beforeEnd },
  );
  const warnings = [...reader.missingUsers].map(
    (name) => `content: there is no user for "${name}": links to it are left out`,
  );
  return { documents: reader.documents, files: reader.mediaCount, warnings };
}
