/** What somebody else did to a document that is open here. */
import { DeletedDocument, NewerVersion } from "./document-requests.ts";

/** While something here is not saved: other versions are shown at once. `at`: when it was saved. */
export type Elsewhere = { readonly kind: "saved"; readonly at: string | undefined } | { readonly kind: "deleted" };

/** What a refused write says of it; undefined where it was refused for another reason. */
export function elsewhereOf(error: unknown): Elsewhere | undefined {
  if (error instanceof NewerVersion) return { kind: "saved", at: error.version.updatedAt };
  return error instanceof DeletedDocument ? { kind: "deleted" } : undefined;
}
