/** The files of `content/` on disk: which there are, of which type, how they are read and written. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { apiTypes, type ContentType, type Model } from "../../engine/schema/model.ts";
import { extensionOf, kindOf } from "../../transfer/content/file-kinds.ts";
import type { FileForm } from "../../transfer/content/file-text.ts";
import type { FileStamp } from "./state.ts";

export const MEDIA_FOLDER = "media";
/** Bytes; more than a document can have. */
export const MAX_FILE_BYTES = 20_000_000;

/** The temporary and backup files of editors, and those that this program has not finished. */
const isIgnored = (name: string): boolean =>
  name.startsWith(".") || name.startsWith("#") || name.endsWith("~") || name.endsWith(".part");

/** The folder of a collection's documents. */
export const folderOf = ({ pluralName }: ContentType): string =>
  pluralName === MEDIA_FOLDER ? `${pluralName}-documents` : pluralName;

/** The attribute that is the text below the front matter: the only one of the type `richtext`. */
export function bodyOf({ attributes }: ContentType): string | undefined {
  const texts = [...attributes.values()].filter(
    ({ kind, definition }) => kind === "scalar" && definition.type === "richtext",
  );
  return texts.length === 1 ? texts[0]!.name : undefined;
}

/** The name that links use. */
export const nameOf = (path: string): string => path.slice(0, path.length - extensionOf(path).length);

/** Collections by their folder, and single types by the name of their file. */
export function typesByName(model: Model): Record<"collections" | "singles", ReadonlyMap<string, ContentType>> {
  const [singles, collections] = [true, false].map((isSingle) =>
    apiTypes(model).filter(({ kind }) => (kind === "singleType") === isSingle),
  );
  return {
    collections: new Map(collections!.map((type) => [folderOf(type), type])),
    singles: new Map(singles!.map((type) => [type.singularName, type])),
  };
}

export function formOf(type: ContentType, path: string): FileForm {
  const kind = kindOf(path) ?? "yaml";
  const body = bodyOf(type);
  if (kind === "markdown") return body === undefined ? { kind: "yaml" } : { kind, body };
  return { kind };
}

export interface Listing {
  /** Files of documents by path below the folder. */
  readonly documents: ReadonlyMap<string, FileStamp & { readonly type: ContentType }>;
  /** Files below `media/`, without that prefix. */
  readonly media: ReadonlyMap<string, FileStamp>;
  /** Paths that belong to no type. */
  readonly strays: readonly string[];
}

const stampOf = (path: string): (FileStamp & { readonly kind: "file" | "folder" | "other" }) | undefined => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  return { size: stats.size, modified: stats.mtimeMs, inode: stats.ino, kind };
};

export class ContentFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Throws errors of the file system: an unreadable folder is not an empty one. */
  list(model: Model): Listing {
    const documents = new Map<string, FileStamp & { readonly type: ContentType }>();
    const strays: string[] = [];
    const { collections, singles } = typesByName(model);
    for (const name of this.#names("")) {
      const stamp = stampOf(join(this.path, name));
      if (!stamp || name === MEDIA_FOLDER) continue;
      if (stamp.kind === "folder") {
        const type = collections.get(name);
        if (type) this.#listDocuments(name, type, documents, strays);
        else strays.push(`${name}/`);
        continue;
      }
      const type = singles.get(nameOf(name));
      if (stamp.kind === "file" && type && kindOf(name)) documents.set(name, { ...stamp, type });
      else if (!/^readme\b/i.test(name)) strays.push(name);
    }
    return { documents, media: this.#listMedia(), strays };
  }

  #names(folder: string): string[] {
    return readdirSync(join(this.path, folder))
      .filter((name) => !isIgnored(name))
      .sort();
  }

  #listDocuments(
    folder: string,
    type: ContentType,
    documents: Map<string, FileStamp & { readonly type: ContentType }>,
    strays: string[],
  ): void {
    for (const name of this.#names(folder)) {
      const path = `${folder}/${name}`;
      const stamp = stampOf(join(this.path, path));
      if (!stamp) continue;
      if (stamp.kind === "file" && kindOf(name)) documents.set(path, { ...stamp, type });
      else strays.push(path);
    }
  }

  #listMedia(): Map<string, FileStamp> {
    const media = new Map<string, FileStamp>();
    const visit = (folder: string): void => {
      for (const name of this.#names(join(MEDIA_FOLDER, folder))) {
        const path = folder === "" ? name : `${folder}/${name}`;
        const stamp = stampOf(join(this.path, MEDIA_FOLDER, path));
        if (stamp?.kind === "folder") visit(path);
        else if (stamp?.kind === "file") media.set(path, stamp);
      }
    };
    if (statSync(join(this.path, MEDIA_FOLDER), { throwIfNoEntry: false })?.isDirectory()) visit("");
    return media;
  }

  /** Undefined for a file that is gone. */
  read(path: string): string | undefined {
    try {
      return readFileSync(join(this.path, path), "utf8");
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return undefined;
      throw error;
    }
  }

  stamp(path: string): FileStamp | undefined {
    const stamp = stampOf(join(this.path, path));
    return stamp?.kind === "file" ? stamp : undefined;
  }

  /** Replaces the file as a whole: readers see the old or the new content. */
  write(path: string, content: string | Uint8Array): FileStamp {
    const file = join(this.path, path);
    const part = join(dirname(file), `.${process.pid}.${crypto.randomUUID()}.part`);
    mkdirSync(dirname(file), { recursive: true });
    try {
      writeFileSync(part, content);
      renameSync(part, file);
    } catch (error) {
      rmSync(part, { force: true });
      throw error;
    }
    return this.stamp(path)!;
  }

  remove(path: string): void {
    rmSync(join(this.path, path), { force: true });
  }
}

/** Of a file's content. Shortened: it only has to notice changes. */
export const digestOf = (content: string | Uint8Array): string =>
  new Bun.CryptoHasher("blake2b256").update(content).digest("base64").slice(0, 22);
