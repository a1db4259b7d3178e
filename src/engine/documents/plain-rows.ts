/** Writes rows as they are, with nothing to wait for. */
import { chargeRepeated, chargeRows, type Document, rowLoader } from "../query/select.ts";
import type { CheckedQuery } from "../query/tree.ts";
import type { ContentType, ScalarAttribute } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { Row } from "../storage/storage.ts";
import type { DocumentsContext } from "./context.ts";
import { deleteRow } from "./delete-row.ts";
import type { Data, Hashes } from "./documents.ts";
import type {
  CopyRow,
  Deletion,
  Lookups,
  RowStore,
  RowWrite,
  Selection,
  Validation,
  VersionRow,
  WrittenRow,
} from "./row-store.ts";
import { immediately, type Work } from "./steps.ts";

const NO_HASHES: Hashes = new Map();

const nothing = (): Work<void> => immediately(() => undefined);

const lookups: Lookups = {
  original: nothing,
  result: nothing,
  updated: nothing,
  absent: nothing,
  targets: nothing,
  replaced: nothing,
  unpublished: nothing,
  cloned: nothing,
  localizations: nothing,
};

const columnsByFields = new WeakMap<readonly ScalarAttribute[], string>();

/** The columns behind the id, for RETURNING, which does not know aliases of tables. */
const returnedColumns = ({ fields }: CheckedQuery): string =>
  columnsByFields.getOrInsertComputed(fields, () =>
    ["document_id", ...fields.map(({ column, type }) => type.column.read?.(quote(column)) ?? quote(column))]
      .map((column) => `, ${column}`)
      .join(""),
  );

/**
 * The document of a response from the values that the statement returns that has written its row: the id, and `returnedColumns`. Throws a
 * ValidationError beyond the budget.
 */
function toDocument(query: CheckedQuery, row: Row): Document {
  const loaded = rowLoader(query)(row, 0);
  chargeRows(query.budget, [loaded]);
  chargeRepeated(query.budget, query, [loaded], "page");
  return loaded.document;
}

export class PlainRows implements RowStore {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly lookups = lookups;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
  }

  validated(_data: Data, _options: Validation, valid: () => Data): Work<Data> {
    return immediately(valid);
  }

  create({ data, hashes = NO_HASHES, store }: RowWrite): Work<WrittenRow> {
    return immediately(() => ({ id: store(data, hashes, {}) }));
  }

  update(write: RowWrite): Work<WrittenRow> {
    return this.create(write);
  }

  copy(_from: VersionRow, _status: unknown, copy: CopyRow, selection: Selection | undefined): Work<WrittenRow> {
    return immediately(() => {
      // what is populated is read once it is copied
      if (!selection || selection.populate.length > 0) return { id: copy()[0] };
      const row = copy(undefined, undefined, returnedColumns(selection));
      return { id: row[0], document: toDocument(selection, row) };
    });
  }

  delete(id: number, _selection?: CheckedQuery, deletion: Deletion = {}): Work<void> {
    const { whole = () => deleteRow(this.#context, this.#type, id), around = (remove) => remove() } = deletion;
    return immediately(() => around(whole));
  }

  readAll(_documentId: string, _params: unknown, read: () => Document[]): Work<Document[]> {
    return immediately(read);
  }
}
