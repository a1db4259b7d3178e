/** Previews a change of the schema: the files that it would write, and its effect on the content. */
import { type Effect, listEffects } from "../../engine/storage/change-effects.ts";
import { createLayout } from "../../engine/storage/layout.ts";
import type { AdminServices } from "../services.ts";
import { checkEdit, type FileText, fileTexts, hashFiles } from "./apply.ts";
import { changedEnumerations } from "./changed-enumerations.ts";
import type { Edit } from "./edits.ts";
import { modelAfter, storedRenames } from "./stored-renames.ts";

export interface Preview {
  readonly uid: string;
  /** Of all contents below: a change that names it is refused once they are others. */
  readonly version: string;
  /** `null` for a file that does not exist before, or after. */
  readonly files: readonly FileText[];
  readonly effects: readonly Effect[];
}

/** Throws a BuilderError for a schema that could not be served. */
export async function previewEdit(services: AdminServices, { uid, edit }: Edit): Promise<Preview> {
  checkEdit(services, edit);
  const { context } = services;
  const model = modelAfter(services, edit);
  const renames = storedRenames(context.model, model, edit.renames);
  const files = fileTexts(services, edit);
  return {
    uid,
    version: hashFiles(files),
    files: files.filter(({ before, after }) => before !== after),
    effects: await listEffects(
      context.storage,
      createLayout(model),
      renames,
      context.defaultLocale(),
      changedEnumerations(context.model, model, edit.renames),
    ),
  };
}
