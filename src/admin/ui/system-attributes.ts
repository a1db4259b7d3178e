/** Attributes that the server sets. */
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
