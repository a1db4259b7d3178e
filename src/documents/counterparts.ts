/** Finds the rows of the same document and locale in the other version. */
import type { Status } from "../query/read-context.ts";
import { contentType, findType, type MediaAttribute, type RelationAttribute } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import type { Edge } from "./edges.ts";

/** The type is undefined when it is no longer in the model. */
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
    const type = contentType(this.#context.model, uid);
    if (!type.draftAndPublish || rows.length === 0) return new Map(rows.map((row) => [row, row]));
    const table = quote(type.table);
    const sql = `SELECT t.id, o.id FROM ${table} t JOIN ${table} o ON o.document_id = t.document_id AND o.locale IS t.locale
      WHERE t.id IN (SELECT value FROM json_each(?)) AND o.status = ?`;
    return new Map(this.#context.storage.all(sql, [JSON.stringify(rows), status]) as [number, number][]);
  }

  /** The targets of copied edges: the `status` version of each target, or the same row if there is none. */
  targets(status: Status, attribute: LinkAttribute, edges: readonly Edge[]): ReadonlyMap<Edge, LinkTarget> {
    const targets = new Map<Edge, LinkTarget>();
    for (const [kind, edgesOfKind] of Map.groupBy(edges, (edge) => edge.kind)) {
      const uid = this.#targetUid(attribute, kind);
      const ids = edgesOfKind.map(({ target }) => target);
      const type = uid === undefined ? undefined : findType(this.#context.model, uid);
      const counterparts = type && this.ofAll(type.uid, ids, status);
      for (const edge of edgesOfKind) {
        const id = counterparts?.get(edge.target);
        const isDangling = type?.draftAndPublish === true && id === edge.target;
        targets.set(edge, { uid, id: id ?? edge.target, isDangling });
      }
    }
    return targets;
  }

  /** The type of an edge's target; polymorphic edges have it as their kind. */
  #targetUid(attribute: LinkAttribute, kind: number): string | undefined {
    if (attribute.target) return attribute.target;
    const table = this.#context.storage.nameOf(kind);
    return [...this.#context.model.types.values()].find((type) => type.table === table)?.uid;
  }
}
