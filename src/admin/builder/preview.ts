/** Previews a change of the schema: the files that it would write, and its effect on the content. */
import { type Effect, effectsOf } from "../../storage/change-effects.ts";
import { layoutOf } from "../../storage/layout.ts";
import type { AdminServices } from "../services.ts";
import { checkEdit, type FileText, fileTexts } from "./apply.ts";
import type { Edit } from "./edits.ts";
import { modelAfter, storedRenames } from "./stored-renames.ts";

export interface Preview {
  readonly uid: string;
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
  return {
    uid,
    files: fileTexts(services, edit).filter(({ before, after }) => before !== after),
    effects: await effectsOf(context.storage, layoutOf(model), renames, context.defaultLocale()),
  };
}
