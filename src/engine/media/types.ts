/**
 * Determines the type of an uploaded file from the declared type, the extension and the content, and checks that the project
 * accepts it.
 */
import { extname } from "node:path";
import type { fileTypeFromBuffer } from "file-type/core";
import type mimeTypes from "mime-types";
import { validationError } from "../../lib/errors.ts";

/** The number of bytes at the start of a file that are read for type detection. */
export const HEAD_BYTES = 4100;

const UNKNOWN = "application/octet-stream";
const ZIP = "application/zip";

export interface TypeRules {
  /** Undefined: every type; empty: none. `*` is a wildcard. */
  readonly allowedTypes: readonly string[] | undefined;
  readonly deniedTypes: readonly string[] | undefined;
}

export interface TypeSources {
  readonly name: string;
  /** With its parameters, as sent; empty for none. */
  readonly declared: string;
  readonly head: Uint8Array;
}

/** Whether a string matches the pieces of a wildcard pattern. Takes linear time per piece. */
function matchesPieces(text: string, pieces: readonly string[]): boolean {
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const index = text.indexOf(piece, at);
    if (index < 0) return false;
    at = index + piece.length;
  }
  return at <= text.length - last.length;
}

const matches = (type: string, patterns: readonly string[] | undefined): boolean =>
  (patterns ?? []).some((pattern) => matchesPieces(type.toLowerCase(), pattern.toLowerCase().split("*")));

const sameType = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a.toLowerCase() === b.toLowerCase();

const notAllowed = (type: string) => validationError(`File type '${type}' is not allowed`);

async function detect(head: Uint8Array): Promise<string | undefined> {
  const { fileTypeFromBuffer: read } = require("file-type/core") as { fileTypeFromBuffer: typeof fileTypeFromBuffer };
  try {
    return (await read(head))?.mime;
  } catch (error) {
    // truncated or malformed content has an unknown type
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The type of an extension; undefined for unknown ones. */
function typeOfName(name: string): string | undefined {
  const { lookup } = require("mime-types") as typeof mimeTypes;
  const ext = extname(name);
  return (ext && lookup(ext)) || undefined;
}

/** Throws a ValidationError for a refused type. Rules are applied in Strapi's order. */
export async function chooseType({ name, declared, head }: TypeSources, rules: TypeRules): Promise<string> {
  const { allowedTypes, deniedTypes } = rules;
  const isUndeclared = declared === "" || declared === UNKNOWN;
  const expected = typeOfName(name);
  for (const type of [isUndeclared ? undefined : declared, expected]) {
    if (type !== undefined && matches(type, deniedTypes)) throw notAllowed(type);
  }
  const detected = await detect(head);
  const accept = (type: string): string => {
    if (matches(type, deniedTypes)) throw notAllowed(type);
    if (!allowedTypes || matches(type, allowedTypes)) return type;
    throw allowedTypes.length === 0 ? validationError("MIME type is not allowed") : notAllowed(type);
  };
  if (!isUndeclared && sameType(declared, expected) && sameType(detected, declared)) return accept(declared);
  if (detected === undefined) return accept(expected ?? (declared || UNKNOWN));
  if (matches(detected, deniedTypes)) throw notAllowed(detected);
  const isKnown = expected !== undefined;
  // Office files are detected as archives, and SVG with an XML declaration as XML
  const isDisguised =
    isKnown &&
    matches(expected, allowedTypes) &&
    ((detected === ZIP && expected !== ZIP) || (detected === "application/xml" && expected === "image/svg+xml"));
  if (allowedTypes && allowedTypes.length > 0 && !matches(detected, allowedTypes) && !isDisguised) {
    throw validationError("MIME type is not allowed");
  }
  if (isKnown && !sameType(detected, expected) && !isUndeclared) return accept(expected);
  if (detected !== ZIP || !isKnown || expected === ZIP) return accept(detected);
  const isRefused = matches(expected, deniedTypes) || (allowedTypes && !matches(expected, allowedTypes));
  return accept(isRefused ? detected : expected);
}
