/** Edges that lead to the rows of a type's documents, and whom they belong to. */
import type { Status } from "../query/read-context.ts";
import type { ContentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import { fieldsTo } from "./delete-row.ts";
import { type Edge, placeholders, readEdges } from "./edges.ts";

export class IncomingEdges {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;

  constructor(context: DocumentsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
  }

  /** Edges from other rows to a version that is about to go. */
  of(row: number): Edge[] {
    return this.edges(row, row, "inverse");
  }

  /** Edges to `target`, but for those that `own` has; rows of other tables may have the same id. */
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

  /** An owner may have been a component of the version that is gone. */
  ownerExists({ field, owner }: Edge): boolean {
    const table = this.#ownerTable(field);
    return this.#context.storage.first(`SELECT 1 FROM ${quote(table)} WHERE id = ?`, [owner]) !== undefined;
  }

  /** Names of fields begin with their owner's table. */
  #ownerTable(field: number): string {
    const name = this.#context.storage.nameOf(field)!;
    return name.slice(0, name.indexOf("."));
  }

  /** The version to which an edge's owner belongs, through the components around it; undefined without drafts. */
  ownerVersion(field: number, owner: number): Status | undefined {
    const table = this.#ownerTable(field);
    const { model } = this.#context;
    const schema = [...model.types.values(), ...model.components.values()].find((item) => item.table === table);
    if (!schema) return undefined;
    if (schema.modelType === "contentType") {
      if (!schema.draftAndPublish) return undefined;
      return this.#context.storage.first(`SELECT status FROM ${quote(table)} WHERE id = ?`, [owner])?.[0] as
        | Status
        | undefined;
    }
    for (const parent of [...model.types.values(), ...model.components.values()]) {
      for (const attribute of parent.attributes.values()) {
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
