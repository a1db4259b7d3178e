/** Writes single rows for `strapi.db.query`, without hooks and without validating them. */

import { changeRowId } from "../../documents/change-row-id.ts";
import type { DocumentsContext } from "../../documents/context.ts";
import { asHashes } from "../../documents/hook-data.ts";
import { hashPasswords, passwordsIn } from "../../documents/passwords.ts";
import { RelationInput } from "../../documents/relation-input.ts";
import { type Data, type Hashes, RowWriter } from "../../documents/rows.ts";
import {
  newSystemColumns,
  type SystemValues,
  systemColumns,
  systemValuesOf,
  versionWith,
} from "../../documents/system-values.ts";
import type { Status } from "../../query/read-context.ts";
import type { ContentType } from "../../schema/model.ts";
import { quote } from "../../storage/quote.ts";
import { columnValue } from "./column-values.ts";
import { linksToRows } from "./row-links.ts";

export class QueryRows {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
  }

  /** Hashes passwords, except for values that are hashes already. */
  readonly hashesOf = async (data: Data): Promise<Hashes> => {
    const passwords = passwordsIn(this.#context.model, this.#type, data);
    const storedHashes = asHashes(passwords);
    const plain = new Set([...passwords].filter((password) => !storedHashes.has(password)));
    return plain.size === 0 ? storedHashes : new Map([...storedHashes, ...(await hashPasswords(plain))]);
  };

  /** Returns the id of the new row. Without a locale, localized types have a row that no locale shows, as in the reference. */
  insert(input: Data, hashes: Hashes): number {
    const own = systemValuesOf(this.#context, this.#type, input);
    const documentId = own.documentId ?? this.#context.ids.documentId();
    const version = versionWith(this.#type, { documentId, locale: null, status: "published" }, own);
    return new RowWriter(this.#context, hashes).insert(
      this.#type,
      version,
      this.#columnValues(input, version.status),
      newSystemColumns(this.#type, own),
    );
  }

  update(id: number, input: Data, hashes: Hashes): void {
    const own = systemValuesOf(this.#context, this.#type, input);
    const status = this.#statusOf(id, own);
    const columns = systemColumns(this.#type, own);
    const data = this.#columnValues(input, status);
    new RowWriter(this.#context, hashes).patch(this.#type, { id, status }, data, columns);
    if (own.id !== undefined) changeRowId(this.#context, this.#type, id, own.id);
  }

  #statusOf(id: number, own: SystemValues): Status {
    const sql = `SELECT status FROM ${quote(this.#type.table)} WHERE id = ?`;
    const status = this.#context.storage.first(sql, [id])?.[0] as Status;
    return versionWith(this.#type, { documentId: "", locale: null, status }, own).status;
  }

  /** Converts values for columns and links, without validating them. */
  #columnValues(input: Data, status: Status): Data {
    const { storage, model } = this.#context;
    const data: Data = {};
    for (const [name, value] of Object.entries(input)) {
      const attribute = this.#type.attributes.get(name);
      if (!attribute || (attribute.system && attribute.kind === "scalar")) continue;
      if (attribute.kind === "scalar") data[name] = columnValue(attribute.type, value);
      else if (attribute.kind === "relation" && !attribute.system)
        data[name] = linksToRows(storage, model, attribute, value);
      else data[name] = value;
    }
    const version = { locale: null, status };
    return new RelationInput(this.#context, this.#type, version, true).resolve(this.#type, data);
  }
}
