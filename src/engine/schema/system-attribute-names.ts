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
