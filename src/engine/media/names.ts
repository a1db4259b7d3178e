/** Names of uploaded files: checks of clients' names, and names on disk. */
import { basename, extname } from "node:path";
import type slugify from "@sindresorhus/slugify";
import type mimeTypes from "mime-types";
import { ApiError } from "../../lib/errors.ts";
import type { IdSource } from "../documents/context.ts";

const MAX_NAME_LENGTH = 255;
/** The maximum length of a name in `fileInfo`: creating a slug takes quadratic time. */
const MAX_INFO_NAME_LENGTH = 1000;
/** The limit of file systems, in bytes. */
const MAX_DISK_NAME = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const RESERVED_CHARACTERS = /[<>:"/\\|?*\u0000-\u001f]/;
const RESERVED_NAMES = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Decodes the file name of a part's header as Strapi does: without the folders of a Windows path. */
export const decodeFilename = (filename: string): string =>
  filename
    .slice(filename.lastIndexOf("\\") + 1)
    .replaceAll("%22", '"')
    .replace(/&#(\d{4});/g, (_, code: string) => String.fromCharCode(Number(code)));

/** Throws an ApplicationError for a name that is invalid on any operating system. */
export function checkName(name: string): void {
  const refused =
    name === "" ||
    name.length > MAX_NAME_LENGTH ||
    name === "." ||
    name === ".." ||
    RESERVED_CHARACTERS.test(name) ||
    RESERVED_NAMES.test(name);
  if (refused) throw new ApiError("ApplicationError", "File name contains invalid characters");
}

/** The extension of a name, with the dot and in its original case; if it has none, that of the MIME type. */
export function findExtension(name: string, mime: string): string {
  const { extension } = require("mime-types") as typeof mimeTypes;
  return extname(name) || `.${extension(mime)}`;
}

/** The slug of a name without its extension, and ten random hexadecimal digits. */
export function createHash(name: string, ext: string, ids: IdSource): string {
  const slug = require("@sindresorhus/slugify") as typeof slugify;
  return `${slug(basename(name, ext), { separator: "_", lowercase: false })}_${ids.fileSuffix(name)}`;
}

const tooLong = (): ApiError => new ApiError("ApplicationError", "File name is too long");

/** Throws an ApplicationError for a name that is too long for file systems (Strapi: 500). */
export function checkDiskName(name: string): void {
  if (Buffer.byteLength(name) > MAX_DISK_NAME) throw tooLong();
}

/** Throws an ApplicationError for a name in `fileInfo` whose slug would be too long. */
export function checkInfoName(name: string): void {
  if (name.length > MAX_INFO_NAME_LENGTH) throw tooLong();
}
