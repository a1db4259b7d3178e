/** Bodies of requests that must be objects, refused with Strapi's messages where they are not. */
import { type ApiError, problemsError } from "../lib/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { typeMessage } from "../lib/print-value.ts";
import type { Shape, Test } from "../lib/shape.ts";
import type { AdminCall, Body } from "./call.ts";

const refuse = (message: string, value?: unknown): ApiError => problemsError([{ path: "", message, value }]);

/** The body; empty if there is none. Throws a ValidationError for a list, and for text. */
export async function objectBody({ rawBody }: Pick<AdminCall, "rawBody">): Promise<Body> {
  const body = await rawBody();
  if (body === undefined) return {};
  if (isRecord(body)) return body;
  throw refuse(typeMessage("this", "object", body, body), body);
}

/** As `objectBody`; throws a ValidationError if there is none. */
export async function requiredBody(call: Pick<AdminCall, "rawBody">): Promise<Body> {
  if ((await call.rawBody()) === undefined) throw refuse("this is a required field");
  return objectBody(call);
}

export type Fields = Readonly<Record<string, Shape>>;

/** Values of a body, which are not cast. */
export const text: Shape = { type: "string", strict: true };
export const requiredText: Shape = { ...text, required: true };
export const flag: Shape = { type: "boolean", strict: true };
export const requiredFlag: Shape = { ...flag, required: true };
export const number: Shape = { type: "number", strict: true };
export const requiredNumber: Shape = { ...number, required: true };
/** `item`: of each item, or a function of it. */
export const listOf = (item: Shape | ((value: unknown) => Shape), more?: Partial<Shape>): Shape => ({
  type: "array",
  strict: true,
  item: typeof item === "function" ? item : () => item,
  ...more,
});
export const maxItems =
  (max: number): Test =>
  (list: readonly unknown[], path) =>
    list.length > max ? `${path} must have at most ${max} items` : undefined;
export const isInteger: Test = (value: number, path) =>
  Number.isInteger(value) ? undefined : `${path} must be an integer`;
export const isPositive: Test = (value: number, path) => (value > 0 ? undefined : `${path} must be a positive number`);
export const objectOf = (fields: Fields, more?: Partial<Shape>): Shape => ({
  type: "object",
  strict: true,
  fields,
  ...more,
});
export const anyObject: Shape = objectOf({});
/** An object without other keys. */
export const exactly = (fields: Fields, more?: Partial<Shape>): Shape => objectOf(fields, { exact: true, ...more });
/** Ids of rows or documents. */
export const ids: Shape = listOf({ type: "strapiID", strict: true, required: true });
