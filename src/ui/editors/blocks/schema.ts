/**
 * Strapi's blocks as a ProseMirror schema. Nodes mirror the JSON one to one: items of lists are text blocks, and nested
 * lists stand beside items. `source` is the JSON that a node was read from, which `write.ts` writes again if nothing has changed.
 */
import { type Mark, type Node, type NodeSpec, Schema } from "prosemirror-model";
import { linkTarget } from "./link-target.ts";

const source = { source: { default: null } };

const textBlock = (tag: string, spec: NodeSpec = {}): NodeSpec => ({
  group: "block",
  content: "inline*",
  attrs: source,
  toDOM: () => [tag, 0],
  parseDOM: [{ tag }],
  ...spec,
});

const HEADING_LEVELS = [1, 2, 3, 4, 5, 6] as const;

const simpleMark = (tag: string) => ({ toDOM: () => [tag, 0] as const, parseDOM: [{ tag }] });

export const schema = new Schema({
  nodes: {
    doc: { content: "block+", marks: "part" },
    paragraph: textBlock("p"),
    heading: textBlock("", {
      attrs: { ...source, level: { default: 1 } },
      defining: true,
      toDOM: (node: Node) => [`h${node.attrs.level}`, 0],
      parseDOM: HEADING_LEVELS.map((level) => ({ tag: `h${level}`, attrs: { level } })),
    }),
    quote: textBlock("blockquote", { defining: true, toDOM: () => ["blockquote", { dir: "auto" }, 0] }),
    code_block: textBlock("pre", {
      content: "(text | unknown_inline)*",
      marks: "bold italic underline strikethrough code extra",
      attrs: { ...source, language: { default: null } },
      code: true,
      defining: true,
      toDOM: () => ["pre", ["code", 0]],
      parseDOM: [{ tag: "pre", preserveWhitespace: "full" }],
    }),
    list: {
      group: "block",
      content: "(list_item | list | unknown_block)+",
      attrs: { ...source, format: { default: "unordered" }, indentLevel: { default: null } },
      toDOM: (node: Node) => [node.attrs.format === "ordered" ? "ol" : "ul", 0],
      parseDOM: [
        { tag: "ul", attrs: { format: "unordered" } },
        { tag: "ol", attrs: { format: "ordered" } },
      ],
    },
    list_item: textBlock("li", { group: "", defining: true }),
    image: {
      group: "block",
      atom: true,
      draggable: true,
      attrs: { ...source, image: { default: {} } },
      toDOM: (node: Node) => ["img", { src: linkTarget(node.attrs.image.url) ?? "" }],
    },
    unknown_block: {
      group: "block",
      atom: true,
      draggable: true,
      attrs: source,
      toDOM: (node: Node) => ["pre", JSON.stringify(node.attrs.source)],
    },
    text: { group: "inline" },
    line_break: {
      group: "inline",
      inline: true,
      selectable: false,
      linebreakReplacement: true,
      leafText: () => "\n",
      toDOM: () => ["br"],
      parseDOM: [{ tag: "br" }],
    },
    unknown_inline: {
      group: "inline",
      inline: true,
      atom: true,
      attrs: source,
      toDOM: (node: Node) => ["span", JSON.stringify(node.attrs.source)],
    },
  },
  marks: {
    link: {
      attrs: { url: {}, ...source },
      inclusive: false,
      toDOM: (mark: Mark) => {
        const href = linkTarget(mark.attrs.url);
        return ["a", href === undefined ? {} : { href, rel: "noopener noreferrer" }, 0];
      },
      parseDOM: [{ tag: "a[href]", getAttrs: (element: HTMLElement) => ({ url: element.getAttribute("href") }) }],
    },
    bold: { ...simpleMark("strong"), parseDOM: [{ tag: "strong" }, { tag: "b" }] },
    italic: { ...simpleMark("em"), parseDOM: [{ tag: "em" }, { tag: "i" }] },
    underline: simpleMark("u"),
    strikethrough: { ...simpleMark("s"), parseDOM: [{ tag: "s" }, { tag: "del" }] },
    code: { ...simpleMark("code"), code: true },
    /** Keys of a text node that the editor does not know. */
    extra: { attrs: { keys: {} }, inclusive: false, toDOM: () => ["span", 0] },
    /** Neighbours with the same one are in one element: see `parts.ts`. */
    part: { attrs: { index: {} }, toDOM: () => ["div", { class: "blocks-part" }, 0] },
  },
});

export const { nodes, marks } = schema;

/** Marks that are a key of a text node. */
export const STYLES = ["bold", "italic", "underline", "strikethrough", "code"] as const;
export type Style = (typeof STYLES)[number];
