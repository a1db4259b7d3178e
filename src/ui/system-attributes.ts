/** Attributes that the server sets: those of `schema/system-attribute-names.ts`, which the page must not import, and ids. A test compares them. */
export const SYSTEM_ATTRIBUTES: ReadonlySet<string> = new Set([
  "id",
  "documentId",
  "createdAt",
  "updatedAt",
  "publishedAt",
  "createdBy",
  "updatedBy",
  "locale",
  "localizations",
]);
