/** Tables of pasted HTML. Blocks have none: there a row is a paragraph. */
import type { Json } from "./read.ts";

/** The blocks of a cell, as they were read. */
export type HtmlCell = readonly unknown[];

export interface HtmlTable {
  readonly type: "table";
  /** Of cells, each a line of inline nodes. The last cells of a row may be missing. */
  readonly rows: readonly (readonly (readonly Json[])[])[];
}

/** Between the cells of a row, in a line of text. */
export const CELL_GAP = " | ";

const text = (value: string): Json => ({ type: "text", text: value });

const isText = ({ text }: Json): boolean => typeof text === "string";

function inOneLine(node: Json): Json {
  if (isText(node)) return { ...node, text: String(node.text).replaceAll("\n", " ") };
  return { ...node, children: (node.children as readonly Json[]).map(inOneLine) };
}

/** Inline nodes of each text in a block. */
const linesOf = ({ type, children }: Json): readonly (readonly Json[])[] =>
  type === "list" ? (children as readonly Json[]).flatMap(linesOf) : [children as readonly Json[]];

const joined = (lines: readonly (readonly Json[])[], gap: string): Json[] =>
  lines.flatMap((line, index) => (index > 0 ? [text(gap), ...line] : line));

const cellLine = (cell: HtmlCell): Json[] => joined((cell as readonly Json[]).flatMap(linesOf), " ").map(inOneLine);

/** What a table is to a reader: one of a single column, or `isLayout`, has the blocks of its cells one below the other. */
export function createTable(rows: readonly (readonly HtmlCell[])[], isLayout: boolean): readonly unknown[] {
  if (isLayout || rows.every(({ length }) => length < 2)) return rows.flat(2);
  const lines = rows.map((cells) => {
    const last = cells.findLastIndex(({ length }) => length > 0);
    return cells.slice(0, last + 1).map(cellLine);
  });
  return [{ type: "table", rows: lines.filter(({ length }) => length > 0) } satisfies HtmlTable];
}

export const isTable = (block: unknown): block is HtmlTable => (block as Json).type === "table";

export const rowParagraphs = ({ rows }: HtmlTable): Json[] =>
  rows.map((cells) => ({ type: "paragraph", children: joined(cells, CELL_GAP) }));
