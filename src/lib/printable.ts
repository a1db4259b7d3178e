/** Text of files, servers and errors that is safe to print to terminals and logs. */
import { excerpt } from "./print-value.ts";
import { withoutSecrets } from "./redact.ts";

/** Lines of an error in the log. */
const MAX_LOGGED_LINES = 50;

/** Control characters, including terminal escapes and changes of text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The same, but for tabs, line breaks and marks of right-to-left text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_IN_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

const escapeControl = (control: string): string => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Lines that are safe to print to terminals, with names and values of files and servers that nobody trusts. */
export const printableLines = (text: string): string => text.replace(CONTROL_IN_LINES, escapeControl);

/** Characters of a line of the log. */
const MAX_LINE = 16_000;

/** A line that is safe to print to terminals and logs: control characters are escaped, and credentials are left out. */
export const printable = (text: string): string =>
  withoutSecrets(text.slice(0, MAX_LINE)).replace(CONTROL, escapeControl);

/** An error with its stack, as it is logged. Control characters in it are escaped. */
export function formatStack(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? String(error)) : Bun.inspect(error);
  return text
    .split(/\r?\n/, MAX_LOGGED_LINES)
    .map((line) => excerpt(printable(line.trim())))
    .join("\n    ");
}

/** Logs an unexpected error. */
export const logError = (error: unknown): void => console.error(formatStack(error));
