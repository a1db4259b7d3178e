/**
 * The names of cache tags, for answers that depend on something and for writes that change it: `article:DOCUMENT` is a document,
 * `article:DOCUMENT:author` the same with what an attribute leads to, `article:DOCUMENT:links` with what all of them do, `article:list`
 * which documents there are, `article.title` the values of an attribute, `article.title=HASH` the documents with one value of it, with `~`
 * those that have got or lost it, `article.author.name=HASH` those that lead to such, and `article` anything of the type. A locale may
 * follow, and `draft`.
 */
import { hashText, inTag, type Tags } from "../../lib/cache-tags.ts";
import type { SqlValue } from "../attributes/index.ts";
import { FILE } from "../schema/builtin/index.ts";
import { type ContentType, hasVersions, type Schema } from "../schema/model.ts";
import type { Status } from "./change-log/own-changes.ts";

/** What follows the type's name in a tag: a document, an attribute, and others. */
export type TagPart = string;

export const ANY: TagPart = "";
export const LIST: TagPart = ":list";
/** The ids of rows, by which documents are in order where nothing else decides. */
export const ROW_IDS: TagPart = ".id";
export const documentPart = (documentId: string): TagPart => `:${inTag(documentId)}`;
/** Columns that change with every write of a row. */
export const TIMES: readonly string[] = ["updated_at", "published_at"];
/** Follow a document: with everything that it links to and what links to it, or with what one attribute shows of that. */
export const LINKS = ":links";
export const linkOf = (attribute: string): string => `:${inTag(attribute)}`;
export const attributePart = (name: string): TagPart => `.${inTag(name)}`;

/** The documents that have a value, or none; a document id for a relation. Numbers and booleans are equal as in SQL. */
export function valuePart(name: string, value: SqlValue | boolean): TagPart {
  if (value === null) return `${attributePart(name)}=`;
  const isNumber = typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
  return `${attributePart(name)}=${hashText(isNumber ? `#${Number(value)}` : String(value))}`;
}

/** Ends the part of a value that a document has got or lost. */
export const CHANGED = "~";

/** The same without those that are new or gone. */
export const changedValuePart = (...value: Parameters<typeof valuePart>): TagPart => valuePart(...value) + CHANGED;

const names = new Map<string, string>();

/** The same for a relation, by a value of what it leads to. */
export const linkedValuePart = (name: string, ...of: Parameters<typeof valuePart>): TagPart =>
  attributePart(name) + valuePart(...of);

/** The name of a type in tags: as in URLs for those of the project. */
export const tagName = (uid: string): string => names.getOrInsertComputed(uid, createName);

function createName(uid: string): string {
  if (uid === FILE) return "media";
  const [origin = "", name = ""] = uid.split("::");
  return inTag(origin === "plugin" ? name.replace(".", "-") : name.slice(name.lastIndexOf(".") + 1));
}

/** The end of a tag. `locale` undefined: of any locale. */
export const versionSuffix = (locale: string | null | undefined, status: string | undefined): string =>
  `${locale ? `:${inTag(locale)}` : ""}${status === "draft" ? ":draft" : ""}`;

export const EITHER: readonly Status[] = ["published", "draft"];
export const ONLY: Readonly<Record<Status, readonly Status[]>> = { published: ["published"], draft: ["draft"] };

export const statusesOf = ({ draftAndPublish }: ContentType, status: Status | undefined): readonly Status[] => {
  if (!draftAndPublish) return ONLY.published;
  return status ? ONLY[status] : EITHER;
};

/** What tags of a version's rows begin and end with, and their group. */
interface Ends {
  readonly name: string;
  /** Of a document's. */
  readonly start: string;
  readonly group: string;
  readonly end: string;
}

/** A client may ask for any locale: of each type, so many are kept. */
const MAX_ENDS = 50;
const endsByType = new WeakMap<ContentType, Map<string, Ends>>();

export function endsOf(schema: ContentType, status: Status, locale: string | null | undefined): Ends {
  const kept = endsByType.getOrInsertComputed(schema, () => new Map());
  if (kept.size > MAX_ENDS) kept.clear();
  return kept.getOrInsertComputed(`${status} ${locale ?? ""}`, () => {
    const name = tagName(schema.uid);
    return {
      ...{ name, start: `${name}:`, group: name + versionSuffix(undefined, status) },
      end: versionSuffix(locale, status),
    };
  });
}

/** Rows that something depends on. */
export interface Place {
  readonly tags: Tags;
  readonly schema: Schema;
  /** Undefined: of either version. */
  readonly status: Status | undefined;
  readonly locale?: string | null | undefined;
}

/** Rows of components are a part of the documents that they are in. */
export function add({ tags, schema, status, locale }: Place, part: TagPart): void {
  if (schema.modelType === "component") return;
  for (const of of statusesOf(schema, status)) {
    const { name, group, end } = endsOf(schema, of, locale);
    tags.add(group, name + part + end);
  }
}

/** What relations lead to. */
export const beyond = ({ tags, schema, status }: Place, target: Schema): Place => ({
  tags,
  schema: target,
  status: hasVersions(schema) || schema.modelType === "component" ? status : undefined,
});

/** Any change of either version. */
export const addAny = (tags: Tags, schema: Schema): void => add({ tags, schema, status: undefined }, ANY);
