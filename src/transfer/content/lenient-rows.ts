/**
 * Writes documents that were stored before, as files that this program has written hold them: what their type has asked for since,
 * such as a required value, is reported and does not keep them out.
 */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { validData } from "../../engine/documents/document-rows.ts";
import type { Data } from "../../engine/documents/documents.ts";
import { PlainRows } from "../../engine/documents/plain-rows.ts";
import type { RowStores, Validation } from "../../engine/documents/row-store.ts";
import { finish, immediately, type Work } from "../../engine/documents/steps.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { ApiError } from "../../lib/errors.ts";

class LenientRows extends PlainRows {
  readonly #validateAsDraft: (data: Data, options: Validation) => Data;
  readonly #report: (error: ApiError) => void;

  constructor(context: DocumentsContext, type: ContentType, report: (error: ApiError) => void) {
    super(context, type);
    this.#validateAsDraft = (data, options) => validData(context, type, data, { ...options, draft: true });
    this.#report = report;
  }

  override validated(data: Data, options: Validation, valid: () => Data): Work<Data> {
    return immediately(() => {
      try {
        return valid();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const read = this.#validateAsDraft(data, options);
        this.#report(error);
        return read;
      }
    });
  }
}

/** `report`: is told of values that the type refuses, and that are stored. */
export function lenientContext(context: DocumentsContext, report: (error: ApiError) => void): DocumentsContext {
  const rows: RowStores = {
    of: (type) => new LenientRows(context, type, report),
    run: (work) => context.storage.write(() => finish(work())),
  };
  return { ...context, rows };
}
