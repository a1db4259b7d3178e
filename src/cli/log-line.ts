import { printable } from "../print-value.ts";

/** The log line of a response. Control characters are escaped, so that requests cannot forge lines or control the terminal. */
export const logLine = (method: string, path: string, status: number, milliseconds: number): string =>
  printable(`${method} ${path} ${status} ${milliseconds.toFixed(1)} ms`);
