/** Pasted text that is Markdown, as blocks. Loaded with the first text that may be some. */
import { escapeUTF8 } from "entities";
import { Marked, type RendererObject, type Token, type Tokens } from "marked";
import { htmlBlocks, type PastedHtml } from "./html.ts";

/** In characters. Longer text is pasted as lines, as are long lines, and deep quotes and lists: reading them would block the page. */
const MAX_MARKDOWN = 100_000;
const LONG_LINE = /.{8000}/;
const DEEP = /^ {0,3}(?:> ?|(?:[-*+]|\d{1,9}[.)]) ){20}/m;

/** What nobody writes in text that is not Markdown. A single item of a list may be a dash, or the number of a year. */
const signs: Readonly<Record<string, (token: Tokens.Generic) => boolean>> = {
  heading: ({ raw }) => raw.startsWith("#"),
  code: ({ codeBlockStyle }) => codeBlockStyle !== "indented",
  blockquote: () => true,
  table: () => true,
  list: ({ items }) => (items as unknown[]).length > 1,
  strong: () => true,
  em: () => true,
  del: () => true,
  codespan: () => true,
  // a URL alone is none
  link: ({ raw }) => raw.startsWith("["),
  image: () => true,
};

const isSign = (token: Token): boolean => (Object.hasOwn(signs, token.type) ? signs[token.type]!(token) : false);

/** Blocks have neither numbers of their own, boxes, nor HTML: they stay as they were written. */
const renderer: RendererObject = {
  html: ({ text }) => escapeUTF8(text),
  checkbox: ({ checked }) => (checked ? "[x] " : "[ ] "),
  list({ ordered, start, items }) {
    if (!ordered || start === 1) return false;
    return items.map(({ tokens }, index) => `<p>${Number(start) + index}. ${this.parser.parse(tokens)}</p>`).join("");
  },
};

const marked = new Marked({ gfm: true, breaks: true, renderer });

/** Undefined for text without signs of Markdown. */
export function markdownBlocks(text: string): PastedHtml | undefined {
  if (text.length > MAX_MARKDOWN || LONG_LINE.test(text) || DEEP.test(text)) return undefined;
  const tokens = marked.lexer(text);
  let isMarkdown = false;
  marked.walkTokens(tokens, (token) => {
    isMarkdown ||= isSign(token);
  });
  return isMarkdown ? htmlBlocks(marked.parser(tokens)) : undefined;
}
