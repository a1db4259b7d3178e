/** Node views: images, code with its language, lists, and unknown blocks. */
import type { Node } from "prosemirror-model";
import type { EditorView, NodeView, NodeViewConstructor } from "prosemirror-view";
import { siteUrl } from "../../page-paths.ts";
import { element, uniqueId } from "../dom.ts";
import { linkTarget } from "./link-target.ts";
import { nodes } from "./schema.ts";

const LANGUAGES = (
  "asm bash c clojure cobol cpp csharp css dart dockerfile elixir erlang fortran fsharp go graphql groovy haskell haxe " +
  "html ini java javascript jsx json julia kotlin latex lua markdown matlab makefile objectivec perl php plaintext " +
  "powershell python r ruby rust sas scala scheme shell sql stata swift typescript tsx vbnet xml yaml"
).split(" ");

type Position = () => number | undefined;

/** A field in a block, which sets one attribute of its node. */
function attributeInput(
  view: EditorView,
  getPosition: Position,
  label: string,
  change: (node: Node, text: string) => Readonly<Record<string, unknown>>,
): HTMLInputElement {
  const input = element("input", { class: "input", "aria-label": label, placeholder: label });
  input.addEventListener("input", () => {
    const position = getPosition();
    const node = position === undefined ? null : view.state.doc.nodeAt(position);
    if (!node || position === undefined) return;
    view.dispatch(view.state.tr.setNodeMarkup(position, undefined, { ...node.attrs, ...change(node, input.value) }));
  });
  return input;
}

/** The cursor in an input stays where it is when its own change comes back. */
function updateInput(input: HTMLInputElement, value: string, isReadOnly: boolean): void {
  if (input.value !== value) input.value = value;
  input.readOnly = isReadOnly;
}

/** A view whose inputs are the browser's, and whose other events ProseMirror handles. */
const createView = (
  node: Node,
  dom: HTMLElement,
  update: (node: Node) => void,
  rest: Partial<NodeView> = {},
): NodeView => {
  update(node);
  return {
    dom,
    update: (next) => {
      if (next.type !== node.type) return false;
      update(next);
      return true;
    },
    stopEvent: ({ target }) => target instanceof HTMLElement && target.matches("input, summary"),
    ignoreMutation: (mutation) =>
      mutation.type === "selection" ? false : !rest.contentDOM?.contains(mutation.target as globalThis.Node),
    ...rest,
  };
};

const toText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Looks like a heading: those of content are none of the page's own. */
const heading: NodeViewConstructor = (node) => {
  const dom = element("p", { class: `heading-${node.attrs.level}` });
  const update = (next: Node): boolean => next.type === node.type && next.attrs.level === node.attrs.level;
  return { dom, contentDOM: dom, update };
};

const image: NodeViewConstructor = (node, view, getPosition) => {
  const img = element("img", { class: "block-img" });
  const setText = (key: string) => (current: Node, text: string) => ({
    image: { ...current.attrs.image, [key]: text === "" ? null : text },
  });
  const alternative = attributeInput(view, getPosition, "Alternative text", setText("alternativeText"));
  const caption = attributeInput(view, getPosition, "Caption", setText("caption"));
  const dom = element("figure", { class: "block-image" }, img, element("div", {}, alternative, caption));
  dom.contentEditable = "false";
  return createView(node, dom, ({ attrs }) => {
    const target = linkTarget(attrs.image.url);
    const url = target && siteUrl(target);
    if (url !== undefined && img.getAttribute("src") !== url) img.src = url;
    img.alt = toText(attrs.image.alternativeText);
    updateInput(alternative, toText(attrs.image.alternativeText), !view.editable);
    updateInput(caption, toText(attrs.image.caption), !view.editable);
  });
};

const code: NodeViewConstructor = (node, view, getPosition) => {
  const language = attributeInput(view, getPosition, "Language", (_node, text) => ({ language: text || null }));
  const listId = uniqueId("languages");
  language.setAttribute("list", listId);
  const list = element("datalist", { id: listId }, ...LANGUAGES.map((name) => element("option", { value: name })));
  const head = element("div", { class: "block-language" }, language, list);
  head.contentEditable = "false";
  const contentDOM = element("code", { spellcheck: "false" });
  const dom = element("div", { class: "block-code" }, head, element("pre", {}, contentDOM));
  return createView(node, dom, ({ attrs }) => updateInput(language, toText(attrs.language), !view.editable), {
    contentDOM,
  });
};

const isInList = (view: EditorView, getPosition: Position): boolean =>
  view.state.doc.resolve(getPosition() ?? 0).parent.type === nodes.list;

/** Lists have items only, in the page: what else is in one gets an item of its own. */
const wrapInItem = (dom: HTMLElement): HTMLElement => element("li", { class: "list-other" }, dom);

const list: NodeViewConstructor = (node, view, getPosition) => {
  const { format } = node.attrs;
  const contentDOM = element(format === "ordered" ? "ol" : "ul", { dir: "auto" });
  return {
    dom: isInList(view, getPosition) ? wrapInItem(contentDOM) : contentDOM,
    contentDOM,
    update: (next) => next.type === node.type && next.attrs.format === format,
  };
};

const unknownBlock: NodeViewConstructor = (node, view, getPosition) => {
  const json = element("pre");
  const title = element("summary");
  const details = element("details", { class: "block-unknown" }, title, json);
  const dom = isInList(view, getPosition) ? wrapInItem(details) : details;
  dom.contentEditable = "false";
  return createView(node, dom, ({ attrs: { source } }) => {
    const type = (source as { type?: unknown } | null)?.type;
    title.textContent = typeof type === "string" ? `${type}: kept unchanged` : "Kept unchanged";
    json.textContent = JSON.stringify(source, undefined, 2);
  });
};

const unknownInline: NodeViewConstructor = (node) => {
  const dom = element("span", { class: "inline-unknown" });
  return createView(node, dom, ({ attrs: { source } }) => {
    dom.textContent = JSON.stringify(source);
  });
};

export const nodeViews: Readonly<Record<string, NodeViewConstructor>> = {
  heading,
  image,
  list,
  code_block: code,
  unknown_block: unknownBlock,
  unknown_inline: unknownInline,
};
