/** HTTP errors: methods of `ctx` such as `ctx.badRequest()`, names in responses, and messages. */
import { STATUS_CODES } from "node:http";

const splitWords = (text: string): string[] =>
  text
    .replace(/'/g, "")
    .split(/[^A-Za-z]+/)
    .filter(Boolean);

const capitalize = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

/** Its method of `ctx`, and its name in responses. */
function findKind(status: number, message: string) {
  const [first = "", ...rest] = splitWords(message);
  const identifier = [first, ...rest].map(capitalize).join("");
  const prefix = first === first.toUpperCase() ? first.toLowerCase() : first[0]!.toLowerCase() + first.slice(1);
  return {
    status,
    method: prefix + rest.map(capitalize).join(""),
    name: identifier.endsWith("Error") ? identifier : `${identifier}Error`,
    message,
  };
}

/** As in Strapi, which differs from the runtime in one message. */
export const statusTexts: Readonly<Record<number, string | undefined>> = { ...STATUS_CODES, 418: "I'm a teapot" };

export const httpErrors = Object.entries(statusTexts)
  .filter(([status]) => Number(status) >= 400)
  .map(([status, message]) => findKind(Number(status), message ?? ""));

const byStatus = new Map(httpErrors.map((kind) => [kind.status, kind]));

export const httpErrorKind = (status: number) => byStatus.get(status);

/** Whether a status is valid for an error: a known one, or any of 400 to 599. */
export const isStatus = (status: unknown): status is number =>
  typeof status === "number" && (statusTexts[status] !== undefined || (status >= 400 && status < 600));
