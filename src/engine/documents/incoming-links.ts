/** The links of other rows to those of a content-type, and the versions that these belong to. */
import type { Status } from "../query/reading.ts";
import type { ContentType } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import { fieldsTo, oneWayFieldsTo } from "./delete-row.ts";
import { type LinkRow, readLinkRows } from "./link-rows.ts";
import { allAttributes, findRemoved } from "./removed.ts";

export class IncomingLinks {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
  }

  /** Links from other rows to a row. */
  of(row: number): LinkRow[] {
    return this.links(row, row, "inverse");
  }

  /** Links to `target`, except those that the row `own` of the same table owns. */
  links(target: number, own: number, order: string): LinkRow[] {
    const { storage } = this.#context;
    const kinds = new Map(fieldsTo(this.#context, this.#type));
    if (kinds.size === 0) return [];
    const fields = [...kinds.keys()].join(", ");
    const links = readLinkRows(storage, `field IN (${fields}) AND target = +? ORDER BY field, ${order}`, [target]);
    return links.filter(
      ({ field, kind, owner }) =>
        kind === kinds.get(field) && (owner !== own || this.#ownerTable(field) !== this.#type.table),
    );
  }

  /** One-way links from rows of types without drafts, and of components. */
  oneWay(target: number): LinkRow[] {
    const fields = oneWayFieldsTo(this.#context, this.#type);
    if (fields.length === 0) return [];
    const where = `field IN (${fields.join(", ")}) AND target = +? AND kind = 0 ORDER BY field, owner, position`;
    return readLinkRows(this.#context.storage, where, [target]);
  }

  /** The owner may be gone: it may have been a component of the deleted version. */
  ownerExists({ field, owner }: LinkRow): boolean {
    const table = this.#ownerTable(field);
    return this.#context.storage.first(`SELECT 1 FROM ${quote(table)} WHERE id = ?`, [owner]) !== undefined;
  }

  /** Field names have the form `<owner's table>.<attribute>><target's table>`. */
  #ownerTable(field: number): string {
    const name = this.#context.storage.findName(field)!;
    return name.slice(0, name.indexOf("."));
  }

  /** The version that a link's owner belongs to, following components up to their document; undefined without drafts. */
  ownerVersion(field: number, owner: number): Status | undefined {
    const table = this.#ownerTable(field);
    const removed = findRemoved(this.#context);
    const schema = removed.schemaIn(table);
    if (!schema) return undefined;
    if (schema.modelType === "contentType") {
      if (!schema.draftAndPublish) return undefined;
      return this.#context.storage.first(`SELECT status FROM ${quote(table)} WHERE id = ?`, [owner])?.[0] as
        | Status
        | undefined;
    }
    for (const parent of removed.allSchemas) {
      for (const attribute of allAttributes(this.#context, parent)) {
        const holds =
          (attribute.kind === "component" && attribute.component === schema.uid) || attribute.kind === "zone";
        if (!holds) continue;
        const number = this.#context.storage.number(attribute.link.field);
        const kind = attribute.kind === "zone" ? this.#context.storage.number(table) : 0;
        const [link] = readLinkRows(this.#context.storage, "field = ? AND target = ? AND kind = ?", [
          number,
          owner,
          kind,
        ]);
        if (link) return this.ownerVersion(number, link.owner);
      }
    }
    return undefined;
  }
}
