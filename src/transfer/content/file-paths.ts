/** Where the files of `content/` stand, and how they are read, by their types. Paths have "/" on every system. */
import { apiTypes, type ContentType, type Model } from "../../engine/schema/model.ts";
import { findKind, parseExtension } from "./file-kinds.ts";
import type { FileForm } from "./file-text.ts";

export const CONTENT_FOLDER = "content";
export const MEDIA_FOLDER = "media";

/** Files for readers of a repository, which are no documents. */
export const isReadme = (fileName: string): boolean => /^readme(?:\.[^.]*)?$/i.test(fileName);

/** The folder of a collection's documents. */
export const folderOf = ({ pluralName }: ContentType): string =>
  pluralName === MEDIA_FOLDER ? `${pluralName}-documents` : pluralName;

/** The attribute that is the text below the front matter: the only one of the type `richtext`. */
export function bodyOf({ attributes }: ContentType): string | undefined {
  const texts = [...attributes.values()].filter(
    ({ kind, definition }) => kind === "scalar" && definition.type === "richtext",
  );
  return texts.length === 1 ? texts[0]!.name : undefined;
}

/** Of the file of a new document. */
export const extensionFor = (type: ContentType): string => (bodyOf(type) === undefined ? ".yaml" : ".md");

/** The name that links use. */
export const nameOf = (path: string): string => path.slice(0, path.length - parseExtension(path).length);

/** Collections by their folder, and single types by the name of their file. */
export function typesByName(model: Model): Record<"collections" | "singles", ReadonlyMap<string, ContentType>> {
  const [singles, collections] = [true, false].map((isSingle) =>
    apiTypes(model).filter(({ kind }) => (kind === "singleType") === isSingle),
  );
  return {
    collections: new Map(collections!.map((type) => [folderOf(type), type])),
    singles: new Map(singles!.map((type) => [type.singularName, type])),
  };
}

export function formOf(type: ContentType, path: string): FileForm {
  const kind = findKind(path) ?? "yaml";
  const body = bodyOf(type);
  if (kind === "markdown") return body === undefined ? { kind: "yaml" } : { kind, body };
  return { kind };
}
