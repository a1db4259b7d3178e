/** Bodies of requests that must be objects, refused with Strapi's messages where they are not. */
import { type ApiError, problemsError } from "../lib/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { typeMessage } from "../lib/print-value.ts";
import type { Shape } from "../lib/shape.ts";
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

export const text: Shape = { type: "string", strict: true };
export const requiredText: Shape = { ...text, required: true };
/** Ids of rows or documents. */
export const ids: Shape = {
  type: "array",
  strict: true,
  item: () => ({ type: "strapiID", strict: true, required: true }),
};
