/**
 * Converts HTML of the clipboard to blocks. The parser creates no elements, so that nothing is executed, loaded or
 * rendered: only text, and the structure that blocks have, are left.
 */
import { Parser } from "htmlparser2";
import {
  type Attributes,
  type Context,
  createContext,
  isBlock,
  isOwnBlock,
  isWordMarker,
  ROOT_CONTEXT,
  SKIPPED,
  type WordItem,
  wordItem,
} from "./html-elements.ts";
import { CELL_GAP, createTable, type HtmlCell, isTable, rowParagraphs } from "./html-tables.ts";
import type { Json } from "./read.ts";

/** In characters. Longer HTML is pasted as plain text, since parsing it would block the page. */
const MAX_HTML = 2_000_000;
/** The parser's time for an element grows with the depth. */
const MAX_DEPTH = 1_000;
const CHUNK = 16_384;

/** Columns that cells span beside their own, in all of the HTML. */
const MAX_SPANNED = 10_000;

/** Lists nested deeper are items of the one around them. */
const MAX_LIST_DEPTH = 10;

interface TextBlock {
  readonly children: Record<string, unknown>[];
  readonly isCode: boolean;
}

interface List {
  readonly format: "ordered" | "unordered";
  readonly children: Json[];
  readonly level: number;
}

interface OpenTable {
  readonly rows: HtmlCell[][];
  /** Around another table it is a layout. */
  isLayout: boolean;
  /** The open cell: where its blocks begin, and how many columns it has. */
  cell: { readonly start: number; readonly span: number } | undefined;
}

class BlocksBuilder {
  readonly blocks: unknown[] = [];
  /** Whether nothing but text and styles has been found. */
  isInline = true;
  hasImages = false;
  readonly #contexts: Context[] = [ROOT_CONTEXT];
  readonly #lists: List[] = [];
  /** The paragraph of Word that is an item, with what stands before its text. */
  #wordItem: (WordItem & { marker: string }) | undefined;
  /** The lists that the last paragraphs of Word are items of, the outermost first. */
  readonly #wordLists: List[] = [];
  /** Undefined: one in an item of a list, whose cells are text of it. */
  readonly #tables: (OpenTable | undefined)[] = [];
  #spanned = 0;
  #skipped = 0;
  #text: TextBlock | undefined;
  /** A break that is written if more text follows. */
  #pendingBreak = false;
  #language: string | undefined;

  get depth(): number {
    return this.#contexts.length + this.#skipped;
  }

  open(tag: string, attributes: Attributes): void {
    if (this.#skipped > 0 || SKIPPED.has(tag) || isWordMarker(attributes)) {
      this.#skipped++;
      return;
    }
    this.#contexts.push(createContext(this.#context, tag, attributes));
    if (tag === "img") this.hasImages = true;
    if (tag === "br") this.#break();
    else if (tag === "td" || tag === "th") this.#openCell(attributes.colspan);
    else if (tag === "table") this.#openTable();
    else if (tag === "ul" || tag === "ol") this.#openList(tag);
    else if (tag === "li") this.#boundary(true);
    else if (isBlock(tag)) {
      this.#boundary(isOwnBlock(tag));
      const item = wordItem(attributes);
      this.#wordItem = item && { ...item, marker: "" };
      if (tag === "tr") this.#tables.at(-1)?.rows.push([]);
    }
    const language = /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/.exec(attributes.class ?? "")?.[1];
    if (language && this.#context.isPre) this.#language = language;
  }

  close(tag: string): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    if (tag === "ul" || tag === "ol") {
      this.#boundary(true);
      this.#lists.pop();
    } else if (tag === "li") this.#boundary(true);
    else if (tag === "td" || tag === "th") this.#closeCell();
    else if (tag === "table") this.#closeTable();
    else if (isBlock(tag)) {
      this.#boundary(isOwnBlock(tag));
      this.#wordItem = undefined;
    }
    if (tag === "pre") this.#language = undefined;
    if (this.#contexts.length > 1) this.#contexts.pop();
  }

  text(data: string): void {
    if (this.#skipped > 0) {
      if (this.#wordItem) this.#wordItem.marker += data;
      return;
    }
    const { isPre } = this.#context;
    const collapsed = isPre ? data.replace(/\r\n?/g, "\n") : data.replace(/[ \t\n\f\r]+/g, " ");
    const isBlank = isPre ? collapsed === "\n" && this.#pendingBreak : collapsed === " ";
    if (collapsed === "" || (isBlank && (!this.#text || this.#pendingBreak))) return;
    const block = this.#text ?? this.#startText();
    if (this.#pendingBreak) this.#append(block, "\n");
    this.#pendingBreak = false;
    const isLineStart = block.children.length === 0 || /[\s]$/.test(String(block.children.at(-1)!.text));
    this.#append(block, !isPre && isLineStart ? collapsed.replace(/^ /, "") : collapsed);
  }

  end(): void {
    this.#endText();
  }

  get #context(): Context {
    return this.#contexts.at(-1)!;
  }

  /** The beginning or end of an element that is a block, or of its own kind. */
  #boundary(isOwn: boolean): void {
    this.isInline = false;
    const { isPre, isQuote, isItem } = this.#context;
    const isWithin = this.#text !== undefined && !isOwn;
    // paragraphs in quotes and items are lines of them, and elements in code are
    if (isWithin && (isQuote || isItem || isPre)) this.#pendingBreak = true;
    else this.#endText();
  }

  #openList(tag: "ul" | "ol"): void {
    this.#boundary(true);
    const outer = this.#lists.at(-1);
    const level = outer ? outer.level + 1 : 0;
    if (outer && level > MAX_LIST_DEPTH) {
      this.#lists.push(outer);
      return;
    }
    this.#lists.push(this.#addList(outer, tag === "ol" ? "ordered" : "unordered"));
  }

  #addList(outer: List | undefined, format: List["format"]): List {
    const children: Json[] = [];
    const level = outer ? outer.level + 1 : 0;
    (outer?.children ?? this.blocks).push({
      type: "list",
      format,
      children,
      ...(level > 0 ? { indentLevel: level } : {}),
    });
    return { format, children, level };
  }

  /** The list that a paragraph of Word is an item of: the last one of its level, or a new one. */
  #wordList({ level, marker }: { readonly level: number; readonly marker: string }): List {
    const lists = this.#wordLists;
    const format = /^\s*[\p{L}\d]+[.)]/u.test(marker) ? "ordered" : "unordered";
    lists.splice(level + 1);
    if (lists[level] && lists[level].format !== format) lists.pop();
    while (lists.length <= level) lists.push(this.#addList(lists.at(-1), format));
    return lists[level]!;
  }

  #startText(): TextBlock {
    const children: Record<string, unknown>[] = [];
    const { heading, isPre, isQuote } = this.#context;
    if (!this.#wordItem) this.#wordLists.length = 0;
    const list = this.#wordItem ? this.#wordList(this.#wordItem) : this.#lists.at(-1);
    const block = list
      ? { type: "list-item", children }
      : isPre
        ? { type: "code", ...(this.#language ? { language: this.#language } : {}), children }
        : heading !== undefined
          ? { type: "heading", level: heading, children }
          : { type: isQuote ? "quote" : "paragraph", children };
    (list?.children ?? this.blocks).push(block);
    this.#text = { children, isCode: isPre && !list };
    return this.#text;
  }

  #endText(): void {
    const text = this.#text;
    this.#text = undefined;
    this.#pendingBreak = false;
    const last = text?.children.at(-1);
    if (last && typeof last.text === "string") {
      last.text = text!.isCode ? last.text.replace(/\n$/, "") : last.text.replace(/[ \n]+$/, "");
    }
  }

  #append({ children, isCode }: TextBlock, text: string): void {
    if (text === "") return;
    const { styles, link } = this.#context;
    const names = isCode ? [] : [...styles].sort();
    const node = { type: "text", text, ...Object.fromEntries(names.map((name) => [name, true])) };
    children.push(link !== undefined && !isCode ? { type: "link", url: link, children: [node] } : node);
  }

  #break(): void {
    if (this.#text && this.#context.isPre) this.#append(this.#text, "\n");
    else if (this.#text) {
      if (this.#pendingBreak) this.#append(this.#text, "\n");
      this.#pendingBreak = true;
    }
  }

  #openTable(): void {
    this.#boundary(false);
    const outer = this.#tables.at(-1);
    if (outer) outer.isLayout = true;
    this.#tables.push(this.#lists.length > 0 ? undefined : { rows: [], isLayout: false, cell: undefined });
  }

  #openCell(colspan: string | undefined): void {
    this.isInline = false;
    const table = this.#tables.at(-1);
    if (!table) {
      if (this.#text && !this.#pendingBreak) this.#append(this.#text, CELL_GAP);
      return;
    }
    this.#endCellText();
    table.cell = { start: this.blocks.length, span: Number(colspan) };
  }

  #endCellText(): void {
    this.#endText();
    this.#wordLists.length = 0;
  }

  #closeCell(): void {
    const table = this.#tables.at(-1);
    if (!table?.cell) return;
    this.#endCellText();
    const { start, span } = table.cell;
    table.cell = undefined;
    if (table.rows.length === 0) table.rows.push([]);
    const row = table.rows.at(-1)!;
    row.push(this.blocks.splice(start));
    for (let column = 1; column < span && this.#spanned < MAX_SPANNED; column++, this.#spanned++) row.push([]);
  }

  #closeTable(): void {
    const table = this.#tables.pop();
    if (!table) return this.#boundary(false);
    this.#endCellText();
    for (const block of createTable(table.rows, table.isLayout)) this.blocks.push(block);
  }
}

/** Lists and items without content are left out. */
function withContent(blocks: readonly unknown[]): unknown[] {
  return blocks.flatMap((block) => {
    const { type, children } = block as { type?: unknown; children?: unknown };
    if (type !== "list" || !Array.isArray(children)) return [block];
    const items = withContent(children);
    return items.length > 0 ? [{ ...(block as object), children: items }] : [];
  });
}

export interface PastedHtml {
  /** Those of Strapi, and tables. */
  readonly blocks: readonly unknown[];
  /** One line of text, which is no paragraph of its own. */
  readonly isInline: boolean;
  /** They are left out: images of blocks are files of the media library. */
  readonly hasImages: boolean;
}

/** Undefined for HTML that would take too long. */
export function readHtml(html: string): PastedHtml | undefined {
  if (html.length > MAX_HTML) return undefined;
  const builder = new BlocksBuilder();
  const parser = new Parser({
    onopentag: (tag, attributes) => builder.open(tag, attributes),
    onclosetag: (tag) => builder.close(tag),
    ontext: (data) => builder.text(data),
  });
  for (let start = 0; start < html.length; start += CHUNK) {
    if (builder.depth > MAX_DEPTH) return undefined;
    parser.write(html.slice(start, start + CHUNK));
  }
  parser.end();
  builder.end();
  const { blocks, isInline, hasImages } = builder;
  return { blocks: withContent(blocks), isInline, hasImages };
}

/** As `readHtml`, without tables. */
export function htmlBlocks(html: string): PastedHtml | undefined {
  const pasted = readHtml(html);
  return (
    pasted && { ...pasted, blocks: pasted.blocks.flatMap((block) => (isTable(block) ? rowParagraphs(block) : [block])) }
  );
}
