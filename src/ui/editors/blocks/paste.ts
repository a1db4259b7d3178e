/** What is pasted or dropped, as a slice of a document. None of it goes through the DOM. */
import { Fragment, type Node, Slice } from "prosemirror-model";
import type { EditorState, Transaction } from "prosemirror-state";
import type { PastedHtml } from "./html.ts";
import { converted } from "./lines.ts";
import { linkTarget } from "./link-target.ts";
import { canLink, linkAt, linkedText, setLink } from "./links.ts";
import { isRecord, readBlock } from "./read.ts";
import { nodes, schema } from "./schema.ts";
import { writeBlocks } from "./write.ts";

/** The clipboard's type for blocks as they are, between editors, tabs and windows. */
export const BLOCKS_TYPE = "application/x-galley-blocks";

export function sliceToJson({ content, openStart, openEnd }: Slice): string {
  return JSON.stringify({ blocks: writeBlocks(nodes.doc.create(null, content)), openStart, openEnd });
}

const depthWithin = (value: unknown, max: number): number =>
  typeof value === "number" && value >= 0 ? Math.min(value, max) : 0;

/** Undefined for what is no such JSON: any page can write into the clipboard. */
export function sliceFromJson(json: string): Slice | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !Array.isArray(value.blocks) || value.blocks.length === 0) return undefined;
  const { content, openStart, openEnd } = Slice.maxOpen(Fragment.from(value.blocks.map(readBlock)));
  return new Slice(content, depthWithin(value.openStart, openStart), depthWithin(value.openEnd, openEnd));
}

/** Paragraphs and lists that come into a list become items of it. */
function toListItems(blocks: readonly Node[]): Node[] | undefined {
  const items = blocks.flatMap((block) => {
    if (block.type === nodes.paragraph) return [converted(block, nodes.list_item)];
    return block.type === nodes.list ? [...block.children] : [undefined];
  });
  return items.every((item) => item !== undefined) ? items : undefined;
}

const openDepth = (node: Node | undefined): number =>
  node?.type === nodes.paragraph || node?.type === nodes.list_item ? 1 : 0;

/** Text at both ends joins the text around it; other blocks stay blocks. */
function createSlice(blocks: readonly Node[], { selection: { $from } }: EditorState): Slice {
  const isInList = $from.parent.type === nodes.list_item;
  const content = (isInList ? toListItems(blocks) : undefined) ?? blocks;
  return new Slice(Fragment.from(content), openDepth(content[0]), openDepth(content.at(-1)));
}

/** As if it had been written here: what HTML was read as is not anybody's JSON. */
function withoutSource(node: Node): Node {
  const ownMarks = node.marks.map(({ type, attrs }) =>
    type.create("source" in attrs ? { ...attrs, source: null } : attrs),
  );
  if (node.isText) return node.mark(ownMarks);
  return node.type.create({ ...node.attrs, source: null }, node.children.map(withoutSource), ownMarks);
}

export const sliceFromHtml = ({ blocks }: PastedHtml, state: EditorState): Slice =>
  createSlice(blocks.map(readBlock).map(withoutSource), state);

/** A paragraph for each line, with links for URLs. */
export function sliceFromText(text: string, state: EditorState): Slice {
  const { $from } = state.selection;
  if ($from.parent.type.spec.code) {
    return new Slice(Fragment.from(schema.text(text.replace(/\r\n?/g, "\n"))), 0, 0);
  }
  const paragraphs = text
    .split(/(?:\r\n?|\n)+/)
    .map((line) => nodes.paragraph.create(null, linkedText(line, $from.marks())));
  return createSlice(paragraphs, state);
}

/** A URL that is pasted over text becomes its link, elsewhere a link of its own; in a link it is text. */
export function linkSelection(text: string, state: EditorState): Transaction | undefined {
  const url = /^\w+:\S+$/.test(text) ? linkTarget(text) : undefined;
  const isInLink = state.selection.empty && linkAt(state) !== undefined;
  return url === undefined || isInLink || !canLink(state) ? undefined : setLink(state, url);
}
