/** JSON as it is typed. Fields keep a text, which need not be JSON before it is saved. */

/** `null` is an empty field. */
export const jsonText = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value, undefined, 2);

/** The value of a text; that of a blank one is null. Throws a SyntaxError. */
export const parseJsonText = (text: string): unknown => (text.trim() === "" ? null : JSON.parse(text));

/** Also true for a blank text. */
export function isJsonText(text: string): boolean {
  try {
    parseJsonText(text);
    return true;
  } catch {
    return false;
  }
}
