/** Elements of HTML, as far as they mean something in blocks. */
import { linkTarget } from "./link-target.ts";
import type { Style } from "./schema.ts";

export const SKIPPED = new Set(
  "head title style script noscript template svg math iframe object embed audio video canvas select textarea button".split(
    " ",
  ),
);
/** Elements that begin and end a block. */
const BLOCKS = new Set(
  (
    "p div section article aside header footer main nav address figure figcaption dl dt dd form fieldset details summary " +
    "table thead tbody tfoot tr caption hr center body html h1 h2 h3 h4 h5 h6 pre blockquote"
  ).split(" "),
);
const STYLE_TAGS: Readonly<Record<string, Style>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  cite: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  code: "code",
  kbd: "code",
  samp: "code",
  tt: "code",
};

/** What CSS in an element says about styles. */
function cssStyles(css: string): Partial<Record<Style, boolean>> {
  const found: Partial<Record<Style, boolean>> = {};
  for (const declaration of css.toLowerCase().split(";")) {
    const [name = "", value = ""] = declaration.split(":", 2).map((part) => part.trim());
    if (name === "font-weight") found.bold = value.startsWith("bold") || Number(value) >= 600;
    if (name === "font-style") found.italic = value.startsWith("italic") || value.startsWith("oblique");
    if (name === "text-decoration" || name === "text-decoration-line") {
      if (value.includes("underline")) found.underline = true;
      if (value.includes("line-through")) found.strikethrough = true;
    }
  }
  return found;
}

export type Attributes = Readonly<Record<string, string>>;

/** What holds for text in an element: what the element and those around it say. */
export interface Context {
  readonly styles: ReadonlySet<Style>;
  readonly link: string | undefined;
  readonly heading: number | undefined;
  readonly isPre: boolean;
  readonly isQuote: boolean;
  readonly isItem: boolean;
}

export const ROOT_CONTEXT: Context = {
  styles: new Set(),
  link: undefined,
  heading: undefined,
  isPre: false,
  isQuote: false,
  isItem: false,
};

/** A paragraph that Word shows as an item of a list. */
export interface WordItem {
  /** From 0. */
  readonly level: number;
}

export function wordItem({ style }: Attributes): WordItem | undefined {
  const level = /mso-list:\s*l\d+\s+level([1-9])/i.exec(style ?? "")?.[1];
  return level === undefined ? undefined : { level: Number(level) - 1 };
}

/** The number or bullet before the text of such an item. */
export const isWordMarker = ({ style }: Attributes): boolean => /mso-list:\s*ignore/i.test(style ?? "");

export const isBlock = (tag: string): boolean => BLOCKS.has(tag);
const headingLevel = (tag: string): number | undefined => (/^h[1-6]$/.test(tag) ? Number(tag[1]) : undefined);

/** Blocks of their own, wherever they stand. */
export const isOwnBlock = (tag: string): boolean =>
  tag === "pre" || tag === "blockquote" || headingLevel(tag) !== undefined;

export function createContext(outer: Context, tag: string, { href, style }: Attributes): Context {
  const link = tag === "a" ? linkTarget(href) : outer.link;
  const byTag = Object.hasOwn(STYLE_TAGS, tag) ? STYLE_TAGS[tag] : undefined;
  const styles = new Set(outer.styles);
  if (byTag) styles.add(byTag);
  for (const [name, isOn] of Object.entries(cssStyles(style ?? "")) as [Style, boolean][]) {
    if (isOn) styles.add(name);
    else styles.delete(name);
  }
  // what is underlined because it is a link
  if (link !== undefined) styles.delete("underline");
  return {
    styles,
    link,
    heading: headingLevel(tag) ?? outer.heading,
    // code editors say it with CSS
    isPre: outer.isPre || tag === "pre" || /(?:^|[;\s])white-space:\s*pre\s*(?:;|$)/i.test(style ?? ""),
    isQuote: outer.isQuote || tag === "blockquote",
    isItem: outer.isItem || tag === "li",
  };
}
