/**
 * Checks of `update-schema`. Unlike the other routes of the builder, Strapi names no place: a value of a wrong form makes its whole
 * entry an "Invalid input"; only rules of values of the right form have messages of their own.
 */
import { isRecord } from "../../lib/is-record.ts";

export interface Issue {
  readonly message: string;
  /** The value is of a wrong form. */
  readonly isForm: boolean;
}

export type Check = (value: unknown) => readonly Issue[];
type Rule<T> = (value: T) => string | undefined;

export const INVALID = "Invalid input";
export const WRONG_FORM: readonly Issue[] = [{ message: INVALID, isForm: true }];

const NONE: readonly Issue[] = [];

/** Values of a form that keep the rules. */
export const createCheck =
  <T>(fits: (value: unknown) => value is T, ...rules: readonly Rule<T>[]): Check =>
  (value) => {
    if (!fits(value)) return WRONG_FORM;
    return rules.flatMap((rule) => {
      const message = rule(value);
      return message === undefined ? [] : [{ message, isForm: false }];
    });
  };

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? NONE : check(value);

/** Undefined and null are accepted, too. */
export const nullish =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null ? NONE : check(value);

export const oneOf = (...names: readonly string[]): Check =>
  createCheck((value): value is string => typeof value === "string" && names.includes(value));

export const text = (...rules: readonly Rule<string>[]): Check => createCheck(isText, ...rules);
export const flag: Check = createCheck(isFlag);
export const number: Check = createCheck(isNumber);
export const integer: Check = createCheck(isInteger);
export const positive: Check = createCheck(isInteger, (value) =>
  value > 0 ? undefined : "Too small: expected number to be >0",
);
export const record: Check = createCheck(isRecord);

export const notEmpty: Rule<string> = (value) =>
  value === "" ? "Too small: expected string to have >=1 characters" : undefined;
export const matching =
  (pattern: RegExp, message = `Invalid string: must match pattern ${pattern}`): Rule<string> =>
  (value) =>
    pattern.test(value) ? undefined : message;

/** A list whose members pass a check, and that keeps the rules as a whole. */
export const createListCheck =
  (item: Check, ...rules: readonly Rule<unknown[]>[]): Check =>
  (value) =>
    isList(value) ? [...value.flatMap(item), ...createCheck(isList, ...rules)(value)] : WRONG_FORM;

export const atLeastOne: Rule<readonly unknown[]> = (list) =>
  list.length === 0 ? "Too small: expected array to have >=1 items" : undefined;

export type Fields = Readonly<Record<string, Check>>;

/** An object with these fields; others are not checked. Rules are for the whole object. */
export const object =
  (fields: Fields, ...rules: readonly Rule<Readonly<Record<string, unknown>>>[]): Check =>
  (value) =>
    isRecord(value)
      ? [
          ...Object.entries(fields).flatMap(([name, check]) => check(value[name])),
          ...createCheck(isRecord, ...rules)(value),
        ]
      : WRONG_FORM;

/** What Strapi answers for the issues of an entry: that of its form, or the first one. */
export function formatIssues(issues: readonly Issue[]): string | undefined {
  return issues.some(({ isForm }) => isForm) ? INVALID : issues[0]?.message;
}
