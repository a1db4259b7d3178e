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
  const [first = "", ...rest] = words(message);
  const identifier = [first, ...rest].map(capital).join("");
  const beginning = first === first.toUpperCase() ? first.toLowerCase() : first[0]!.toLowerCase() + first.slice(1);
  return {
    status,
    method: beginning + rest.map(capital).join(""),
    name: identifier.endsWith("Error") ? identifier : `${identifier}Error`,
    message,
  };
}

/** As in the reference, whose list writes one of them in another way than the runtime's. */
export const statusTexts: Readonly<Record<number, string | undefined>> = { ...STATUS_CODES, 418: "I'm a teapot" };

export const httpErrors: readonly HttpErrorKind[] = Object.entries(statusTexts)
  .filter(([status]) => Number(status) >= 400)
  .map(([status, message]) => kindOf(Number(status), message ?? ""));

const byStatus = new Map(httpErrors.map((kind) => [kind.status, kind]));

export const httpErrorKind = (status: number): HttpErrorKind | undefined => byStatus.get(status);

/** Statuses whose answers have no body. */
export const isEmptyStatus = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** Whether an error may have it: one with a text, or any of the classes of errors. */
export const isStatus = (status: unknown): status is number =>
  typeof status === "number" && (statusTexts[status] !== undefined || (status >= 400 && status < 600));
