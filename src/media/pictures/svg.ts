/** The size of an SVG drawing, by its root element; drawings are measured and never drawn. */
import { MAX_PIXELS, type PictureKind, type Size } from "./picture.ts";

const HEAD_BYTES = 65_536;
const TAIL_BYTES = 1024;
/** What may stand before the root element. */
const PROLOG = /^\uFEFF?(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^[>]*(?:\[[\s\S]*?\]\s*)?>)*/;
const ROOT = /^<(?:[\w-]+:)?svg(?=[\s/>])((?:[^>"']|"[^"]*"|'[^']*')*)>/;
const CLOSED = /<\/(?:[\w-]+:)?svg\s*>(?:\s|<!--[\s\S]*?-->)*$/;

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

const attribute = (attributes: string, name: string): string | undefined => {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return match?.[1] ?? match?.[2];
};

/** Undefined for none, and for a share of something unknown. */
function length(text: string | undefined): number | undefined {
  const match = /^\s*\+?(\d*\.?\d+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(text ?? "");
  const unit = units[(match?.[2] ?? "").toLowerCase()];
  return match && unit !== undefined ? Number(match[1]) * unit : undefined;
}

function viewBox(text: string | undefined): Size | undefined {
  const numbers = (text ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [, , width, height] = numbers;
  if (numbers.length !== 4 || !width || !height || !(width > 0 && height > 0)) return undefined;
  return { width, height };
}

/** Undefined for a text whose root is no SVG element, or that says nothing about its size. */
export function measureSvg(text: string): Size | undefined {
  const root = ROOT.exec(text.slice(PROLOG.exec(text)?.[0].length ?? 0));
  if (!root) return undefined;
  const attributes = root[1] ?? "";
  const box = viewBox(attribute(attributes, "viewBox"));
  const [width, height] = [length(attribute(attributes, "width")), length(attribute(attributes, "height"))];
  const size = {
    width: width ?? (box && height !== undefined ? (height * box.width) / box.height : box?.width),
    height: height ?? (box && width !== undefined ? (width * box.height) / box.width : box?.height),
  };
  if (size.width === undefined || size.height === undefined) return undefined;
  return { width: Math.round(size.width), height: Math.round(size.height) };
}

const looksClosed = (text: string, tail: string): boolean => CLOSED.test(tail) || /\/>\s*$/.test(text);

async function measure(path: string): Promise<Size | undefined> {
  const file = Bun.file(path);
  const text = await file.slice(0, HEAD_BYTES).text();
  const size = measureSvg(text);
  const tail = await file.slice(Math.max(0, file.size - TAIL_BYTES)).text();
  // what could not be drawn is no picture; it is kept as a plain file
  if (!size || size.width < 1 || size.height < 1 || size.width * size.height > MAX_PIXELS) return undefined;
  return looksClosed(text, tail) ? size : undefined;
}

export const svg: PictureKind = {
  recognises: (head) => /^(?:\xef\xbb\xbf)?\s*</.test(head) && head.includes("svg"),
  measure,
  read: async (_, size) => ({ ...size, stored: undefined, copies: [] }),
};
