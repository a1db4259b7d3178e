/**
 * The format of content files: one file for each document, `<plural name>/<name>.yaml`, or `<singular name>.yaml` for a single type.
 * A type with exactly one attribute of type `richtext` has Markdown files (`.md`): that attribute is the text below the front matter.
 *
 * Keys that begin with `$` belong to the document or to one of its versions, all others are attributes:
 *
 * | key            | value                                                                                                 |
 * |----------------|-------------------------------------------------------------------------------------------------------|
 * | `$id`          | document id; written into a new file by its first load                                                |
 * | `$locale`      | locale of the top level, if it is not the default one                                                 |
 * | `$createdAt`, `$updatedAt`, `$publishedAt` | ISO 8601; each is the one before if it is left out                         |
 * | `$published`   | `true`: published as the draft is; an object: published, with other values of these attributes        |
 * |                | (null: without a value), or another `$createdAt` or `$updatedAt`. Printed in one line. Left out: a draft. |
 * |                | Only for types with drafts                                                                            |
 * | `$locales`     | the other locales by code: the same keys without `$id`, `$locale`, `$locales`; attributes that are    |
 * |                | not localized only where their value differs from that of the top level                               |
 *
 * Values are those of the API, except that relations are names of files (`authors/mara`; of a user, `users/<username>`), and media are
 * paths below `media/`, and links that need more than a name are a `ContentLink`. Entries of dynamic zones have `__component`.
 * Lists of media and of polymorphic relations may have an entry several times; in those of other relations it counts once, as in Strapi.
 * What is null or left out has no value, as an empty list of entries, links or media; only of a new document, what is left out has its default.
 * No file has ids of rows, or passwords.
 */
import type { Json } from "../archive/shapes.ts";

export type ContentValue = unknown;

export interface VersionKeys {
  readonly $createdAt?: string;
  readonly $updatedAt?: string;
  readonly $publishedAt?: string;
  readonly $published?: true | Json;
  /** Attributes. */
  readonly [attribute: string]: ContentValue;
}

/** A parsed file. */
export interface ContentFile extends VersionKeys {
  readonly $id?: string;
  readonly $locale?: string;
  readonly $locales?: Readonly<Record<string, VersionKeys>>;
}

/** A link that is more than the name of a document. */
export interface ContentLink {
  readonly document: string;
  /** Of the target, if it is not that of the owner, or the default one for owners without locales. */
  readonly locale?: string;
  /** If a type without drafts leads to only one of both versions. */
  readonly status?: "draft" | "published";
  /** The attribute of the target that shows a polymorphic link, if any. */
  readonly field?: string;
}
