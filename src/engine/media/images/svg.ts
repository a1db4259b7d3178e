/** Reads the size of an SVG from its root element; SVGs are never rendered. */
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

interface Root {
  readonly name: string;
  /** Names are in lower case. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly isEmpty: boolean;
}

/** Undefined if the first element is not an SVG element, or if its tag is not closed. */
function readRoot(text: string): Root | undefined {
  let first: Root | undefined;
  new HTMLRewriter()
    .on("*", {
      element: ({ tagName, attributes, selfClosing: isEmpty }) => {
        // of attributes with one name, the first
        first ??= { name: tagName, attributes: new Map([...attributes].reverse()), isEmpty };
      },
    })
    .transform(text);
  return first && ROOT_NAME.test(first.name) ? first : undefined;
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
  const box = parseViewBox(attributes.get("viewbox"));
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
