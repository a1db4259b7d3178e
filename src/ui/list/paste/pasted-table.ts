/** Pasted text as a table: CSV, TSV as spreadsheets copy it, or CSV with semicolons. */
import { dsvFormat, tsvFormatRows } from "d3-dsv";
import { editableAttributes, isFixed } from "../../edit/form/values.ts";
import { type Attribute, type ContentType, findType, formatLabel } from "../../model.ts";

export interface PastedTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const DELIMITERS = ["\t", ";", ","] as const;

/** The one that the first line has most of; in a tie, the one that is less usual in texts. */
function detectDelimiter(text: string): string {
  const line = text.slice(0, text.search(/\r?\n|$/));
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** Undefined for what has no row below its first. */
export function readTable(text: string): PastedTable | undefined {
  const [header, ...rows] = dsvFormat(detectDelimiter(text.trimStart()))
    .parseRows(text.replace(/^\uFEFF/, ""))
    .filter((row) => row.some((cell) => cell.trim() !== ""));
  return header && rows.length > 0 ? { header: header.map((name) => name.trim()), rows } : undefined;
}

/** As spreadsheets copy it. */
export const writeTable = (rows: readonly (readonly string[])[]): string => tsvFormatRows(rows.map((row) => [...row]));

const isFromCell = ({ type, target }: Attribute): boolean => {
  if (type === "relation") return typeof target === "string" && findType(target) !== undefined;
  return type !== "component" && type !== "dynamiczone";
};

/** Attributes that a cell can fill. */
export const cellAttributes = ({ attributes }: ContentType): readonly string[] =>
  editableAttributes(attributes)
    .filter(([, attribute]) => isFromCell(attribute) && !isFixed(attribute))
    .map(([name]) => name);

const normalized = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** For each column the attribute that is called so, by its name or its label; each attribute once. */
export function matchColumns(type: ContentType, header: readonly string[]): readonly (string | undefined)[] {
  const names = cellAttributes(type);
  const taken = new Set<string>();
  return header.map((title) => {
    const name = names.find(
      (own) => normalized(own) === normalized(title) || normalized(formatLabel(own)) === normalized(title),
    );
    if (name === undefined || taken.has(name)) return undefined;
    taken.add(name);
    return name;
  });
}
