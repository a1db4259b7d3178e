/** Brings the content of a folder to a server: all of it is checked first, then files, then documents after their targets. */
import { parse } from "node:path";
import { type Api, isRecord, type Json } from "./api.ts";
import { LoadError } from "./load-error.ts";
import { type Links, mapLinks } from "./map-links.ts";
import type { Content } from "./read-folder.ts";
import type { Schema } from "./schema.ts";
import { identity, readSources, type Source } from "./sources.ts";

export interface Count {
  made: number;
  kept: number;
}

const DEFAULT_PICTURE = "default-image";

export class ContentLoader {
  readonly #api: Api;
  readonly #schema: Schema;
  readonly #content: Content;
  readonly #sources: ReadonlyMap<string, readonly Source[]>;
  readonly #fileIds = new Map<string, unknown>();
  readonly #documentIds = new Map<Source, string>();
  readonly #underWay = new Set<Source>();
  readonly #files: Count = { made: 0, kept: 0 };
  readonly #documents: Count = { made: 0, kept: 0 };

  /** Throws a LoadError for data that does not fit the schema. */
  constructor(api: Api, schema: Schema, content: Content) {
    this.#api = api;
    this.#schema = schema;
    this.#content = content;
    this.#sources = readSources(schema, content.data);
  }

  /** Throws a LoadError for the first thing that is wrong; what was loaded until then stays, and is found again. */
  async load(): Promise<{ files: Count; documents: Count }> {
    const sources = [...this.#sources.values()].flat();
    for (const source of sources) await this.#check(source);
    for (const [name, path] of this.#content.files) this.#fileIds.set(name, await this.#file(name, path));
    for (const source of sources) await this.#document(source);
    return { files: this.#files, documents: this.#documents };
  }

  async #check(source: Source): Promise<void> {
    if (!source.type.isSingle) identity(source);
    await this.#mapped(source, {
      media: (name, path) => {
        if (!this.#content.files.has(name)) throw new LoadError(`${path}: there is no file "${name}" in uploads`);
      },
      noMedia: () => null,
      relation: (target, position, path) => void this.#target(target, position, path),
    });
  }

  #mapped({ type, data, path }: Source, links: Links): Promise<Json> {
    return mapLinks(this.#schema, type.attributes, data, path, links);
  }

  #target(uid: string, position: number, path: string): Source {
    const list = this.#sources.get(uid) ?? [];
    const source = list[position - 1];
    if (!source) throw new LoadError(`${path}: there is no document ${position}, there are ${list.length} of ${uid}`);
    return source;
  }

  async #file(name: string, path: string): Promise<unknown> {
    const about = `uploads/${name}`;
    const query = { "filters[name][$eq]": name };
    const found = first((await this.#api.send({ about, path: "upload/files", query })).body);
    if (found) return count(this.#files, "kept", found.id);
    const form = new FormData();
    form.append("files", Bun.file(path), name);
    const stored = first((await this.#api.send({ about, method: "POST", path: "upload", form })).body);
    if (!stored) throw new LoadError(`${about}: the server answered no file`);
    return count(this.#files, "made", stored.id);
  }

  /** The id of an image in the place of none. */
  #imageFor({ type, data }: Source, attribute: string): unknown {
    const uids = Object.entries(type.attributes).flatMap(([name, { type }]) => (type === "uid" ? [data[name]] : []));
    for (const wanted of [...uids, attribute, DEFAULT_PICTURE]) {
      const name = [...this.#fileIds.keys()].find((file) => parse(file).name === wanted);
      if (name !== undefined) return this.#fileIds.get(name);
    }
    return null;
  }

  /** Loads the document after those that it leads to. Returns its documentId. */
  async #document(source: Source): Promise<string> {
    const known = this.#documentIds.get(source);
    if (known !== undefined) return known;
    const { type, path } = source;
    if (this.#underWay.has(source)) throw new LoadError(`${path} leads to itself; leave one side of the relation out`);
    this.#underWay.add(source);
    const documentId = (await this.#find(source)) ?? (await this.#create(source));
    for (const [other, id] of this.#documentIds)
      if (id === documentId && other.type === type) throw new LoadError(`${path} cannot be told from ${other.path}`);
    this.#documentIds.set(source, documentId);
    return documentId;
  }

  async #find(source: Source): Promise<string | undefined> {
    const { type, path: about } = source;
    // drafts that were never published are there, too
    const query = { status: "draft", ...(type.isSingle ? {} : identity(source)) };
    const found = first(readData((await this.#api.send({ about, path: type.name, query }, 404)).body));
    return found && count(this.#documents, "kept", String(found.documentId));
  }

  async #create(source: Source): Promise<string> {
    const { type, path: about } = source;
    const data = await this.#mapped(source, {
      media: (name) => this.#fileIds.get(name),
      noMedia: (attribute) => this.#imageFor(source, attribute),
      relation: (target, position, path) => this.#document(this.#target(target, position, path)),
    });
    const method = type.isSingle ? "PUT" : "POST";
    const made = first(readData((await this.#api.send({ about, method, path: type.name, data })).body));
    if (!made) throw new LoadError(`${about}: the server answered no document`);
    return count(this.#documents, "made", String(made.documentId));
  }
}

const readData = (body: unknown): unknown => (isRecord(body) ? body.data : undefined);

/** The object, or the first of a list. */
function first(found: unknown): Json | undefined {
  const item: unknown = Array.isArray(found) ? found[0] : found;
  return isRecord(item) ? item : undefined;
}

function count<T>(counted: Count, what: keyof Count, value: T): T {
  counted[what]++;
  return value;
}
