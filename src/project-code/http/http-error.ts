/** Errors that code throws with a status, as `ctx.throw` makes them. */
import { httpErrorKind } from "./statuses.ts";

export class HttpError extends Error {
  readonly status: number;
  readonly statusCode: number;
  /** Whether clients see the message. */
  readonly expose: boolean;

  constructor(status: number, message?: string, properties: object = {}) {
    const kind = httpErrorKind(status);
    super(message ?? kind?.message ?? String(status));
    this.name = kind?.name ?? "Error";
    this.status = status;
    this.statusCode = status;
    this.expose = status < 500;
    Object.assign(this, properties);
  }
}

/** `ctx.throw` takes a status, a message, an error and properties, in any order. */
export function httpErrorOf(args: readonly unknown[]): Error {
  let status = 500;
  let message: string | undefined;
  let error: Error | undefined;
  let properties: object = {};
  for (const argument of args) {
    if (argument instanceof Error) error = argument;
    else if (typeof argument === "number") status = argument;
    else if (typeof argument === "string") message = argument;
    else if (typeof argument === "object" && argument !== null) properties = argument;
  }
  if (error) return Object.assign(error, { status, statusCode: status, expose: status < 500 }, properties);
  return new HttpError(httpErrorKind(status) ? status : 500, message, properties);
}
