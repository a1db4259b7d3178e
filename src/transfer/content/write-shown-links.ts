/**
 * Writes which attributes of their targets show polymorphic links. The document service decides that by the kind of write, and so not
 * as the file says.
 */
import { holdsComponents, listShownComponentRows } from "../../engine/documents/component-rows.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { readOwnLinks } from "../../engine/documents/link-rows.ts";
import { type ContentType, contentType, type RelationAttribute, type Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/quote.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Json } from "../archive/shapes.ts";
import type { LinkTargets } from "./link-input.ts";
import type { LocaleState } from "./version-states.ts";

const toList = (value: unknown): unknown[] => (value === undefined ? [] : [value].flat());

export class ShownLinks {
  readonly #context: DocumentsContext;
  readonly #targets: LinkTargets;
  /** The link fields of which attributes show links. */
  readonly #fields: ReadonlySet<string>;

  constructor(context: DocumentsContext, targets: LinkTargets) {
    this.#context = context;
    this.#targets = targets;
    const attributes = [...context.model.types.values()].flatMap((type) => [...type.attributes.values()]);
    this.#fields = new Set(
      attributes.flatMap((attribute) =>
        attribute.kind === "relation" && attribute.link.targetAttribute !== undefined ? [attribute.link.field] : [],
      ),
    );
  }

  /** Expects that the links of a document's locale are as in the state. */
  write(type: ContentType, documentId: string, { locale, draft, published }: LocaleState): void {
    if (this.#fields.size === 0) return;
    const sql = `SELECT status, id FROM ${quote(type.table)} WHERE document_id = ? AND locale IS ?`;
    const rows = new Map(this.#context.storage.all(sql, [documentId, locale]) as [string, number][]);
    const versions = type.draftAndPublish ? { draft, published } : { published: draft };
    for (const [status, attributes] of Object.entries(versions)) {
      const row = rows.get(status);
      if (row !== undefined && attributes) this.#writeRow(type, row, attributes);
    }
  }

  #writeRow(schema: Schema, row: number, data: Json): void {
    const own = readOwnLinks(this.#context, schema, [row])(row);
    for (const attribute of schema.attributes.values()) {
      const values = toList(data[attribute.name]);
      if (values.length === 0) continue;
      if (holdsComponents(attribute)) {
        for (const [index, part] of listShownComponentRows(this.#context, attribute, own).entries())
          if (isRecord(values[index])) this.#writeRow(part.schema, part.id, values[index]);
      } else if (
        attribute.kind === "relation" &&
        attribute.link.side === "owner" &&
        this.#fields.has(attribute.link.field)
      )
        for (const value of values) this.#writeLink(attribute, row, value);
    }
  }

  #writeLink({ link }: RelationAttribute, row: number, value: unknown): void {
    const { document: name, field = null }: Json = isRecord(value) ? value : { document: value };
    const target = this.#targets.document(String(name));
    if (!target) return;
    const { storage, model } = this.#context;
    const { table } = contentType(model, target.uid);
    storage.run(
      `UPDATE galley_links SET target_attribute = ?1 WHERE field = ?2 AND owner = ?3 AND kind = ?4
       AND target IN (SELECT id FROM ${quote(table)} WHERE document_id = ?5) AND target_attribute IS NOT ?1`,
      [field as string | null, storage.number(link.field), row, storage.number(table), target.documentId],
    );
  }
}
