/** The line that a server prints for an answer. */
export const logLine = (method: string, path: string, status: number, milliseconds: number): string =>
  `${method} ${path} ${status} ${milliseconds.toFixed(1)} ms`;
