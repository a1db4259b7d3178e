/** Why the text of a content file cannot be read. */

export type FileErrorKind =
  /** The text is not YAML or JSON. */
  | "syntax"
  /** A key stands twice in a mapping, as a bad merge leaves it. */
  | "duplicate"
  /** Markers of a merge that is not resolved. */
  | "conflict"
  /** A `$` key that is unknown, or has a value of the wrong type. */
  | "key";

export class ContentFileError extends Error {
  readonly kind: FileErrorKind;
  /** Counted from 1. */
  readonly line: number;
  readonly reason: string;

  constructor(kind: FileErrorKind, line: number, reason: string) {
    super(`line ${line}: ${reason}`);
    this.name = "ContentFileError";
    this.kind = kind;
    this.line = line;
    this.reason = reason;
  }
}

/** The line of a position in a text, counted from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < position; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
