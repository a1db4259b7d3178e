/**
 * Tags of answers, by which caches are told what is stale. Galley's answers have them: "article:ID" for a document, "article:list" for which
 * ones there are, "article.title" for the values of an attribute, "article" for anything of the type, "media:ID" for a file; a locale may
 * follow. Tags of other answers are those that the request alone tells.
 */

const FILE = "plugin::upload.file";
export const MEDIA = "media";
/** Of every answer. */
export const EVERYTHING = "all";
/** Of answers that show other documents, where it is not known which. */
export const POPULATED = "populated";

/** The name of a type in tags. */
export function tagNameOf(uid: string): string {
  if (uid === FILE) return MEDIA;
  const [origin = "", name = ""] = uid.split("::");
  return origin === "plugin" ? name.replace(".", "-") : name.slice(name.lastIndexOf(".") + 1);
}

/** The name of the type that a tag is about; `EVERYTHING` for that one. */
export const typeInTag = (tag: string): string => tag.split(/[:.]/)[0]!;

/** Whether it is of a document itself, and not of what one of its relations leads to: "article:ID:tags". */
export const isOfDocument = (tag: string): boolean => tag.replace(/:draft$/, "").split(":").length === 2;

/** Of the document that a tag names; undefined for other tags. */
export function idInTag(tag: string): string | undefined {
  const [type = "", id] = tag.split(":");
  return type.includes(".") || id === "list" ? undefined : id;
}

/** Tags that a request alone tells. `documentId`: of the only document that it asks for. */
export const requestTags = (type: string, documentId: string | undefined, populate: unknown): string[] => [
  EVERYTHING,
  documentId === undefined ? tagNameOf(type) : `${tagNameOf(type)}:${documentId}`,
  ...(populate === undefined ? [] : [POPULATED]),
];

/** The same, and those of requests for the types and documents that they are about. Those of drafts are of no kept answer. */
export function withRequestTags(tags: readonly string[]): string[] {
  const published = tags.filter((tag) => tag !== EVERYTHING && !tag.endsWith(":draft"));
  const ofTypes = published.map(typeInTag);
  const ofDocuments = published.flatMap((tag) => {
    const id = idInTag(tag);
    return id === undefined ? [] : [`${typeInTag(tag)}:${id}`];
  });
  return [...new Set([...tags, ...ofTypes, ...ofDocuments, ...(published.length > 0 ? [POPULATED] : [])])];
}

/** At most `limit`: those of documents and attributes become those of their types, which webhooks name, too. */
export const coarsen = (tags: readonly string[], limit: number): string[] =>
  tags.length <= limit ? [...tags] : [...new Set(tags.map(typeInTag))];
