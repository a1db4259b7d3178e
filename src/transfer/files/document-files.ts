/** Reads and checks the documents and media of a content folder, and assigns row ids. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { apiTypes, type ContentType, type Model } from "../../engine/schema/model.ts";
import { ProjectError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { readProjectJson } from "../../lib/project-json.ts";
import { isAssetName } from "../archive/paths.ts";
import type { Json } from "../archive/shapes.ts";
import { JSON_EXTENSION, jsonFilesIn } from "./folder.ts";
import {
  compareLoadKeys,
  type DocumentFile,
  folderOf,
  isDocumentFile,
  type LoadKey,
  MEDIA_FOLDER,
  type VersionFile,
} from "./format.ts";

/** A version of a document, as read from a file. */
export interface ReadVersion {
  readonly path: string;
  readonly type: ContentType;
  readonly documentId: string;
  readonly status: "draft" | "published";
  readonly locale: string | null;
  readonly version: VersionFile;
}

export interface MediaRecord {
  readonly id: number;
  readonly data: Json;
}

const keyOf = (uid: string, documentId: string, status: string, locale: string | null): string =>
  JSON.stringify([uid, documentId, status, locale]);

const loadKeyOf = (read: ReadVersion): LoadKey => {
  const { createdAt, publishedAt = createdAt } = read.version;
  return { ...read, createdAt, publishedAt };
};

export class DocumentFiles {
  readonly #root: string;
  readonly #byKey = new Map<string, ReadVersion>();
  readonly #ids = new Map<ReadVersion, number>();
  /** In the order in which their rows were created. */
  readonly versions: ReadVersion[] = [];
  /** By file name. */
  readonly media = new Map<string, MediaRecord>();

  /** Throws a ProjectError that names the file. */
  constructor(root: string, model: Model) {
    this.#root = root;
    for (const type of apiTypes(model)) this.#readType(type);
    this.#number();
    this.#readMedia();
  }

  #readType(type: ContentType): void {
    const folder = folderOf(type);
    const paths = jsonFilesIn(join(this.#root, folder)).map((name) => `${folder}/${name}`);
    const single = `${type.singularName}.json`;
    if (type.kind === "singleType" && existsSync(join(this.#root, single))) paths.unshift(single);
    for (const path of paths) {
      const value = readProjectJson(this.#root, path);
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
      this.versions.push(read);
    }
  }

  #number(): void {
    this.versions.sort((a, b) => compareLoadKeys(loadKeyOf(a), loadKeyOf(b)));
    const next = new Map<string, number>();
    for (const version of this.versions) {
      const id = (next.get(version.type.uid) ?? 0) + 1;
      next.set(version.type.uid, id);
      this.#ids.set(version, id);
    }
  }

  /** Assigns ids in the order of uploads, which is the order of lists without a sort. */
  #readMedia(): void {
    const records = jsonFilesIn(join(this.#root, MEDIA_FOLDER)).flatMap((file) => this.#mediaRecord(file));
    const uploadedAt = ({ data }: (typeof records)[number]): string => `${data.createdAt} ${data.documentId}`;
    const inOrder = records.toSorted((a, b) => (uploadedAt(a) < uploadedAt(b) ? -1 : 1));
    for (const [index, { name, data }] of inOrder.entries()) this.media.set(name, { id: index + 1, data });
  }

  #mediaRecord(file: string): { readonly name: string; readonly data: Json }[] {
    const path = `${MEDIA_FOLDER}/${file}`;
    const name = file.replace(JSON_EXTENSION, "");
    const data = readProjectJson(this.#root, path);
    // other JSON files are media files
    if (!isRecord(data) || typeof data.documentId !== "string" || `${data.hash}${data.ext ?? ""}` !== name) return [];
    if (!isAssetName(name)) throw new ProjectError(path, undefined, "no media file can have this name");
    return [{ name, data }];
  }

  idOf(version: ReadVersion): number {
    return this.#ids.get(version)!;
  }

  find(uid: string, documentId: string, status: string, locale: string | null): ReadVersion | undefined {
    return this.#byKey.get(keyOf(uid, documentId, status, locale));
  }

  get locales(): ReadonlySet<string> {
    return new Set(this.versions.flatMap(({ locale }) => locale ?? []));
  }

  /** Documents by content-type uid. */
  get counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [uid, own] of Map.groupBy(this.versions, ({ type }) => type.uid))
      counts.set(uid, new Set(own.map(({ documentId }) => documentId)).size);
    return counts;
  }
}
