/** Attributes that the server sets. */
import type { SystemAttributeName } from "../../schema/system-attribute-names.ts";

// the page must not import values of the server, but a name that is missing here does not compile
const names: Readonly<Record<SystemAttributeName | "id" | "documentId", true>> = {
  id: true,
  documentId: true,
  createdAt: true,
  updatedAt: true,
  publishedAt: true,
  createdBy: true,
  updatedBy: true,
  locale: true,
  localizations: true,
};

export const SYSTEM_ATTRIBUTES: ReadonlySet<string> = new Set(Object.keys(names));
