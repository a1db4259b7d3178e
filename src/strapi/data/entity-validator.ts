/** `strapi.entityValidator`: validates documents. Code may replace its methods. */

import type { DocumentsContext } from "../../engine/documents/context.ts";
import { validData } from "../../engine/documents/document-rows.ts";
import { contentType } from "../../engine/schema/model.ts";
import { unlimited } from "../../lib/budget.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { RowValidation } from "../rows/row-hooks.ts";

type Data = Record<string, unknown>;

interface ValidationOptions {
  readonly isDraft?: boolean;
  readonly locale?: string | null;
}

type Validate = (model: { readonly uid: string }, data: Data, options?: ValidationOptions, entity?: unknown) => unknown;

export interface EntityValidator {
  validateEntityCreation: Validate;
  validateEntityUpdate: Validate;
}

/** `raw` is a function, since the context is created later. */
export function createEntityValidator(
  raw: () => DocumentsContext,
  findSchema: (uid: string) => { readonly uid: string } | undefined,
) {
  const validatorFor =
    (creating: boolean): Validate =>
    async (model, data, { isDraft = false, locale = null } = {}, entity = undefined) => {
      const row = isRecord(entity) && typeof entity.id === "number" ? { row: entity.id } : {};
      const options = { creating, draft: isDraft, locale, budget: unlimited, ...row };
      return validData(raw(), contentType(raw().model, model.uid), data, options);
    };
  const creation = validatorFor(true);
  const update = validatorFor(false);
  const validator: EntityValidator = { validateEntityCreation: creation, validateEntityUpdate: update };
  const run = async ({ type, data, creating, draft, locale, row }: RowValidation): Promise<Data> => {
    const validate = creating ? validator.validateEntityCreation : validator.validateEntityUpdate;
    const options = { isDraft: draft, locale };
    const model = findSchema(type.uid) ?? type;
    return (await validate.call(validator, model, data, options, row === undefined ? undefined : { id: row })) as Data;
  };
  return {
    validator,
    /** Undefined unless code has replaced a method. */
    get replacement() {
      const isOwn = validator.validateEntityCreation === creation && validator.validateEntityUpdate === update;
      return isOwn ? undefined : run;
    },
  };
}
