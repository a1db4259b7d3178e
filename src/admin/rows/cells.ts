/** Parses cells of a table into values of attributes: one row for each type. */
import type { ScalarTypeName } from "../../engine/attributes/index.ts";
import type { ScalarAttribute } from "../../engine/schema/model.ts";
import { tryParseJson } from "../../lib/coerce.ts";

/** A cell whose text is not a valid value of its attribute. */
export class CellProblem extends Error {
  override readonly name = "CellProblem";
}

type ReadCell = (text: string, attribute: ScalarAttribute) => unknown;

const YES = new Set(["true", "yes", "y", "1", "x", "✓", "on"]);
const NO = new Set(["false", "no", "n", "0", "-", "off"]);

const asIs: ReadCell = (text) => text;

/** Also with a decimal comma, as in spreadsheets of many countries. Digits are not grouped. */
const number: ReadCell = (text) => {
  const plain = text.trim().replace(/^\+/, "").replace(",", ".");
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(plain)) throw new CellProblem(`"${text}" is not a number`);
  return Number(plain);
};

const wholeNumber: ReadCell = (text) => {
  if (!/^[+-]?\d+$/.test(text.trim())) throw new CellProblem(`"${text}" is not a whole number`);
  return text.trim().replace(/^\+/, "");
};

const boolean: ReadCell = (text) => {
  const word = text.trim().toLowerCase();
  if (YES.has(word)) return true;
  if (NO.has(word)) return false;
  throw new CellProblem(`"${text}" is neither yes nor no`);
};

/** `2026-11-22`, `2026/11/22` and `22.11.2026`. `11/22/2026` and `22/11/2026` are refused as ambiguous. */
const date: ReadCell = (text) => {
  const [, year, month, day] = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(text.trim()) ?? [];
  if (year) return [year, month!.padStart(2, "0"), day!.padStart(2, "0")].join("-");
  const [, ownDay, ownMonth, ownYear] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text.trim()) ?? [];
  if (ownYear) return [ownYear, ownMonth!.padStart(2, "0"), ownDay!.padStart(2, "0")].join("-");
  throw new CellProblem(`"${text}" is not a date such as 2026-11-22`);
};

const time: ReadCell = (text) => {
  const [, hours, minutes, seconds = "00", rest = ""] =
    /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,3})?)?$/.exec(text.trim()) ?? [];
  if (!hours) throw new CellProblem(`"${text}" is not a time such as 09:30`);
  return `${hours.padStart(2, "0")}:${minutes}:${seconds}${rest}`;
};

const dateTime: ReadCell = (text) => {
  if (!/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(text.trim()))
    throw new CellProblem(`"${text}" is not a date and time such as 2026-11-22 09:30`);
  return text.trim().replace(" ", "T");
};

const enumValue: ReadCell = (text, { definition }) => {
  const values = (definition.enum ?? []) as readonly string[];
  const word = text.trim();
  return (
    values.find((value) => value === word) ?? values.find((value) => value.toLowerCase() === word.toLowerCase()) ?? word
  );
};

const json: ReadCell = (text) => {
  const value = tryParseJson(text);
  if (value === undefined) throw new CellProblem("This is not valid JSON");
  return value;
};

const blocks: ReadCell = (text) =>
  text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => ({ type: "paragraph", children: [{ type: "text", text: line }] }));

const trimmed: ReadCell = (text) => text.trim();

const readers: Readonly<Record<ScalarTypeName, ReadCell>> = {
  string: asIs,
  text: asIs,
  richtext: asIs,
  blocks,
  email: trimmed,
  password: asIs,
  uid: trimmed,
  integer: (text, attribute) => Number(wholeNumber(text, attribute)),
  biginteger: wholeNumber,
  float: number,
  decimal: number,
  boolean,
  date,
  time,
  datetime: dateTime,
  timestamp: dateTime,
  json,
  enumeration: enumValue,
};

/** Undefined for an empty cell. Throws a CellProblem. */
export const readCell: ReadCell = (text, attribute) =>
  text.trim() === "" ? undefined : readers[attribute.type.name as ScalarTypeName](text, attribute);
