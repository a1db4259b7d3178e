/** The attributes that every content-type has besides those of its file. `id` and `documentId` are no attributes. */
export const SYSTEM_ATTRIBUTES = [
  "createdAt",
  "updatedAt",
  "publishedAt",
  "createdBy",
  "updatedBy",
  "locale",
  "localizations",
] as const;

export type SystemAttributeName = (typeof SYSTEM_ATTRIBUTES)[number];

/**
 * Types of plugins of the project that are not localized keep a locale that code sets, for example that of a document which is to be
 * published later. It has a column of its own: `locale` is null in all rows that such types have.
 */
export const OWN_LOCALE = "galley_locale";
