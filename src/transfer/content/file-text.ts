/** The text of a content file, and the file as a value. */
import { pickBy } from "../../lib/records.ts";
import type { Json } from "../archive/shapes.ts";
import type { ContentFile } from "./content-file.ts";
import { ContentFileError, lineAt } from "./file-error.ts";
import { checkKeys, type KeyPath, orderKeys } from "./file-keys.ts";
import { isBody, printBody, readBody, splitMarkdown } from "./markdown.ts";
import { editYaml } from "./yaml-edit.ts";
import { printMapping, printNumber } from "./yaml-print.ts";
import { readJson, readYaml, requireMapping } from "./yaml-read.ts";
import { findPosition } from "./yaml-slow.ts";

export interface FileForm {
  readonly kind: "yaml" | "markdown" | "json";
  /** In Markdown: the attribute whose text stands below the front matter. */
  readonly body?: string | undefined;
}

const BOM = "\ufeff";
/** In Markdown a line of `=` alone makes the line before it a heading. */
const MARKERS = { any: /^(?:<{7}|={7}|>{7})(?: |\r?$)/m, markdown: /^(?:<{7}|>{7})(?: |\r?$)/m };

const withoutBom = (text: string): string => (text.startsWith(BOM) ? text.slice(1) : text);
const withLf = (text: string): string => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);
const isSame = (a: unknown, b: unknown): boolean => Bun.deepEquals(a, b);

function refuseUnreadable(text: string, kind: FileForm["kind"]): void {
  const nul = text.indexOf("\0");
  if (nul !== -1) throw new ContentFileError("syntax", lineAt(text, nul), "the file is not a text");
  // a file that an editor has truncated before it writes must not delete all values
  if (text.trim() === "") throw new ContentFileError("syntax", 1, "the file is empty");
  const marker = (kind === "markdown" ? MARKERS.markdown : MARKERS.any).exec(text);
  if (marker === null) return;
  const [line = ""] = text.slice(marker.index).split("\n", 1);
  throw new ContentFileError("conflict", lineAt(text, marker.index), `a merge is not resolved: ${line.trim()}`);
}

/** Front matter may be empty. */
const readFront = (yaml: string): Json => requireMapping(readYaml(withLf(yaml), 2) ?? {}, 2);

function readMarkdown(text: string, attribute: string | undefined): Json {
  const { front, bodyStart } = splitMarkdown(text);
  const attributes = front === undefined ? {} : readFront(text.slice(front.start, front.end));
  const body = readBody(text.slice(bodyStart), front !== undefined);
  if (body === undefined) return attributes;
  const line = lineAt(text, bodyStart);
  if (attribute === undefined)
    throw new ContentFileError("key", line, "no attribute holds the text below the front matter");
  if (Object.hasOwn(attributes, attribute)) {
    throw new ContentFileError("duplicate", line, `the text of ${attribute} stands in the front matter and below it`);
  }
  return { ...attributes, [attribute]: body };
}

/** Throws a `ContentFileError`. Line ends within values are LF. */
export function parseFile(text: string, form: FileForm): ContentFile {
  refuseUnreadable(text, form.kind);
  const content = withoutBom(text);
  let file: Json;
  if (form.kind === "markdown") file = readMarkdown(content, form.body);
  else file = requireMapping(form.kind === "yaml" ? readYaml(withLf(content), 1) : readJson(withLf(content)), 1);
  checkKeys(file, (path) => lineOfKey(text, form, path));
  return file;
}

/** The line of an attribute, or of an entry of its list, counted from 1: of as much of the path as is there. */
export function lineOfKey(text: string, form: FileForm, path: KeyPath): number {
  const content = withoutBom(text);
  if (form.kind !== "markdown") return lineAt(content, findPosition(content, 1, path));
  const { front, bodyStart } = splitMarkdown(content);
  const below = content.slice(bodyStart);
  if (path[0] === form.body && readBody(below, front !== undefined) !== undefined) {
    return lineAt(content, bodyStart + (front === undefined ? 0 : /^(?:\r?\n)?/.exec(below)![0].length));
  }
  if (front === undefined) return 1;
  return lineAt(content, front.start + findPosition(content.slice(front.start, front.end), 2, path));
}

const omit = (file: Json, attribute: string): Json => pickBy(file, (_, key) => key !== attribute);

/** The attributes that stand in the front matter, and the text below it. */
function placeBody(file: Json, attribute: string | undefined): { front: Json; body: string | undefined } {
  const value = attribute === undefined ? undefined : file[attribute];
  return attribute !== undefined && isBody(value)
    ? { front: omit(file, attribute), body: value }
    : { front: file, body: undefined };
}

const printLines = (mapping: Json): string => {
  const printed = printMapping(mapping, 0);
  return printed === "" ? "" : `${printed}\n`;
};

/** Missing in the types of TypeScript. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function printJson(file: Json): string {
  const exact = (_: string, value: unknown) =>
    typeof value === "number" && Number.isInteger(value) ? rawJSON(printNumber(value)) : value;
  return `${JSON.stringify(file, exact, 2)}\n`;
}

function printAnew(file: Json, form: FileForm): string {
  if (form.kind === "json") return printJson(file);
  if (form.kind === "yaml") return printLines(file) || "{}\n";
  const { front, body } = placeBody(file, form.body);
  return `---\n${printLines(front)}---\n${printBody(body)}`;
}

/** `text`: without a BOM. Undefined if it can only be printed anew. */
function edit(text: string, before: Json, after: Json, form: FileForm, lineEnd: string): string | undefined {
  if (form.kind === "json") return undefined;
  if (form.kind === "yaml") return editYaml(text, before, after, lineEnd);
  const { front, bodyStart } = splitMarkdown(text);
  if (front === undefined) return undefined;
  const below = text.slice(bodyStart);
  const placed = placeBody(after, form.body);
  const yaml = text.slice(front.start, front.end);
  const attributes = readFront(yaml);
  let edited: string | undefined = yaml;
  if (Object.keys(attributes).length === 0) edited += printLines(placed.front).replaceAll("\n", lineEnd);
  else if (!isSame(attributes, placed.front)) edited = editYaml(yaml, attributes, placed.front, lineEnd);
  if (edited === undefined) return undefined;
  let fence = text.slice(front.end, bodyStart);
  if (!fence.endsWith("\n")) fence += lineEnd;
  const body = readBody(below, true) === placed.body ? below : printBody(placed.body, below).replaceAll("\n", lineEnd);
  return `${text.slice(0, front.start)}${edited}${fence}${body}`;
}

/**
 * The text of a file: the canonical one, or a previous text in which only the values that differ are changed, so that
 * comments, order and quotes stay. A previous text that cannot be changed so (a value that an alias or `<<` inserts) is printed anew.
 * Throws a `ContentFileError` for a previous text that cannot be read.
 */
export function printFile(file: ContentFile, form: FileForm, previousText?: string): string {
  const ordered = orderKeys(file);
  if (previousText === undefined) return printAnew(ordered, form);
  const before = parseFile(previousText, form);
  if (isSame(before, file)) return previousText;
  if (form.kind === "json") return previousText.endsWith("\n") ? printJson(ordered) : printJson(ordered).trimEnd();
  const bom = previousText.startsWith(BOM) ? BOM : "";
  const lineEnd = /^[^\n]*\r\n/.test(previousText) ? "\r\n" : "\n";
  const text = withoutBom(previousText);
  const isUnended = form.kind === "yaml" && !text.endsWith("\n");
  const edited = edit(isUnended ? text + lineEnd : text, before, ordered, form, lineEnd);
  if (edited !== undefined) {
    const unended = isUnended ? edited.slice(0, -lineEnd.length) : edited;
    if (isReadAs(unended, file, form)) return bom + unended;
    // a text of several lines has come to the end
    if (isUnended && isReadAs(edited, file, form)) return bom + edited;
  }
  return bom + printAnew(ordered, form).replaceAll("\n", lineEnd);
}

function isReadAs(text: string, file: ContentFile, form: FileForm): boolean {
  try {
    return isSame(parseFile(text, form), file);
  } catch (error) {
    // an edit that took away what an alias refers to
    if (error instanceof ContentFileError) return false;
    throw error;
  }
}
