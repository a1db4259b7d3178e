/**
 * Finds the file behind a URL: uploads, and whatever else lies in the project's public folder. No spelling of a URL leads
 * out of these folders.
 */
import type { BigIntStats } from "node:fs";
import { extname, join, posix, sep } from "node:path";
import type mimeTypes from "mime-types";
import { ApiError } from "../errors.ts";
import { isAlias, sameFile } from "../file-names.ts";
import { asyncFiles } from "./async-files.ts";

const UPLOADS = "/uploads/";

export interface PublicFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
  /** With its character set; by the extension alone. */
  readonly type: string;
  /** Put there by clients rather than by the project. */
  readonly isUpload: boolean;
}

/** The type by which a file is served. */
export function servedType(path: string): string {
  const { contentType } = require("mime-types") as typeof mimeTypes;
  const ext = extname(path);
  return (ext && contentType(ext)) || "application/octet-stream";
}

/**
 * The path below the public folder, decoded. Undefined for spellings that stand for no file. Throws BadRequestError for a
 * NUL, and ForbiddenError for a path that leads out of the folder.
 */
function relativePath(path: string, platform?: NodeJS.Platform): string | undefined {
  const decoded = decodeURIComponent(path);
  if (decoded.includes("\0")) throw new ApiError("BadRequestError", "Malicious Path");
  const relative = posix.normalize(`.${decoded}`);
  if (/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(relative)) throw new ApiError("ForbiddenPathError", "Forbidden");
  // a slash or a backslash is never part of a name, and names with a dot in front are not shown
  const isNone =
    /%2f/i.test(path) ||
    relative.includes("\\") ||
    relative.split("/").some((step) => step.startsWith(".") || isAlias(step, platform));
  return isNone ? undefined : relative;
}

/** Undefined for a path that leads to no file. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG" || code === "EACCES" || code === "ELOOP") {
      return undefined;
    }
    throw error;
  }
}

const statOf = (path: string): Promise<BigIntStats | undefined> =>
  unlessMissing(asyncFiles().stat(path, { bigint: true }));

/** Whether a file lies below a folder after symbolic links on both sides are followed. */
async function isBelow(path: string, folder: string): Promise<boolean> {
  const { realpath } = asyncFiles();
  const [file, root] = (await unlessMissing(Promise.all([realpath(path), realpath(folder)]))) ?? [];
  if (file === undefined || root === undefined) return false;
  return file.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** A folder that is served. */
interface Root {
  readonly folder: string;
  readonly isUpload: boolean;
}

async function lookUp({ folder, isUpload }: Root, relative: string): Promise<PublicFile | undefined> {
  let path = join(folder, relative);
  let found = await statOf(path);
  if (found?.isDirectory() && !isUpload) {
    path = join(path, "index.html");
    found = await statOf(path);
  } else if (relative.endsWith("/")) return undefined;
  if (!found?.isFile() || !(await isBelow(path, folder))) return undefined;
  const modified = new Date(Number(found.mtimeMs));
  return { path, size: Number(found.size), modified, type: servedType(path), isUpload };
}

export class PublicFiles {
  readonly #folder: string;
  readonly #uploads: () => readonly string[];
  readonly #platform: NodeJS.Platform | undefined;

  /**
   * `uploads`: the folders of uploaded files, wherever they are; the first that has a file counts. `platform`: whose rules
   * hold for names; those of this one.
   */
  constructor(folder: string, uploads: () => readonly string[], platform?: NodeJS.Platform) {
    this.#folder = folder;
    this.#uploads = uploads;
    this.#platform = platform;
  }

  /** `path` is as the client spelled it and can be decoded. Throws what `relativePath` throws. */
  async find(path: string): Promise<PublicFile | undefined> {
    const isUpload = path.slice(0, UPLOADS.length).toLowerCase() === UPLOADS;
    const whole = relativePath(path, this.#platform);
    if (whole === undefined || (isUpload && path.slice(0, UPLOADS.length) !== UPLOADS)) return undefined;
    if (isUpload && !`/${whole}`.startsWith(UPLOADS)) return undefined;
    const relative = isUpload ? whole.slice(UPLOADS.length - 1) : whole;
    if (!isUpload) {
      // each upload has one URL, also where the letter case of a folder does not count
      if (sameFile(relative.split("/", 1)[0]!, "darwin") === "UPLOADS") return undefined;
      return lookUp({ folder: this.#folder, isUpload: false }, relative);
    }
    for (const folder of this.#uploads()) {
      const file = await lookUp({ folder, isUpload: true }, relative);
      if (file) return file;
    }
    return undefined;
  }
}
