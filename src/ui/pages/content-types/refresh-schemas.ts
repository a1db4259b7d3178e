/** Loads types and components again, and applies unsaved changes to them. */
import { loadSchemas, schemas } from "./schemas.ts";
import { rebaseDrafts, restoreDrafts } from "./unsaved-drafts.ts";

/** Throws as `request` does. */
export async function refreshSchemas(): Promise<void> {
  await loadSchemas();
  const loaded = schemas.peek();
  if (!loaded) return;
  rebaseDrafts(loaded);
  restoreDrafts(loaded);
}
