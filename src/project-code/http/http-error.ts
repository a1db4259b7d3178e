/** Errors that code throws with a status, as `ctx.throw` makes them. */
import { type HttpErrorKind, httpErrorKind, isStatus } from "./statuses.ts";

export class HttpError extends Error {
  readonly status: number;
  readonly statusCode: number;
  /** Whether clients see the message. */
  readonly expose: boolean;

  constructor(status: number, message?: string, properties: object = {}) {
    // statuses without a name of their own have that of their class
    const kind = httpErrorKind(status) ?? (status < 400 ? undefined : httpErrorKind(status < 500 ? 400 : 500));
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
  return new HttpError(isStatus(status) ? status : 500, message, properties);
}

/** The error of `ctx.badRequest(message, details)` and its siblings. Throws for messages that are none. */
export function refusalOf({ status, name, message: byDefault }: HttpErrorKind, message: unknown) {
  if (message instanceof Error) {
    const own = (message as Partial<HttpError>).status || (message as Partial<HttpError>).statusCode || status;
    return { status: own, name: message.name, message: message.message };
  }
  const type = typeof message;
  if (!["string", "object", "undefined"].includes(type)) throw new TypeError(`argument #2 unsupported type ${type}`);
  return { status, name, message: type === "string" ? (message as string) : byDefault };
}
