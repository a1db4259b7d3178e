/**
 * Finds the file behind an address: uploads, and whatever else lies in the project's public folder. Nothing outside
 * these folders has an address, however it is spelled.
 */
import type { BigIntStats } from "node:fs";
import { extname, join, posix, sep } from "node:path";
import type mimeTypes from "mime-types";
import { ApiError } from "../errors.ts";
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
 * The way below the public folder. Undefined for spellings that stand for no file. Throws BadRequestError for a NUL, and
 * ForbiddenError for a way that leads out of the folder.
 */
function wayOf(path: string): string | undefined {
  const decoded = decodeURIComponent(path);
  if (decoded.includes("\0")) throw new ApiError("BadRequestError", "Malicious Path");
  const way = posix.normalize(`.${decoded}`);
  if (/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(way)) throw new ApiError("ForbiddenPathError", "Forbidden");
  // a slash or a backslash is never part of a name, and names with a dot in front are not shown
  const isNone = /%2f/i.test(path) || way.includes("\\") || way.split("/").some((step) => step.startsWith("."));
  return isNone ? undefined : way;
}

async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await asyncFiles().stat(path, { bigint: true });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG" || code === "EACCES" || code === "ELOOP") {
      return undefined;
    }
    throw error;
  }
}

/** Whether a file really lies below a folder, symbolic links followed on both sides. */
async function isBelow(path: string, folder: string): Promise<boolean> {
  const { realpath } = asyncFiles();
  const [file, root] = await Promise.all([realpath(path), realpath(folder)]);
  return file.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** A folder and the part of an address that stands for it. */
interface Root {
  readonly folder: string;
  readonly isUpload: boolean;
}

async function lookUp({ folder, isUpload }: Root, way: string): Promise<PublicFile | undefined> {
  let path = join(folder, way);
  let found = await statOf(path);
  if (found?.isDirectory() && !isUpload) {
    path = join(path, "index.html");
    found = await statOf(path);
  } else if (way.endsWith("/")) return undefined;
  if (!found?.isFile() || !(await isBelow(path, folder))) return undefined;
  const modified = new Date(Number(found.mtimeMs));
  return { path, size: Number(found.size), modified, type: servedType(path), isUpload };
}

export class PublicFiles {
  readonly #folder: string;
  readonly #uploads: () => readonly string[];

  /** `uploads`: the folders of uploaded files, wherever they are; the first that has a file counts. */
  constructor(folder: string, uploads: () => readonly string[]) {
    this.#folder = folder;
    this.#uploads = uploads;
  }

  /** `path` is as the client spelled it and can be decoded. Throws for an address that is an attack. */
  async find(path: string): Promise<PublicFile | undefined> {
    const isUpload = path.slice(0, UPLOADS.length).toLowerCase() === UPLOADS;
    const whole = wayOf(path);
    if (whole === undefined || (isUpload && path.slice(0, UPLOADS.length) !== UPLOADS)) return undefined;
    if (isUpload && !`/${whole}`.startsWith(UPLOADS)) return undefined;
    const way = isUpload ? whole.slice(UPLOADS.length - 1) : whole;
    if (!isUpload) {
      // uploads have one address each
      if (way === "uploads" || way.startsWith("uploads/")) return undefined;
      return lookUp({ folder: this.#folder, isUpload: false }, way);
    }
    for (const folder of this.#uploads()) {
      const file = await lookUp({ folder, isUpload: true }, way);
      if (file) return file;
    }
    return undefined;
  }
}
