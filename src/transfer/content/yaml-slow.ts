/**
 * The slow YAML parser, which knows positions, repeated keys and precise numbers. Loaded when first needed: most projects
 * never do.
 */
import type { Document, Pair, ParsedNode } from "yaml";
import { ContentFileError, lineAt } from "./file-error.ts";
import type { KeyPath } from "./file-keys.ts";

export const loadYaml = (): typeof import("yaml") => require("yaml");

/** Aliases that one text may expand to, per anchor, so that a few lines do not become gigabytes. */
const MAX_ALIASES = 100;

/** Markers, comments and white space. */
const NOTHING = /^(?:(?:---|\.\.\.)?[ \t\r]*(?:#[^\n]*)?(?:\n|$))*$/;

type ParsedPair = Pair<ParsedNode, ParsedNode | null>;

/** `firstLine`: of the text within its file. Throws a `ContentFileError`, and a RangeError for a text that is nested too deeply. */
export function parseDocument(text: string, firstLine: number): Document.Parsed<ParsedNode> {
  const document = loadYaml().parseDocument(text, {
    intAsBigInt: true,
    merge: true,
    // dates and binary data stay texts
    resolveKnownTags: false,
    prettyErrors: false,
    // "silent" leaves out the error for a second document
    logLevel: "error",
  });
  const error = document.errors[0];
  if (error === undefined) return document;
  if (error.code === "MULTIPLE_DOCS") {
    // a marker at the end begins an empty one
    if (NOTHING.test(text.slice(error.pos[0]))) return document;
    throw new ContentFileError("syntax", lineAt(text, error.pos[0]) + firstLine - 1, "a second document begins here");
  }
  if (error.code === "RESOURCE_EXHAUSTION") throw new RangeError(error.message);
  const line = lineAt(text, error.pos[0]) + firstLine - 1;
  if (error.code !== "DUPLICATE_KEY") throw new ContentFileError("syntax", line, error.message);
  const key = /[^\n:]*/.exec(text.slice(error.pos[0]))![0].trim();
  throw new ContentFileError("duplicate", line, `the key ${key} stands twice in the same mapping`);
}

/** With integers as bigint. Throws as `parseDocument` does. */
export function parseSlowly(text: string, firstLine: number): unknown {
  const document = parseDocument(text, firstLine);
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    throw new ContentFileError("syntax", firstLine, (cause as Error).message);
  }
}

/** The position of the last part of a path that is there. Throws a `ContentFileError`. */
export function findPosition(text: string, firstLine: number, path: KeyPath): number {
  const { isMap, isScalar, isSeq } = loadYaml();
  let node: ParsedNode | null | undefined = parseDocument(text, firstLine).contents;
  let position = 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }: ParsedPair) => isScalar(key) && String(key.value) === String(step)) as
        | ParsedPair
        | undefined;
      if (pair === undefined) break;
      position = pair.key.range[0];
      node = pair.value;
    } else {
      node = isSeq(node) ? node.items[Number(step)] : undefined;
      if (node === undefined) break;
      position = node.range[0];
    }
  }
  return position;
}
