/** Document ids: 24 characters of a-z and 0-9, the first one a letter. */
import type { createId } from "@paralleldrive/cuid2";

let create: typeof createId | undefined;

/** The library is loaded by the first write, not at the start. */
export function createDocumentId(): string {
  create ??= (require("@paralleldrive/cuid2") as { createId: typeof createId }).createId;
  return create();
}
