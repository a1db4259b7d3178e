import { printable } from "../print-value.ts";

/** The line that a server prints for an answer; no request can forge another line or write to the terminal. */
export const logLine = (method: string, path: string, status: number, milliseconds: number): string =>
  printable(`${method} ${path} ${status} ${milliseconds.toFixed(1)} ms`);
