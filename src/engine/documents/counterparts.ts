/** Finds the rows of the same document and locale in the other version. */
import type { Status } from "../query/read-context.ts";
import { hasVersions, type MediaAttribute, type RelationAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import type { Edge } from "./edges.ts";
import { removedOf } from "./removed.ts";

/** The type is undefined when it has never been in the model. */
interface LinkTarget {
  readonly uid: string | undefined;
  readonly id: number;
  /** The copied edge leads to a row of this status itself: a dangling link, if it is copied from the other version. */
  readonly isDangling: boolean;
}

export type LinkAttribute = RelationAttribute | MediaAttribute;

export class Counterparts {
  readonly #context: DocumentsContext;

  constructor(context: DocumentsContext) {
    this.#context = context;
  }

  /** The row of the same document and locale with this status; the row itself for types without drafts. */
  of(uid: string, row: number, status: Status): number | undefined {
    return this.ofAll(uid, [row], status).get(row);
  }

  /** As `of`, for several rows of a type, in one statement. */
  ofAll(uid: string, rows: readonly number[], status: Status): ReadonlyMap<number, number> {
    const type = removedOf(this.#context).schemaOf(uid);
    if (!type) throw new Error(`The content-type ${uid} does not exist`);
    return this.#ofType(type, rows, status);
  }

  #ofType(type: Schema, rows: readonly number[], status: Status): ReadonlyMap<number, number> {
    if (!hasVersions(type) || rows.length === 0) return new Map(rows.map((row) => [row, row]));
    const table = quote(type.table);
    const sql = `SELECT t.id, o.id FROM ${table} t JOIN ${table} o ON o.document_id = t.document_id AND o.locale IS t.locale
      WHERE t.id IN (SELECT value FROM json_each(?)) AND o.status = ?`;
    return new Map(this.#context.storage.all(sql, [JSON.stringify(rows), status]) as [number, number][]);
  }

  /** The targets of copied edges: the `status` version of each target, or the same row if there is none. */
  targets(status: Status, attribute: LinkAttribute, edges: readonly Edge[]): ReadonlyMap<Edge, LinkTarget> {
    const targets = new Map<Edge, LinkTarget>();
    for (const [kind, edgesOfKind] of Map.groupBy(edges, (edge) => edge.kind)) {
      const type = this.#targetType(attribute, kind);
      const ids = edgesOfKind.map(({ target }) => target);
      const counterparts = type && this.#ofType(type, ids, status);
      for (const edge of edgesOfKind) {
        const id = counterparts?.get(edge.target);
        const isDangling = hasVersions(type) && id === edge.target;
        targets.set(edge, { uid: type?.uid, id: id ?? edge.target, isDangling });
      }
    }
    return targets;
  }

  /** The type of an edge's target; polymorphic edges have it as their kind. */
  #targetType(attribute: LinkAttribute, kind: number): Schema | undefined {
    const removed = removedOf(this.#context);
    if (attribute.target) return removed.schemaOf(attribute.target);
    return removed.schemaIn(this.#context.storage.nameOf(kind));
  }
}
