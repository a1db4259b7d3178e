/**
 * Changes a YAML text where two values differ, and leaves all other bytes: comments, order, quotes, empty lines. Works on the ranges of
 * keys and entries, at any depth.
 */
import type { Pair, ParsedNode, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { isRecord } from "../../lib/is-record.ts";
import type { Json } from "../archive/shapes.ts";
import { ContentFileError } from "./file-error.ts";
import {
  listKeys,
  printEntry,
  printFlow,
  printLooseFlow,
  printMapping,
  printPair,
  type printValue,
  printValueOf,
} from "./yaml-print.ts";
import { loadYaml, parseDocument } from "./yaml-slow.ts";

interface Edit {
  readonly start: number;
  readonly end: number;
  /** With LF as line ends. */
  readonly text: string;
  /** New lines, which may follow lines that are removed. */
  readonly isInsertion?: true;
}

type MapNode = YAMLMap.Parsed;
type MapPair = Pair<ParsedNode, ParsedNode | null>;

const LAST_EMPTY_LINES = /(?:\r?\n)*$/;
const FIRST_EMPTY_LINES = /^(?:[ \t]*\r?\n)*/;
const COMMENT = /^[ \t]+#[^\r\n]*/;
/** A comment behind a key or behind the header of a block text. */
const HEADER_COMMENT = /^[ \t]*?(?:[|>][-+\d]*)?([ \t]+#[^\r\n]*)/;

const isSame = (a: unknown, b: unknown): boolean => Bun.deepEquals(a, b);

class Editor {
  readonly #text: string;
  readonly #yaml = loadYaml();

  constructor(text: string) {
    this.#text = text;
  }

  #lineStart(position: number): number {
    return this.#text.lastIndexOf("\n", position - 1) + 1;
  }

  /** The end of a line, before its line end. */
  #lineEnd(position: number): number {
    const newline = this.#text.indexOf("\n", position);
    if (newline === -1) return this.#text.length;
    return newline > position && this.#text[newline - 1] === "\r" ? newline - 1 : newline;
  }

  /** The start of the line after a position. */
  #nextLine(position: number): number {
    const newline = this.#text.indexOf("\n", position);
    return newline === -1 ? this.#text.length : newline + 1;
  }

  /** The column of a position that is the first of its line; undefined if something stands before it. */
  #findColumn(position: number): number | undefined {
    const start = this.#lineStart(position);
    return /^ *$/.test(this.#text.slice(start, position)) ? position - start : undefined;
  }

  #isBlockCollection(node: ParsedNode | null): node is MapNode | YAMLSeq.Parsed {
    return this.#yaml.isCollection(node) && node.flow !== true && node.items.length > 0 && node.anchor === undefined;
  }

  #findEnd(node: ParsedNode): number {
    if (this.#isBlockCollection(node)) {
      const last = node.items.at(-1)!;
      return this.#yaml.isPair(last) ? this.#endOfPair(last) : this.#findEnd(last);
    }
    const [start, end] = node.range;
    const type = (node as Scalar).type;
    if (type !== "BLOCK_LITERAL" && type !== "BLOCK_FOLDED") return end;
    const source = this.#text.slice(start, end);
    if (!/^.[-\d]*\+/.test(source)) return start + source.search(LAST_EMPTY_LINES);
    return source.endsWith("\n") ? end - (source.endsWith("\r\n") ? 2 : 1) : end;
  }

  #endOfPair(pair: MapPair): number {
    return pair.value === null ? pair.key.range[1] : this.#findEnd(pair.value);
  }

  #put(start: number, end: number, printed: string): Edit {
    if (!printed.endsWith("\n")) return { start, end, text: printed };
    return { start, end: this.#nextLine(end), text: `${printed}\n` };
  }

  #insertLines(position: number, lines: string): Edit {
    const start = this.#nextLine(position);
    return { start, end: start, text: `${lines}\n`, isInsertion: true };
  }

  /** The edit that removes all lines of a key or an entry. Of empty lines on both sides, those on one stay. */
  #removeLines(start: number, last: number): Edit {
    const first = this.#lineStart(start);
    const end = this.#nextLine(last);
    const isBehindEmptyLine = first > 0 && /^[ \t]*\r?\n$/.test(this.#text.slice(this.#lineStart(first - 1), first));
    const empty = isBehindEmptyLine ? FIRST_EMPTY_LINES.exec(this.#text.slice(end))![0].length : 0;
    return { start: first, end: end + empty, text: "" };
  }

  /** `start`: behind `:` or `-`. `printed`: as `printValue` returns it. */
  #replace(start: number, node: ParsedNode, printed: string): Edit {
    const end = Math.max(start, this.#findEnd(node));
    const lineEnd = this.#lineEnd(start);
    const [first] = printed.split("\n", 1) as [string];
    if (end > lineEnd) {
      const comment = HEADER_COMMENT.exec(this.#text.slice(start, lineEnd))?.[1] ?? "";
      return this.#put(start, end, `${first}${comment}${printed.slice(first.length)}`);
    }
    if (first === printed) return { start, end, text: printed };
    const comment = COMMENT.exec(this.#text.slice(end, lineEnd))?.[0] ?? "";
    return this.#put(start, end + comment.length, `${first}${comment}${printed.slice(first.length)}`);
  }

  /** `start`: behind `:` or `-`, at a column. Edits the parts of a value, or replaces all of it. */
  #editValue(
    start: number,
    node: ParsedNode,
    before: unknown,
    after: unknown,
    column: number,
    print: typeof printValue,
  ): readonly Edit[] {
    if (this.#yaml.isMap(node) && isRecord(before) && isRecord(after)) {
      const edits = this.#editMapping(node, before, after);
      if (edits !== undefined) return edits;
    }
    if (this.#yaml.isSeq(node) && Array.isArray(before) && Array.isArray(after)) {
      const edits = this.#editList(node, before, after);
      if (edits !== undefined) return edits;
    }
    const isFlow = this.#yaml.isCollection(node) && node.flow === true && node.items.length > 0;
    if (!isFlow || typeof after !== "object") return [this.#replace(start, node, print(after, column))];
    const isJson = /^.\s*["{[]/.test(this.#text.slice(node.range[0]));
    return [this.#replace(start, node, ` ${(isJson ? printFlow : printLooseFlow)(after)}`)];
  }

  editRoot(map: MapNode, before: Json, after: Json): readonly Edit[] {
    const start = map.range[0];
    const whole = { start, end: this.#findEnd(map), text: printMapping(after, 0) || "{}" };
    return this.#editMapping(map, before, after) ?? [whole];
  }

  /** Undefined if the mapping can only be replaced as a whole. */
  #editMapping(map: MapNode, before: Json, after: Json): readonly Edit[] | undefined {
    const order = listKeys(after);
    if (!this.#isBlockCollection(map) || order.length === 0) return undefined;
    const kept = new Set(order);
    const readKey = (pair: Pair): string => String((pair.key as Scalar).value);
    const isKept = (pair: Pair): boolean => kept.has(readKey(pair)) || !Object.hasOwn(before, readKey(pair));
    const pairs = new Map<string, MapPair>();
    for (const pair of map.items) {
      if (!this.#yaml.isScalar(pair.key)) return undefined;
      pairs.set(readKey(pair), pair);
    }
    const keyStart = (pair: MapPair): number => pair.key.range[0];
    const first = map.items[0] as MapPair;
    const column = keyStart(first) - this.#lineStart(keyStart(first));
    const edits: Edit[] = [];
    const firstKept = map.items.findIndex(isKept);
    if (firstKept === -1) return undefined;
    // behind a `-` its first key has no line of its own
    const isCompact = this.#findColumn(keyStart(first)) === undefined && firstKept > 0;
    if (isCompact) edits.push({ start: keyStart(first), end: keyStart(map.items[firstKept] as MapPair), text: "" });
    for (const pair of map.items.slice(isCompact ? firstKept : 0) as MapPair[]) {
      if (!isKept(pair)) edits.push(this.#removeLines(keyStart(pair), this.#endOfPair(pair)));
    }
    let previous: MapPair | undefined;
    for (const key of order) {
      const pair = pairs.get(key);
      if (pair === undefined) {
        const neighbour = key === "$locales" ? map.items.findLast(isKept) : previous;
        edits.push(this.#insertPair(key, after[key], column, neighbour, first));
        continue;
      }
      previous = pair;
      if (isSame(before[key], after[key])) continue;
      if (pair.value === null) return undefined;
      const start = this.#text.indexOf(":", pair.key.range[1]) + 1;
      const print: typeof printValue = (value, at) => printValueOf(key, value, at);
      edits.push(...this.#editValue(start, pair.value, before[key], after[key], column, print));
    }
    return edits;
  }

  #insertPair(key: string, value: unknown, column: number, previous: MapPair | undefined, first: MapPair): Edit {
    const printed = printPair(key, value, column);
    if (previous !== undefined) return this.#insertLines(this.#endOfPair(previous), printed);
    let start = first.key.range[0];
    if (this.#findColumn(start) === undefined) {
      return { start, end: start, text: `${printed.trimStart()}\n${" ".repeat(column)}` };
    }
    start = this.#lineStart(start);
    // above the comment of the first key
    while (start > 0 && /^[ \t]*#/.test(this.#text.slice(this.#lineStart(start - 1), start))) {
      start = this.#lineStart(start - 1);
    }
    return { start, end: start, text: `${printed}\n` };
  }

  /** Undefined if the list can only be replaced as a whole. Entries are compared from both ends, and those between one by one. */
  #editList(list: YAMLSeq.Parsed, before: readonly unknown[], after: readonly unknown[]): readonly Edit[] | undefined {
    const items = list.items as readonly ParsedNode[];
    if (!this.#isBlockCollection(list) || after.length === 0 || items.length !== before.length) return undefined;
    const dashes = items.map((item) => {
      let position = item.range[0] - 1;
      while (/\s/.test(this.#text[position] ?? "")) position--;
      return position;
    });
    const column = this.#findColumn(dashes[0]!);
    if (column === undefined || dashes.some((dash) => this.#text[dash] !== "-" || this.#findColumn(dash) !== column)) {
      return undefined;
    }
    const shorter = Math.min(before.length, after.length);
    let head = 0;
    while (head < shorter && isSame(before[head], after[head])) head++;
    let tail = 0;
    while (tail < shorter - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail++;
    const both = shorter - tail;
    const edits: Edit[] = [];
    for (let at = head; at < both; at++) {
      edits.push(...this.#editValue(dashes[at]! + 1, items[at]!, before[at], after[at], column, printEntry));
    }
    for (let at = both; at < before.length - tail; at++) {
      edits.push(this.#removeLines(dashes[at]!, this.#findEnd(items[at]!)));
    }
    for (const value of after.slice(both, after.length - tail)) {
      const line = `${" ".repeat(column)}-${printEntry(value, column)}`;
      if (both === 0) {
        const start = this.#lineStart(dashes[0]!);
        edits.push({ start, end: start, text: `${line}\n` });
      } else {
        edits.push(this.#insertLines(this.#findEnd(items[both - 1]!), line));
      }
    }
    return edits;
  }
}

/** Undefined for a text that the fast parser reads and this one refuses. */
function readNodes(text: string): ParsedNode | null | undefined {
  try {
    return parseDocument(text, 1).contents;
  } catch (error) {
    if (error instanceof ContentFileError) return undefined;
    throw error;
  }
}

/**
 * The text with the differences of two values applied; undefined if it can only be printed anew. The caller must read the
 * result again and compare it: aliases and merge keys are not followed. `text`: ends with a line end. `lineEnd`: of new lines.
 */
export function editYaml(text: string, before: Json, after: Json, lineEnd: string): string | undefined {
  const map = readNodes(text);
  if (!loadYaml().isMap(map)) return undefined;
  const edits = new Editor(text).editRoot(map, before, after);
  const sorted = edits.toSorted((a, b) => a.start - b.start || Number(a.text === "") - Number(b.text === ""));
  let edited = "";
  let position = 0;
  // behind a text that ends with empty lines others would become part of it
  let dropsEmptyLines = false;
  const keepUntil = (end: number): void => {
    const kept = text.slice(position, end);
    edited += dropsEmptyLines ? kept.replace(FIRST_EMPTY_LINES, "") : kept;
    if (kept.trim() !== "") dropsEmptyLines = false;
  };
  for (const { start, end, text: replacement, isInsertion } of sorted) {
    // an edit within another one
    if (start < position && !isInsertion) return undefined;
    keepUntil(start);
    edited += replacement.replaceAll("\n", lineEnd);
    if (replacement !== "") dropsEmptyLines = replacement.endsWith("\n\n");
    position = Math.max(position, end);
  }
  keepUntil(text.length);
  return edited;
}
