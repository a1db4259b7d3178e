import { printable } from "../lib/print-value.ts";

/** The log line of a response. Requests cannot forge lines or control the terminal, and credentials are left out. */
export const logLine = (method: string, path: string, status: number, milliseconds: number): string =>
  `${printable(`${method} ${path}`)} ${status} ${milliseconds.toFixed(1)} ms`;
