/** Images of the media library as blocks. */
import type { Node } from "prosemirror-model";
import type { EditorState, Transaction } from "prosemirror-state";
import type { MediaFile } from "../editor.ts";
import { nodes } from "./schema.ts";

/** The keys of a file that an image block stores. */
const KEYS = [
  "name",
  "alternativeText",
  "url",
  "caption",
  "width",
  "height",
  "formats",
  "hash",
  "ext",
  "mime",
  "size",
  "previewUrl",
  "provider",
  "createdAt",
  "updatedAt",
] as const;

const imageBlock = (file: MediaFile): Node =>
  nodes.image.create({
    image: Object.fromEntries(KEYS.filter((key) => Object.hasOwn(file, key)).map((key) => [key, file[key]])),
  });

/** After the block with the cursor, or in its place if it has no text. */
export function insertImages({ tr, selection, doc }: EditorState, files: readonly MediaFile[]): Transaction {
  if (files.length === 0) return tr;
  const index = Math.min(selection.$to.index(0), doc.childCount - 1);
  const block = doc.child(index);
  const end = doc.children.slice(0, index + 1).reduce((sum, node) => sum + node.nodeSize, 0);
  const isReplaced = block.type === nodes.paragraph && block.content.size === 0;
  return tr.replaceWith(isReplaced ? end - block.nodeSize : end, end, files.map(imageBlock)).scrollIntoView();
}
