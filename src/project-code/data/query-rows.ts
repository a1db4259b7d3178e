/** Writes single rows for `strapi.db.query`, without hooks and without validating them. */
import type { DocumentsContext } from "../../documents/context.ts";
import { asHashes } from "../../documents/hook-data.ts";
import { hashPasswords, passwordsIn } from "../../documents/passwords.ts";
import { RelationInput } from "../../documents/relation-input.ts";
import { type Data, type Hashes, RowWriter } from "../../documents/rows.ts";
import type { Status } from "../../query/read-context.ts";
import type { ContentType } from "../../schema/model.ts";
import { quote } from "../../storage/quote.ts";
import { columnValue } from "./column-values.ts";
import { linksToRows } from "./row-links.ts";

/** System columns that code may set. */
const TIMES = { createdAt: "created_at", updatedAt: "updated_at", publishedAt: "published_at" } as const;

const timeOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null || value === "") return undefined;
  const time = new Date(value as string | number | Date);
  if (Number.isNaN(time.getTime())) throw new Error(`Invalid time: ${String(value)}`);
  return time.toISOString();
};

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

  insert(input: Data, hashes: Hashes): number {
    const status: Status = this.#type.draftAndPublish && input.publishedAt === null ? "draft" : "published";
    const locale = this.#type.localized ? String(input.locale ?? this.#context.defaultLocale()) : null;
    const documentId = typeof input.documentId === "string" ? input.documentId : this.#context.ids.documentId();
    const id = new RowWriter(this.#context, hashes).insert(
      this.#type,
      { documentId, locale, status },
      this.#columnValues(input, status),
    );
    this.#setTimes(id, input);
    return id;
  }

  update(id: number, input: Data, hashes: Hashes): void {
    const { storage } = this.#context;
    const table = quote(this.#type.table);
    if (this.#type.draftAndPublish && input.publishedAt !== undefined) {
      const status = input.publishedAt === null ? "draft" : "published";
      storage.run(`UPDATE ${table} SET status = ?, published_at = NULL WHERE id = ?`, [status, id]);
    }
    if (typeof input.locale === "string" && this.#type.localized)
      storage.run(`UPDATE ${table} SET locale = ? WHERE id = ?`, [input.locale, id]);
    const status = storage.first(`SELECT status FROM ${table} WHERE id = ?`, [id])?.[0] as Status;
    new RowWriter(this.#context, hashes).update(this.#type, { id, status }, this.#columnValues(input, status));
    this.#setTimes(id, input);
  }

  #setTimes(id: number, input: Data): void {
    for (const [name, column] of Object.entries(TIMES)) {
      const time = timeOf(input[name]);
      if (time === undefined) continue;
      this.#context.storage.run(`UPDATE ${quote(this.#type.table)} SET ${column} = ? WHERE id = ?`, [time, id]);
    }
  }

  /** Converts values for columns and links, without validating them. */
  #columnValues(input: Data, status: Status): Data {
    const { storage, model } = this.#context;
    const data: Data = {};
    for (const [name, value] of Object.entries(input)) {
      const attribute = this.#type.attributes.get(name);
      if (!attribute || attribute.system) continue;
      if (attribute.kind === "scalar") data[name] = columnValue(attribute.type, value);
      else data[name] = attribute.kind === "relation" ? linksToRows(storage, model, attribute, value) : value;
    }
    const version = { locale: null, status };
    return new RelationInput(this.#context, this.#type, version, true).resolve(this.#type, data);
  }
}
