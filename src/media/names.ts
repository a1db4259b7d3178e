/** Names of uploaded files: what clients may call them, and what they are called on disk. */
import { basename, extname } from "node:path";
import type slugify from "@sindresorhus/slugify";
import type mimeTypes from "mime-types";
import type { IdSource } from "../documents/ids.ts";
import { ApiError } from "../errors.ts";

const MAX_NAME_LENGTH = 255;
/** Of a name that is given apart from the file: making a slug takes time that is quadratic in its length. */
const MAX_GIVEN_NAME_LENGTH = 1000;
/** What file systems take, in bytes. */
const MAX_DISK_NAME = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const RESERVED_CHARACTERS = /[<>:"/\\|?*\u0000-\u001f]/;
const RESERVED_NAMES = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** The name in a part's header as the reference reads it: without folders of a Windows path, quotes and characters decoded. */
export const sentName = (filename: string): string =>
  filename
    .slice(filename.lastIndexOf("\\") + 1)
    .replaceAll("%22", '"')
    .replace(/&#(\d{4});/g, (_, code: string) => String.fromCharCode(Number(code)));

/** Throws an ApplicationError for a name that no file may have on some system. */
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

/** With its dot and in its own letter case; from the type where the name has none. */
export function extensionOf(name: string, mime: string): string {
  const { extension } = require("mime-types") as typeof mimeTypes;
  return extname(name) || `.${extension(mime)}`;
}

/** The slug of a name without its extension, and ten random hexadecimal digits. */
export function createHash(name: string, ext: string, ids: IdSource): string {
  const slug = require("@sindresorhus/slugify") as typeof slugify;
  return `${slug(basename(name, ext), { separator: "_", lowercase: false })}_${ids.fileSuffix(name)}`;
}

const tooLong = (): ApiError => new ApiError("ApplicationError", "File name is too long");

/** Throws an ApplicationError for a name on disk that is longer than file systems take (the reference: 500). */
export function checkDiskName(name: string): void {
  if (Buffer.byteLength(name) > MAX_DISK_NAME) throw tooLong();
}

/** Throws an ApplicationError for a name in `fileInfo` whose slug would be too long. */
export function checkGivenName(name: string): void {
  if (name.length > MAX_GIVEN_NAME_LENGTH) throw tooLong();
}
