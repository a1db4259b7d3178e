/**
 * Blocks as JSON to a ProseMirror document. What does not have the shape of a block becomes a node of its own
 * (`unknown_block`, `unknown_inline`), which can be moved and removed but not edited.
 */
import { Fragment, type Mark, type Node } from "prosemirror-model";
import { isSameBlock, withParts } from "./parts.ts";
import { marks, nodes, STYLES, schema } from "./schema.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Lists nested deeper are shown as they are. */
const MAX_LIST_DEPTH = 20;

export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The node that each object was parsed to, to detect changes. */
const readNodes = new WeakMap<object, Node>();

const unknownBlock = (source: unknown): Node => nodes.unknown_block.create({ source });
const unknownInline = (source: unknown, outer: readonly Mark[]): Node[] => [
  nodes.unknown_inline.create({ source }, null, outer),
];

/** Text with line breaks as nodes, unless it is in code. */
function textNodes(text: string, all: readonly Mark[], isCode: boolean): Node[] {
  if (isCode) return text === "" ? [] : [schema.text(text, all)];
  return text.split("\n").flatMap((line, index) => {
    const found = line === "" ? [] : [schema.text(line, all)];
    return index === 0 ? found : [nodes.line_break.create(null, null, all), ...found];
  });
}

function readText(node: Json, outer: readonly Mark[], isCode: boolean): Node[] {
  const { type: _, text, ...rest } = node;
  if (typeof text !== "string") return unknownInline(node, outer);
  const styles = STYLES.filter((style) => rest[style] === true);
  const extra = Object.entries(rest).filter(([key, value]) => !(value === true && STYLES.includes(key as never)));
  if (text === "" && extra.length > 0) return unknownInline(node, outer);
  const all = [
    ...outer,
    ...styles.map((style) => marks[style].create()),
    ...(extra.length > 0 ? [marks.extra.create({ keys: Object.fromEntries(extra) })] : []),
  ];
  return textNodes(text, all, isCode);
}

function readInline(node: unknown, isCode: boolean): Node[] {
  if (!isRecord(node)) return unknownInline(node, []);
  if (node.type === "text") return readText(node, [], isCode);
  const { type, url, children } = node;
  if (type !== "link" || isCode || typeof url !== "string" || !Array.isArray(children)) return unknownInline(node, []);
  const link = [marks.link.create({ url, source: node })];
  return children.flatMap((child: unknown) =>
    isRecord(child) && child.type === "text" ? readText(child, link, false) : unknownInline(child, link),
  );
}

const readInlines = (children: readonly unknown[], isCode = false): Fragment =>
  Fragment.fromArray(joinText(children.flatMap((child) => readInline(child, isCode))));

/** Joins neighbours with equal marks, as ProseMirror requires. */
function joinText(found: readonly Node[]): Node[] {
  const joined: Node[] = [];
  for (const node of found) {
    const last = joined.at(-1);
    if (last?.isText && node.isText && last.sameMarkup(node)) {
      joined[joined.length - 1] = schema.text(`${last.text}${node.text}`, node.marks);
    } else joined.push(node);
  }
  return joined;
}

type Reader = (source: Json, children: readonly unknown[], depth: number) => Node | undefined;

const isOptional = (value: unknown, type: "string" | "number"): boolean =>
  value === undefined || value === null || typeof value === type;

const readers: Readonly<Record<string, Reader>> = {
  paragraph: (source, children) => nodes.paragraph.create({ source }, readInlines(children)),
  quote: (source, children) => nodes.quote.create({ source }, readInlines(children)),
  heading: (source, children) =>
    [1, 2, 3, 4, 5, 6].includes(source.level as number)
      ? nodes.heading.create({ source, level: source.level }, readInlines(children))
      : undefined,
  code: (source, children) =>
    isOptional(source.language, "string")
      ? nodes.code_block.create({ source, language: source.language ?? null }, readInlines(children, true))
      : undefined,
  image: (source) =>
    isRecord(source.image) && typeof source.image.url === "string"
      ? nodes.image.create({ source, image: source.image })
      : undefined,
  list: (source, children, depth) => {
    const { format, indentLevel } = source;
    const isValid = (format === "ordered" || format === "unordered") && isOptional(indentLevel, "number");
    if (!isValid || children.length === 0 || depth > MAX_LIST_DEPTH) return undefined;
    const attributes = { source, format, indentLevel: indentLevel ?? null };
    return nodes.list.create(
      attributes,
      children.map((child) => readNode(child, itemReaders, depth + 1)),
    );
  },
};

const itemReaders: Readonly<Record<string, Reader>> = {
  list: readers.list!,
  "list-item": (source, children) => nodes.list_item.create({ source }, readInlines(children)),
};

function readNode(source: unknown, byType: Readonly<Record<string, Reader>>, depth: number): Node {
  if (!isRecord(source)) return unknownBlock(source);
  const { type, children } = source;
  const read = typeof type === "string" && Object.hasOwn(byType, type) ? byType[type] : undefined;
  const node = (Array.isArray(children) ? read?.(source, children, depth) : undefined) ?? unknownBlock(source);
  readNodes.set(source, node);
  return node;
}

export const readBlock = (source: unknown): Node => readNode(source, readers, 0);

/** A document always has a block, so that there is a place for the cursor. */
export function readBlocks(value: unknown): Node {
  const list = value === null || value === undefined ? [] : Array.isArray(value) ? value : [value];
  return nodes.doc.create(null, list.length > 0 ? withParts(list.map(readBlock)) : [nodes.paragraph.create()]);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Whether the node is still what its `source` was read as. */
export function isUnchanged(node: Node): boolean {
  const { source } = node.attrs;
  const read = isObject(source) ? readNodes.get(source) : undefined;
  return read !== undefined && isSameBlock(read, node);
}
