/** Finds the file for a URL: uploads, and files of the project's public folder. No URL leads out of these folders. */
import type { BigIntStats } from "node:fs";
import { extname, join, posix, sep } from "node:path";
import type mimeTypes from "mime-types";
import { findErrorCode } from "../../lib/error-code.ts";
import { ApiError } from "../../lib/errors.ts";
import { isAlias, sameFile } from "../../lib/file-names.ts";
import { asyncFiles } from "./async-files.ts";

const UPLOADS = "/uploads/";

/** As in Strapi, on every system: paths of POSIX and of Windows that begin at a root. */
const ABSOLUTE = /^(?:[\\/]|[a-z]:[\\/])/i;

export interface PublicFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
  /** With charset; determined by the extension. */
  readonly type: string;
  /** Uploaded by a client, not part of the project. */
  readonly isUpload: boolean;
  /** The `Cache-Control` header. */
  readonly cacheControl: string;
}

export interface ServedFiles {
  readonly publicFolder: string;
  /** The folders of uploaded files, searched in this order. */
  readonly uploads: () => readonly string[];
  /** How long clients may cache files of the public folder, in seconds. */
  readonly maxAge: number;
  /** Served as `/favicon.ico`: the first of `paths` that exists. */
  readonly favicon: { readonly paths: readonly string[]; readonly maxAge: number };
  /** The platform whose rules apply to names; default: the current one. */
  readonly platform?: NodeJS.Platform;
}

/** The content type of a file. */
function servedType(path: string): string {
  const { contentType } = require("mime-types") as typeof mimeTypes;
  const ext = extname(path);
  return (ext && contentType(ext)) || "application/octet-stream";
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new ApiError("BadRequestError", "failed to decode");
  }
}

/**
 * The decoded path below the public folder. Throws BadRequestError for invalid encoding, a null character and a second root, and
 * ForbiddenError for a path that leads out of the folder.
 */
export function pathBelowRoot(path: string): string {
  const decoded = decode(path);
  if (decoded.includes("\0") || ABSOLUTE.test(decoded.slice(1)))
    throw new ApiError("BadRequestError", "Malicious Path");
  const relative = posix.normalize(`.${decoded}`);
  if (/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(relative)) throw new ApiError("ForbiddenPathError", "Forbidden");
  return relative;
}

/** The same, but undefined for paths that cannot be files. */
function relativePath(path: string, platform?: NodeJS.Platform): string | undefined {
  const relative = pathBelowRoot(path);
  // names cannot contain an encoded slash or a backslash, and hidden files are not served
  const isRefused =
    /%2f/i.test(path) ||
    relative.includes("\\") ||
    relative.split("/").some((step) => step.startsWith(".") || isAlias(step, platform));
  return isRefused ? undefined : relative;
}

/** Undefined if the file does not exist. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG", "EACCES", "ELOOP"].includes(findErrorCode(error))) return undefined;
    throw error;
  }
}

const statIfExists = (path: string): Promise<BigIntStats | undefined> =>
  unlessMissing(asyncFiles().stat(path, { bigint: true }));

/** Whether a file is below a folder after resolving symbolic links of both. */
async function isBelow(path: string, folder: string): Promise<boolean> {
  const { realpath } = asyncFiles();
  const [file, root] = (await unlessMissing(Promise.all([realpath(path), realpath(folder)]))) ?? [];
  if (file === undefined || root === undefined) return false;
  return file.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** A served folder. */
interface Root {
  readonly folder: string;
  readonly isUpload: boolean;
  readonly cacheControl: string;
}

async function findIn({ folder, isUpload, cacheControl }: Root, relative: string): Promise<PublicFile | undefined> {
  let path = join(folder, relative);
  let stats = await statIfExists(path);
  if (stats?.isDirectory() && !isUpload) {
    path = join(path, "index.html");
    stats = await statIfExists(path);
  } else if (relative.endsWith("/")) return undefined;
  if (!stats?.isFile() || !(await isBelow(path, folder))) return undefined;
  return { ...describe(path, stats), type: servedType(path), isUpload, cacheControl };
}

const describe = (path: string, stats: BigIntStats): Pick<PublicFile, "path" | "size" | "modified"> => ({
  path,
  size: Number(stats.size),
  modified: new Date(Number(stats.mtimeMs)),
});

export class PublicFiles {
  readonly #served: ServedFiles;

  constructor(served: ServedFiles) {
    this.#served = served;
  }

  /** `path`: not decoded. Throws the errors of `relativePath`. */
  async find(path: string): Promise<PublicFile | undefined> {
    const { publicFolder, uploads, maxAge, platform } = this.#served;
    const icon = path === "/favicon.ico" ? await this.#findIcon() : undefined;
    if (icon) return icon;
    const isUpload = path.slice(0, UPLOADS.length).toLowerCase() === UPLOADS;
    const decodedPath = relativePath(path, platform);
    if (decodedPath === undefined || (isUpload && path.slice(0, UPLOADS.length) !== UPLOADS)) return undefined;
    if (isUpload && !`/${decodedPath}`.startsWith(UPLOADS)) return undefined;
    const relative = isUpload ? decodedPath.slice(UPLOADS.length - 1) : decodedPath;
    if (!isUpload) {
      // each upload has exactly one URL, also on case-insensitive file systems
      if (sameFile(relative.split("/", 1)[0]!, "darwin") === "UPLOADS") return undefined;
      return findIn({ folder: publicFolder, isUpload: false, cacheControl: `max-age=${maxAge}` }, relative);
    }
    for (const folder of uploads()) {
      // as in Strapi, clients must revalidate uploads
      const file = await findIn({ folder, isUpload: true, cacheControl: "max-age=0" }, relative);
      if (file) return file;
    }
    return undefined;
  }
  /** As in Strapi, the icon is not below the public folder, and has one type whatever its format. */
  async #findIcon(): Promise<PublicFile | undefined> {
    const { paths, maxAge } = this.#served.favicon;
    for (const path of paths) {
      const stats = await statIfExists(path);
      if (!stats?.isFile()) continue;
      return {
        ...describe(path, stats),
        type: "image/x-icon",
        isUpload: false,
        cacheControl: `public, max-age=${maxAge}`,
      };
    }
    return undefined;
  }
}
