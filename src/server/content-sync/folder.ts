/** The files of `content/` on disk: which there are, of which type, how they are read and written. */
import { isUtf8 } from "node:buffer";
import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ContentType, Model } from "../../engine/schema/model.ts";
import { findErrorCode } from "../../lib/error-code.ts";
import { ProjectError } from "../../lib/errors.ts";
import { atOnce, type WorkInTurns } from "../../lib/in-turns.ts";
import { nearest } from "../../lib/nearest.ts";
import { EXTENSIONS, findKind } from "../../transfer/content/file-kinds.ts";
import { isReadme, MEDIA_FOLDER, nameOf, typesByName } from "../../transfer/content/file-paths.ts";
import { type FileStamp, isSameStamp } from "./state.ts";

/** Bytes; more than a document can have. */
export const MAX_FILE_BYTES = 20_000_000;

const MAX_TYPOS = 2;

/** What `ContentFolder` writes before it replaces a file. */
const PART = /^\.\d+\.[0-9a-f-]{36}\.part$/;

/** What file managers of Windows and merge tools leave in a folder. */
const LEFTOVER = /^(?:thumbs\.db|desktop\.ini)$|\.(?:orig|rej)$/i;

/** The temporary and backup files of editors and other tools, and those that this program has not finished. */
const isIgnored = (name: string): boolean =>
  name.startsWith(".") || name.startsWith("#") || name.endsWith("~") || name.endsWith(".part") || LEFTOVER.test(name);

export interface SomeFiles {
  /** Files of documents by path below the folder. */
  readonly documents: ReadonlyMap<string, FileStamp & { readonly type: ContentType }>;
  /** All files below `media/`, without that prefix; undefined if they were not looked at. */
  readonly media: ReadonlyMap<string, FileStamp> | undefined;
  /** What is not read. */
  readonly strays: readonly Stray[];
}

/** All files. */
export interface Listing extends SomeFiles {
  readonly media: ReadonlyMap<string, FileStamp>;
}

export interface Stray {
  /** A folder ends with "/". */
  readonly file: string;
  readonly reason: string;
}

type Kind = "file" | "folder" | "link" | "other";

const NO_TYPE = "is named after no content-type";
const NOT_A_DOCUMENT = `is not a document, which ends with ${EXTENSIONS.join(", ")}`;
const NOT_READ: Readonly<Record<Exclude<Kind, "folder">, string>> = {
  file: NO_TYPE,
  link: "is a symbolic link, which is not followed",
  other: "is not a file",
};

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // a file in the place of a folder
    if (findErrorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

const readStamp = (path: string): (FileStamp & { readonly kind: Kind }) | undefined => {
  const stats = statsOf(path);
  if (!stats) return undefined;
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other";
  return { size: stats.size, modified: stats.mtimeMs, inode: stats.ino, kind };
};

/** Files that are looked at before others get a turn. */
const LISTED = 100;

/** File times have the resolution of the kernel's clock. */
const CLOCK_STEP_MS = 20;

/** What is stored of a file that is read now: one that may change again without another time is read again by the next pass. */
export const stampToStore = (stamp: FileStamp): FileStamp =>
  Date.now() - stamp.modified < CLOCK_STEP_MS ? { ...stamp, modified: 0 } : stamp;

export class ContentFolder {
  readonly path: string;
  readonly #parts: string[] = [];

  /** Throws a ProjectError for a file. */
  constructor(path: string) {
    if (statsOf(path)?.isFile()) throw new ProjectError(path, undefined, "is a file, and a folder is expected");
    this.path = path;
  }

  /** Throws errors of the file system: an unreadable folder is not an empty one. */
  list(model: Model): Listing {
    return atOnce(this.listing(model));
  }

  /** As `list`. */
  *listing(model: Model): WorkInTurns<Listing> {
    const lister = createLister(this.path, model);
    for (const name of this.#names("")) {
      const type = lister.addTop(name);
      if (!type) continue;
      for (const [index, file] of this.#names(name).entries()) {
        if (index % LISTED === LISTED - 1) yield;
        lister.addDocument(name, type, file);
      }
    }
    const { documents, strays } = lister;
    return { documents, media: this.#listMedia(strays), strays };
  }

  /** As `list`, of files that have changed. Undefined: all have to be listed, since a folder has changed. */
  listSome(model: Model, paths: ReadonlySet<string>): SomeFiles | undefined {
    const lister = createLister(this.path, model);
    const types = new Map<string, ContentType | undefined>();
    let media: Map<string, FileStamp> | undefined;
    for (const path of paths) {
      const [folder, name, ...below] = path.split("/") as [string, string | undefined];
      const type = types.getOrInsertComputed(folder, () => lister.addTop(folder));
      if (name === undefined && (type || folder === MEDIA_FOLDER || folder === "")) return undefined;
      if (folder === MEDIA_FOLDER) media ??= this.#listMedia(lister.strays);
      else if (type && name !== undefined && below.length === 0 && this.#hasExactly(path))
        lister.addDocument(folder, type, name);
    }
    const { documents, strays } = lister;
    return { documents, media, strays };
  }

  /** Some file systems find a file by a name with other capitals, too. */
  #hasExactly(path: string): boolean {
    const file = join(this.path, path);
    const stats = statsOf(file);
    if (!stats) return false;
    return stats.isSymbolicLink() || basename(realpathSync.native(file)) === basename(file);
  }

  #names(folder: string): string[] {
    const names = readdirSync(join(this.path, folder));
    this.#parts.push(...names.filter((name) => PART.test(name)).map((name) => join(this.path, folder, name)));
    return names.filter((name) => !isIgnored(name)).sort();
  }

  /** Removes what killed processes have not finished, as far as it was listed. Expects that no other process writes. */
  removeParts(): void {
    for (const part of this.#parts.splice(0)) rmSync(part, { force: true });
  }

  #listMedia(strays: Stray[]): Map<string, FileStamp> {
    const media = new Map<string, FileStamp>();
    const visit = (folder: string): void => {
      for (const name of this.#names(join(MEDIA_FOLDER, folder))) {
        const path = folder === "" ? name : `${folder}/${name}`;
        const stamp = readStamp(join(this.path, MEDIA_FOLDER, path));
        if (stamp?.kind === "folder") visit(path);
        else if (stamp?.kind === "file") media.set(path, stamp);
        else if (stamp) strays.push({ file: `${MEDIA_FOLDER}/${path}`, reason: NOT_READ[stamp.kind] });
      }
    };
    const folder = readStamp(join(this.path, MEDIA_FOLDER));
    if (folder?.kind === "folder") visit("");
    else if (folder)
      strays.push({ file: MEDIA_FOLDER, reason: folder.kind === "file" ? "is not a folder" : NOT_READ[folder.kind] });
    return media;
  }

  /** Undefined for a file that is gone. */
  read(path: string): string | undefined {
    try {
      return readFileSync(join(this.path, path), "utf8");
    } catch (error) {
      if (findErrorCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  isUtf8(path: string): boolean {
    return isUtf8(readFileSync(join(this.path, path)));
  }

  stamp(path: string): FileStamp | undefined {
    const stamp = readStamp(join(this.path, path));
    return stamp?.kind === "file" ? stamp : undefined;
  }

  /** Whether there is a file of this name, with any extension. */
  hasName(name: string): boolean {
    return EXTENSIONS.some((extension) => readStamp(join(this.path, name + extension)) !== undefined);
  }

  /** Replaces the file as a whole: readers see the old or the new content. */
  write(path: string, content: string | Uint8Array): FileStamp {
    return this.#write(path, (part) => writeFileSync(part, content), renameSync);
  }

  /** As `write`, with the content of another file. */
  copy(path: string, from: string): FileStamp {
    return this.#write(path, (part) => copyFileSync(from, part), renameSync);
  }

  /** As `write`, if the file is as it was: `stamp` is undefined for one that was not there. Undefined if it is not. */
  replace(path: string, content: string, stamp: FileStamp | undefined): FileStamp | undefined {
    let isReplaced = true;
    const fill = (part: string): void => writeFileSync(part, content);
    const written = this.#write(path, fill, (part, file) => {
      if (stamp === undefined) isReplaced = createFrom(part, file);
      else {
        const current = this.stamp(path);
        isReplaced = current !== undefined && isSameStamp(current, stamp);
        if (isReplaced) renameSync(part, file);
        else rmSync(part);
      }
    });
    return isReplaced ? written : undefined;
  }

  #write(path: string, fill: (part: string) => void, finish: (part: string, file: string) => void): FileStamp {
    const file = join(this.path, path);
    const part = join(dirname(file), `.${process.pid}.${crypto.randomUUID()}.part`);
    mkdirSync(dirname(file), { recursive: true });
    try {
      fill(part);
      finish(part, file);
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

function createLister(root: string, model: Model) {
  const documents = new Map<string, FileStamp & { readonly type: ContentType }>();
  const strays: Stray[] = [];
  const { collections, singles } = typesByName(model);

  /** Adds what is in the folder itself. Returns the type whose documents are in a folder below it. */
  function addTop(name: string): ContentType | undefined {
    if (name === MEDIA_FOLDER || isReadme(name) || isIgnored(name)) return undefined;
    const stamp = readStamp(join(root, name));
    if (!stamp) return undefined;
    const collection = collections.get(name);
    if (stamp.kind === "folder") {
      if (!collection) strays.push({ file: `${name}/`, reason: unnamed(name, collections) });
      return collection;
    }
    const type = singles.get(nameOf(name));
    if (stamp.kind !== "file") strays.push({ file: name, reason: NOT_READ[stamp.kind] });
    else if (type && findKind(name)) documents.set(name, { ...stamp, type });
    else strays.push({ file: name, reason: collection ? "is not a folder" : unnamed(nameOf(name), singles) });
    return undefined;
  }

  /** Collections have folders, by their plural names, and single types files. */
  function unnamed(name: string, types: ReadonlyMap<string, ContentType>): string {
    const plural = [...collections].find(([, { singularName }]) => singularName === name)?.[0];
    const suggestion = plural ? `${plural}/` : nearest(name, types.keys(), MAX_TYPOS);
    return suggestion === undefined ? NO_TYPE : `${NO_TYPE}; did you mean ${suggestion}?`;
  }

  function addDocument(folder: string, type: ContentType, name: string): void {
    if (isReadme(name) || isIgnored(name)) return;
    const path = `${folder}/${name}`;
    const stamp = readStamp(join(root, path));
    if (!stamp) return;
    if (stamp.kind === "file" && findKind(name)) documents.set(path, { ...stamp, type });
    else if (stamp.kind === "folder")
      strays.push({ file: `${path}/`, reason: "is a folder, and a document is a file" });
    else strays.push({ file: path, reason: stamp.kind === "file" ? NOT_A_DOCUMENT : NOT_READ[stamp.kind] });
  }

  return { documents, strays, addTop, addDocument };
}

/** Gives a file another name, unless that is taken. */
function createFrom(part: string, file: string): boolean {
  try {
    linkSync(part, file);
    rmSync(part);
    return true;
  } catch (error) {
    if (findErrorCode(error) === "EEXIST") {
      rmSync(part);
      return false;
    }
    // a file system without hard links
    if (readStamp(file)) return false;
    renameSync(part, file);
    return true;
  }
}
