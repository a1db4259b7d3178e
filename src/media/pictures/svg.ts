/**
 * The size of an SVG drawing, by its root element; drawings are measured and never drawn. Read by scanning, in time
 * linear in the text: regular expressions that skip comments and quotes backtrack.
 */
import { MAX_PIXELS, type Picture, type Size } from "./picture.ts";

const HEAD_BYTES = 65_536;
const TAIL_BYTES = 1024;
/** Of a number or a list of them; what is longer says nothing. */
const MAX_VALUE_LENGTH = 256;
const ROOT_NAME = /^(?:[\w-]+:)?svg$/;

/** Pixels at 72 dots per inch and letters of 12 pixels, as the reference counts. */
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

/** The place after the next `end`; undefined where there is none. */
function after(text: string, end: string, from: number): number | undefined {
  const at = text.indexOf(end, from);
  return at < 0 ? undefined : at + end.length;
}

/** The place after a document type, which may have declarations in brackets. */
function afterDoctype(text: string, from: number): number | undefined {
  const close = after(text, ">", from);
  const open = text.indexOf("[", from);
  if (close === undefined || open < 0 || open > close) return close;
  for (let at = after(text, "]", open); at !== undefined; at = after(text, "]", at)) {
    const next = skipSpace(text, at);
    if (text[next] === ">") return next + 1;
  }
  return undefined;
}

/** The place of the root element, after what may stand before it; undefined where that does not end. */
function rootStart(text: string): number | undefined {
  for (let at: number | undefined = text[0] === "\uFEFF" ? 1 : 0; at !== undefined; ) {
    at = skipSpace(text, at);
    if (text.startsWith("<?", at)) at = after(text, "?>", at);
    else if (text.startsWith("<!--", at)) at = after(text, "-->", at);
    else if (text.startsWith("<!DOCTYPE", at)) at = afterDoctype(text, at);
    else return at;
  }
  return undefined;
}

interface Root {
  readonly attributes: ReadonlyMap<string, string>;
  readonly isEmpty: boolean;
}

/** Undefined for a text whose root is no SVG element, or that ends before its first tag does. */
function readRoot(text: string): Root | undefined {
  const start = rootStart(text);
  if (start === undefined || text[start] !== "<") return undefined;
  let at = start + 1;
  const word = (): string => {
    const from = at;
    while (at < text.length && !isSpace(text[at]) && !"=/>\"'".includes(text[at]!)) at++;
    return text.slice(from, at);
  };
  if (!ROOT_NAME.test(word())) return undefined;
  const attributes = new Map<string, string>();
  let name = "";
  while (at < text.length) {
    at = skipSpace(text, at);
    const letter = text[at];
    if (letter === ">") return { attributes, isEmpty: text[at - 1] === "/" };
    if (letter === '"' || letter === "'") {
      const end = text.indexOf(letter, at + 1);
      if (end < 0) return undefined;
      if (name !== "" && !attributes.has(name)) attributes.set(name, text.slice(at + 1, end));
      name = "";
      at = end + 1;
    } else if (letter === "=" || letter === "/") at++;
    else name = word();
  }
  return undefined;
}

/** Undefined for none, and for a share of something unknown. */
function length(value = ""): number | undefined {
  const text = value.trim();
  if (text.length > MAX_VALUE_LENGTH) return undefined;
  const match = /^\+?((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*)$/i.exec(text);
  const unit = units[(match?.[2] ?? "").toLowerCase()];
  return match && unit !== undefined ? Number(match[1]) * unit : undefined;
}

function viewBox(value = ""): Size | undefined {
  const text = value.trim();
  if (text.length > MAX_VALUE_LENGTH) return undefined;
  const numbers = text.split(/[\s,]+/).map(Number);
  const [, , width = 0, height = 0] = numbers;
  return numbers.length === 4 && width > 0 && height > 0 ? { width, height } : undefined;
}

function sizeOf({ attributes }: Root): Size | undefined {
  const box = viewBox(attributes.get("viewBox"));
  const [width, height] = [length(attributes.get("width")), length(attributes.get("height"))];
  const size = {
    width: width ?? (box && height !== undefined ? (height * box.width) / box.height : box?.width),
    height: height ?? (box && width !== undefined ? (width * box.height) / box.width : box?.height),
  };
  if (size.width === undefined || size.height === undefined) return undefined;
  return { width: Math.round(size.width), height: Math.round(size.height) };
}

/** Whether a text ends with the closing tag of an SVG element and nothing but comments after it. */
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
 * Undefined for a text whose root is no SVG element, that is not closed, or that has no size; what could not be drawn is
 * kept as a plain file. `tail`: the end of a text that is longer.
 */
export function measureSvg(text: string, tail = text): Size | undefined {
  const root = readRoot(text);
  const size = root && sizeOf(root);
  if (!size || size.width < 1 || size.height < 1 || size.width * size.height > MAX_PIXELS) return undefined;
  return root.isEmpty || isClosed(tail) ? size : undefined;
}

/** By the beginning of the file, one letter per byte. */
export const isSvg = (head: string): boolean => /^(?:\xef\xbb\xbf)?\s*</.test(head) && head.includes("svg");

export async function readSvg(path: string): Promise<Picture | undefined> {
  const file = Bun.file(path);
  const head = await file.slice(0, HEAD_BYTES).text();
  const size = measureSvg(head, await file.slice(Math.max(0, file.size - TAIL_BYTES)).text());
  return size && { ...size, stored: undefined, copies: [] };
}
