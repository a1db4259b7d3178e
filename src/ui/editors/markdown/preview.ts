/**
 * Markdown as elements, made one by one from its tokens: HTML in it is shown as the text that it is. Loaded with the first
 * preview.
 */
import { decodeHTML } from "entities";
import { Lexer, type Token, type Tokens } from "marked";
import { siteUrl } from "../../page-paths.ts";
import { linkTarget } from "../blocks/link-target.ts";
import { element } from "../dom.ts";

/** Deeper tokens are shown as text. */
const MAX_DEPTH = 50;

type Nodes = readonly (Node | string)[];

const childNodes = (token: { readonly tokens?: readonly Token[]; readonly text?: string }, depth: number): Nodes =>
  token.tokens ? renderTokens(token.tokens, depth) : [decodeHTML(token.text ?? "")];

function link({ href, tokens, text }: Tokens.Link, depth: number): Nodes {
  const target = linkTarget(href) ?? (href.startsWith("#") ? href : undefined);
  const content = childNodes({ tokens, text }, depth);
  if (target === undefined) return content;
  return [element("a", { href: target, target: "_blank", rel: "noopener noreferrer" }, ...content)];
}

function image({ href, text }: Tokens.Image): Nodes {
  const source = linkTarget(href);
  const alt = decodeHTML(text);
  return [
    source === undefined ? alt : element("img", { src: siteUrl(source), alt, class: "preview-image", loading: "lazy" }),
  ];
}

function item({ tokens, task, checked }: Tokens.ListItem, depth: number): Node {
  // marked has the box as a token of its own, too
  const content = renderTokens(
    tokens.filter(({ type }) => type !== "checkbox"),
    depth,
  );
  if (!task) return element("li", {}, ...content);
  const box = element("input", { type: "checkbox", disabled: "", "aria-label": checked ? "Done" : "Not done" });
  box.checked = checked === true;
  return element("li", { class: "preview-task" }, box, " ", ...content);
}

function list({ ordered, start, items }: Tokens.List, depth: number): Nodes {
  const children = items.map((entry) => item(entry, depth));
  return [ordered ? element("ol", { start: String(start || 1) }, ...children) : element("ul", {}, ...children)];
}

function table({ header, rows, align }: Tokens.Table, depth: number): Nodes {
  const row = (cells: readonly Tokens.TableCell[], tag: "td" | "th") =>
    element(
      "tr",
      {},
      ...cells.map((cell, index) =>
        element(tag, align[index] ? { class: `align-${align[index]}` } : {}, ...childNodes(cell, depth)),
      ),
    );
  const body = element("tbody", {}, ...rows.map((cells) => row(cells, "td")));
  return [element("table", { class: "preview-table" }, element("thead", {}, row(header, "th")), body)];
}

type Renderer = (token: never, depth: number) => Nodes;

const wrapped =
  (tag: keyof HTMLElementTagNameMap): Renderer =>
  (token: Tokens.Generic, depth) => [element(tag, {}, ...childNodes(token, depth))];

/** What a type of token becomes. Others are shown as they were written. */
const renderers: Readonly<Record<string, Renderer>> = {
  space: () => [],
  def: () => [],
  br: () => [element("br")],
  hr: () => [element("hr")],
  paragraph: wrapped("p"),
  blockquote: wrapped("blockquote"),
  strong: wrapped("strong"),
  em: wrapped("em"),
  del: wrapped("s"),
  // looks like one: headings of content are none of the page's own
  heading: ({ depth: level, tokens, text }: Tokens.Heading, depth) => [
    element("p", { class: `heading-${level}` }, ...childNodes({ tokens, text }, depth)),
  ],
  text: (token: Tokens.Text, depth) => childNodes(token, depth),
  escape: ({ text }: Tokens.Escape) => [text],
  code: ({ text }: Tokens.Code) => [element("pre", { tabindex: "0" }, element("code", {}, text))],
  codespan: ({ text }: Tokens.Codespan) => [element("code", {}, text)],
  link,
  image,
  list,
  table,
};

function renderTokens(tokens: readonly Token[], depth: number): Nodes {
  return tokens.flatMap((token) => {
    const render = Object.hasOwn(renderers, token.type) && depth < MAX_DEPTH ? renderers[token.type] : undefined;
    return render ? render(token as never, depth + 1) : [token.raw];
  });
}

/** Each block has the direction of its text. */
export function renderPreview(markdown: string): Nodes {
  const blocks = renderTokens(Lexer.lex(markdown, { gfm: true }), 0);
  for (const block of blocks) if (block instanceof HTMLElement) block.dir = "auto";
  return blocks;
}
