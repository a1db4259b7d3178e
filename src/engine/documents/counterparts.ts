/** Finds the rows of the same document and locale in the other version. */

import type { Status } from "../query/reading.ts";
import { hasVersions, type MediaAttribute, type RelationAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import { among, type LinkRow } from "./link-rows.ts";
import { findRemoved } from "./removed.ts";

/** The type is undefined when it has never been in the model. */
interface LinkTarget {
  readonly uid: string | undefined;
  readonly id: number;
  /** The copied link leads to a row of this status itself: a dangling link, if it is copied from the other version. */
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
    const type = findRemoved(this.#context).findSchema(uid);
    if (!type) throw new Error(`The content-type ${uid} does not exist`);
    return this.#ofType(type, rows, status);
  }

  #ofType(type: Schema, rows: readonly number[], status: Status): ReadonlyMap<number, number> {
    if (!hasVersions(type) || rows.length === 0) return new Map(rows.map((row) => [row, row]));
    const table = quote(type.table);
    const [those, param] = among(rows);
    const sql = `SELECT t.id, o.id FROM ${table} t JOIN ${table} o ON o.document_id = t.document_id AND o.locale IS t.locale
      WHERE t.id ${those} AND o.status = +?`;
    return new Map(this.#context.storage.all(sql, [param, status]) as [number, number][]);
  }

  /** The targets of copied links: the `status` version of each target, or the same row if there is none. */
  targets(status: Status, attribute: LinkAttribute, links: readonly LinkRow[]): ReadonlyMap<LinkRow, LinkTarget> {
    const targets = new Map<LinkRow, LinkTarget>();
    for (const [kind, edgesOfKind] of Map.groupBy(links, (link) => link.kind)) {
      const type = this.#targetType(attribute, kind);
      const ids = edgesOfKind.map(({ target }) => target);
      const counterparts = type && this.#ofType(type, ids, status);
      for (const link of edgesOfKind) {
        const id = counterparts?.get(link.target);
        const isDangling = hasVersions(type) && id === link.target;
        targets.set(link, { uid: type?.uid, id: id ?? link.target, isDangling });
      }
    }
    return targets;
  }

  /** The type of a link's target; polymorphic links have it as their kind. */
  #targetType(attribute: LinkAttribute, kind: number): Schema | undefined {
    const removed = findRemoved(this.#context);
    if (attribute.target) return removed.findSchema(attribute.target);
    return removed.schemaIn(this.#context.storage.findName(kind));
  }
}
