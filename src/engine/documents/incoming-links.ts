/** The links of other rows to those of a content-type, and the versions that these belong to. */
import type { Status } from "../query/reading.ts";
import { type ContentType, mayHold } from "../schema/model.ts";
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

  /**
   * Links from other rows to a row, and the one-way links to another version from rows that may be without versions; in one statement.
   */
  ofVersions(row: number, other: number): { readonly links: LinkRow[]; readonly oneWay: LinkRow[] } {
    const fields = new Set(oneWayFieldsTo(this.#context, this.#type));
    const read = this.#read(fields.size > 0 ? [row, other] : [row], row, "inverse");
    return {
      links: read.filter(({ target }) => target === row),
      oneWay: read.filter(({ target, field }) => target === other && fields.has(field)),
    };
  }

  /** Links to `target`, except those that the row `own` of the same table owns. */
  links(target: number, own: number, order: string): LinkRow[] {
    return this.#read([target], own, order);
  }

  #read(targets: readonly number[], own: number, order: string): LinkRow[] {
    const { storage } = this.#context;
    const kinds = new Map(fieldsTo(this.#context, this.#type));
    if (kinds.size === 0) return [];
    const fields = [...kinds.keys()].join(", ");
    const those = targets.map(() => "+?").join(", ");
    const links = readLinkRows(
      storage,
      `field IN (${fields}) AND target IN (${those}) ORDER BY field, ${order}`,
      targets,
    );
    return links.filter(
      ({ field, kind, owner }) =>
        kind === kinds.get(field) && (owner !== own || this.#ownerTable(field) !== this.#type.table),
    );
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
        if (!mayHold(attribute, schema)) continue;
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
