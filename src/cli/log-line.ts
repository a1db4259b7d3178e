/** What a terminal would take for a command, or a reader for the end of the line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Control characters as escapes, so that no request can forge a line or write to the terminal. */
const printable = (text: string): string =>
  text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The line that a server prints for an answer. */
export const logLine = (method: string, path: string, status: number, milliseconds: number): string =>
  printable(`${method} ${path} ${status} ${milliseconds.toFixed(1)} ms`);
