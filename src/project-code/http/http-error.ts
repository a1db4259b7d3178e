/** Errors with a status, as thrown by `ctx.throw`. */
import { type HttpErrorKind, httpErrorKind, isStatus } from "./statuses.ts";

export class HttpError extends Error {
  readonly status: number;
  readonly statusCode: number;
  /** Whether the message is sent to clients. */
  readonly expose: boolean;

  constructor(status: number, message?: string, properties: object = {}) {
    // statuses without a name have the name of 400 or 500
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

/** The error of `ctx.badRequest(message, details)` and similar methods. Throws a TypeError for an invalid message. */
export function refusalOf({ status, name, message: defaultMessage }: HttpErrorKind, message: unknown) {
  if (message instanceof Error) {
    const ownStatus = (message as Partial<HttpError>).status || (message as Partial<HttpError>).statusCode || status;
    return { status: ownStatus, name: message.name, message: message.message };
  }
  const type = typeof message;
  if (!["string", "object", "undefined"].includes(type)) throw new TypeError(`argument #2 unsupported type ${type}`);
  return { status, name, message: type === "string" ? (message as string) : defaultMessage };
}
