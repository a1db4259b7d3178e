/**
 * Reads the size of an SVG from its root element; SVGs are never rendered. A scanner with linear time, since regular expressions
 * that skip comments and quotes backtrack.
 */
import { MAX_PIXELS, type ProcessedImage, type Size } from "./image.ts";

const HEAD_BYTES = 65_536;
const TAIL_BYTES = 1024;
/** Longer attribute values are ignored. */
const MAX_VALUE_LENGTH = 256;
const ROOT_NAME = /^(?:[\w-]+:)?svg$/;

/** Pixels per unit: 72 per inch, and a font size of 12 pixels, as in Strapi. */
const units: Readonly<Record<string, number>> = {
  "": 1,
  px: 1,
  pt: 1,
  pc: 12,
  in: 72,
  cm: 72 / 2.54,
  mm: 72 / 25.4,
  em: 12,
  ex: 6,
};

const isSpace = (letter: string | undefined): boolean => letter !== undefined && letter.trim() === "";

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text[at])) at++;
  return at;
}

/** The index after the next `end`; undefined if there is none. */
function indexAfter(text: string, end: string, from: number): number | undefined {
  const at = text.indexOf(end, from);
  return at < 0 ? undefined : at + end.length;
}

/** The index after a document type, which may have declarations in brackets. */
function indexAfterDoctype(text: string, from: number): number | undefined {
  const close = indexAfter(text, ">", from);
  const open = text.indexOf("[", from);
  if (close === undefined || open < 0 || open > close) return close;
  for (let at = indexAfter(text, "]", open); at !== undefined; at = indexAfter(text, "]", at)) {
    const next = skipSpace(text, at);
    if (text[next] === ">") return next + 1;
  }
  return undefined;
}

/** The index of the root element, after declarations and comments; undefined if one of these is not closed. */
function rootStart(text: string): number | undefined {
  for (let at: number | undefined = text[0] === "\uFEFF" ? 1 : 0; at !== undefined; ) {
    at = skipSpace(text, at);
    if (text.startsWith("<?", at)) at = indexAfter(text, "?>", at);
    else if (text.startsWith("<!--", at)) at = indexAfter(text, "-->", at);
    else if (text.startsWith("<!DOCTYPE", at)) at = indexAfterDoctype(text, at);
    else return at;
  }
  return undefined;
}

interface Root {
  readonly attributes: ReadonlyMap<string, string>;
  readonly isEmpty: boolean;
}

/** Undefined if the root is not an SVG element, or if its tag is not closed. */
function readRoot(text: string): Root | undefined {
  const start = rootStart(text);
  if (start === undefined || text[start] !== "<") return undefined;
  let at = start + 1;
  const readName = (): string => {
    const from = at;
    while (at < text.length && !isSpace(text[at]) && !"=/>\"'".includes(text[at]!)) at++;
    return text.slice(from, at);
  };
  if (!ROOT_NAME.test(readName())) return undefined;
  const attributes = new Map<string, string>();
  let name = "";
  while (at < text.length) {
    at = skipSpace(text, at);
    const character = text[at];
    if (character === ">") return { attributes, isEmpty: text[at - 1] === "/" };
    if (character === '"' || character === "'") {
      const end = text.indexOf(character, at + 1);
      if (end < 0) return undefined;
      if (name !== "" && !attributes.has(name)) attributes.set(name, text.slice(at + 1, end));
      name = "";
      at = end + 1;
    } else if (character === "=" || character === "/") at++;
    else name = readName();
  }
  return undefined;
}

/** Parses a length to pixels; undefined for a missing or invalid one, and for percentages. */
function parseLength(value = ""): number | undefined {
  const text = value.trim();
  if (text.length > MAX_VALUE_LENGTH) return undefined;
  const match = /^\+?((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*)$/i.exec(text);
  const unit = units[(match?.[2] ?? "").toLowerCase()];
  return match && unit !== undefined ? Number(match[1]) * unit : undefined;
}

function parseViewBox(value = ""): Size | undefined {
  const text = value.trim();
  if (text.length > MAX_VALUE_LENGTH) return undefined;
  const numbers = text.split(/[\s,]+/).map(Number);
  const [, , width = 0, height = 0] = numbers;
  return numbers.length === 4 && width > 0 && height > 0 ? { width, height } : undefined;
}

function parseSize({ attributes }: Root): Size | undefined {
  const box = parseViewBox(attributes.get("viewBox"));
  const [width, height] = [parseLength(attributes.get("width")), parseLength(attributes.get("height"))];
  const size = {
    width: width ?? (box && height !== undefined ? (height * box.width) / box.height : box?.width),
    height: height ?? (box && width !== undefined ? (width * box.height) / box.width : box?.height),
  };
  if (size.width === undefined || size.height === undefined) return undefined;
  return { width: Math.round(size.width), height: Math.round(size.height) };
}

/** Whether a text ends with the closing tag of an SVG element, followed only by comments. */
function isClosed(tail: string): boolean {
  let text = tail.trimEnd();
  while (text.endsWith("-->")) {
    const comment = text.lastIndexOf("<!--");
    if (comment < 0) return false;
    text = text.slice(0, comment).trimEnd();
  }
  const tag = text.slice(text.lastIndexOf("<"));
  return tag.startsWith("</") && tag.endsWith(">") && ROOT_NAME.test(tag.slice(2, -1).trimEnd());
}

/**
 * Undefined if the root is not an SVG element, is not closed, or has no size; such a file is stored as a plain file. `text`: the
 * start of the file. `tail`: its end.
 */
export function measureSvg(text: string, tail = text): Size | undefined {
  const root = readRoot(text);
  const size = root && parseSize(root);
  if (!size || size.width < 1 || size.height < 1 || size.width * size.height > MAX_PIXELS) return undefined;
  return root.isEmpty || isClosed(tail) ? size : undefined;
}

/** Whether a file may be an SVG, by its start as a Latin-1 string. */
export const isSvg = (head: string): boolean => /^(?:\xef\xbb\xbf)?\s*</.test(head) && head.includes("svg");

export async function readSvg(path: string): Promise<ProcessedImage | undefined> {
  const file = Bun.file(path);
  const head = await file.slice(0, HEAD_BYTES).text();
  const size = measureSvg(head, await file.slice(Math.max(0, file.size - TAIL_BYTES)).text());
  return size && { ...size, stored: undefined, copies: [] };
}
