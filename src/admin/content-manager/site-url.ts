/** The URL of a document on a site, from the pattern that `admin.sites` of `config/galley.json` has for its type. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { applicationError } from "../../lib/errors.ts";

const PLACEHOLDER = /\{([^{}]*)\}/g;
/** Also allowed in patterns, besides the type's own attributes with text or numbers. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set(["documentId", "locale"]);

/** Undefined if the document does not exist, or lacks a value. Throws an ApplicationError for unknown placeholders. */
export async function readSiteUrl(
  context: DocumentsContext,
  type: ContentType,
  pattern: string,
  { documentId, locale }: { readonly documentId: string; readonly locale: string | undefined },
): Promise<string | undefined> {
  const names = [...pattern.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
  for (const name of names) {
    const attribute = type.attributes.get(name);
    if (!SYSTEM_NAMES.has(name) && !(attribute?.kind === "scalar" && !attribute.private && !attribute.type.isSecret))
      throw applicationError(
        `config/galley.json, admin.sites: ${type.uid} has no attribute ${name} that a URL may show`,
      );
  }
  const params = { documentId, ...(type.localized && locale ? { locale } : {}), status: "published" };
  const found = await context.documents(type).findOne(params);
  if (!found || names.some((name) => (found[name] ?? "") === "")) return undefined;
  return pattern.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(String(found[name])));
}
