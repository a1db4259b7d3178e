/** Finds the edges that lead to rows of a type, and their owners. */
import type { Status } from "../query/read-context.ts";
import type { ContentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import { fieldsTo } from "./delete-row.ts";
import { type Edge, placeholders, readEdges } from "./edges.ts";
import { allAttributes, removedOf } from "./removed.ts";

export class IncomingEdges {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
  }

  /** Edges from other rows to a row. */
  of(row: number): Edge[] {
    return this.edges(row, row, "inverse");
  }

  /** Edges to `target`, except those that the row `own` of the same table owns. */
  edges(target: number, own: number, order: string): Edge[] {
    const { storage } = this.#context;
    const kinds = new Map(fieldsTo(this.#context, this.#type));
    if (kinds.size === 0) return [];
    const fields = [...kinds.keys()];
    const edges = readEdges(storage, `field IN (${placeholders(fields)}) AND target = ? ORDER BY field, ${order}`, [
      ...fields,
      target,
    ]);
    return edges.filter(
      ({ field, kind, owner }) =>
        kind === kinds.get(field) && (owner !== own || this.#ownerTable(field) !== this.#type.table),
    );
  }

  /** The owner may be gone: it may have been a component of the deleted version. */
  ownerExists({ field, owner }: Edge): boolean {
    const table = this.#ownerTable(field);
    return this.#context.storage.first(`SELECT 1 FROM ${quote(table)} WHERE id = ?`, [owner]) !== undefined;
  }

  /** Field names have the form `<owner's table>.<attribute>><target's table>`. */
  #ownerTable(field: number): string {
    const name = this.#context.storage.nameOf(field)!;
    return name.slice(0, name.indexOf("."));
  }

  /** The version that an edge's owner belongs to, following components up to their document; undefined without drafts. */
  ownerVersion(field: number, owner: number): Status | undefined {
    const table = this.#ownerTable(field);
    const removed = removedOf(this.#context);
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
        const [edge] = readEdges(this.#context.storage, "field = ? AND target = ? AND kind = ?", [number, owner, kind]);
        if (edge) return this.ownerVersion(number, edge.owner);
      }
    }
    return undefined;
  }
}
