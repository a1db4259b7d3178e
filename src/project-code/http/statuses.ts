/** Names of HTTP errors, as `ctx.badRequest()` and its siblings, and their messages. */
import { STATUS_CODES } from "node:http";

export interface HttpErrorKind {
  readonly status: number;
  /** The method of `ctx`. */
  readonly method: string;
  /** The name in the envelope. */
  readonly name: string;
  readonly message: string;
}

const words = (text: string): string[] =>
  text
    .replace(/'/g, "")
    .split(/[^A-Za-z]+/)
    .filter(Boolean);

const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

function kindOf(status: number, message: string): HttpErrorKind {
  const identifier = words(message).map(capital).join("");
  return {
    status,
    method: identifier[0]!.toLowerCase() + identifier.slice(1),
    name: identifier.endsWith("Error") ? identifier : `${identifier}Error`,
    message,
  };
}

export const httpErrors: readonly HttpErrorKind[] = Object.entries(STATUS_CODES)
  .filter(([status]) => Number(status) >= 400)
  .map(([status, message]) => kindOf(Number(status), message ?? ""));

const byStatus = new Map(httpErrors.map((kind) => [kind.status, kind]));

export const httpErrorKind = (status: number): HttpErrorKind | undefined => byStatus.get(status);

/** Statuses whose answers have no body. */
export const isEmptyStatus = (status: number): boolean => status === 204 || status === 205 || status === 304;
