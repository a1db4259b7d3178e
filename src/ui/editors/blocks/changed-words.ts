/** Marks the words of a document that another version of it does not have. */
import type { Node } from "prosemirror-model";
import { Plugin } from "prosemirror-state";
import { Decoration, DecorationSet } from "prosemirror-view";
import { changedParts } from "../../widgets/word-diff.ts";
import { readBlocks } from "./read.ts";

/** Between blocks, and in place of what is not text. */
const BREAK = "\n";

/** The text with a break after each block, and the position of each of its characters in the document. */
function textOf(doc: Node): { readonly text: string; readonly positions: readonly number[] } {
  const parts: string[] = [];
  const positions: number[] = [];
  const add = (text: string, from: number): void => {
    parts.push(text);
    for (let index = 0; index < text.length; index++) positions.push(from + index);
  };
  doc.descendants((node, position) => {
    if (node.isText) add(node.text!, position);
    else if (node.isLeaf || node.isTextblock) add(BREAK, position);
  });
  return { text: parts.join(""), positions };
}

function decorations(doc: Node, other: Node, mark: "ins" | "del"): DecorationSet {
  const { text, positions } = textOf(doc);
  let offset = 0;
  const found = changedParts(text, textOf(other).text).flatMap((part) => {
    const start = offset;
    offset += part.text.length;
    if (!part.isChanged) return [];
    const first = positions[start]!;
    const end = positions[offset - 1]! + 1;
    return [Decoration.inline(first, end, { nodeName: mark })];
  });
  return DecorationSet.create(doc, found);
}

/** `other`: the value of the other version. */
export function changedWords(doc: Node, other: unknown, mark: "ins" | "del"): Plugin {
  const marked = decorations(doc, readBlocks(other), mark);
  return new Plugin({ props: { decorations: (state) => (state.doc === doc ? marked : null) } });
}
