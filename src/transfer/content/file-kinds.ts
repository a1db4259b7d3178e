/** The kind of a content file by its extension. */
import type { FileForm } from "./file-text.ts";

const KINDS: Readonly<Record<string, FileForm["kind"]>> = {
  ".yaml": "yaml",
  ".yml": "yaml",
  ".md": "markdown",
  ".json": "json",
};

/** With the dot; empty without one. */
export const parseExtension = (path: string): string => /\.[^./]+$/.exec(path)?.[0] ?? "";

/** Undefined for files that are not documents. */
export const findKind = (path: string): FileForm["kind"] | undefined => KINDS[parseExtension(path)];

/** Extensions of documents. */
export const EXTENSIONS: readonly string[] = Object.keys(KINDS);

/**
 * Instead of the attribute that a Markdown file has below its front matter, where the schema is not known. No attribute has such a
 * name.
 */
export const UNKNOWN_BODY = "text below the front matter";
