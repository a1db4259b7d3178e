/**
 * Content of version 4 has no document ids. Rows that are linked as localizations of each other become one document, as in Strapi's
 * migration.
 */
import type { ContentType, Model } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { ImportScope } from "./scope.ts";

/** Groups of row ids of one type (union-find). */
class Groups {
  readonly #parents = new Map<number, number>();

  #root(id: number): number {
    let root = id;
    for (let next = this.#parents.get(root); next !== undefined && next !== root; next = this.#parents.get(root))
      root = next;
    // path compression
    this.#parents.set(id, root);
    return root;
  }

  join(a: number, b: number): void {
    const [first, second] = [this.#root(a), this.#root(b)];
    this.#parents.set(Math.max(first, second), Math.min(first, second));
  }

  /** Yields each row with the first row of its group, except for the first rows themselves. */
  *members(): Generator<readonly [id: number, first: number]> {
    for (const id of this.#parents.keys()) {
      const first = this.#root(id);
      if (first !== id) yield [id, first];
    }
  }
}

export class Localizations {
  readonly #groups = new Map<string, Groups>();

  /** `a` and `b`: ids of the archive. */
  add(uid: string, a: number, b: number): void {
    this.#groups.getOrInsertComputed(uid, () => new Groups()).join(a, b);
  }

  /** Sets document ids. Call it when the rows have been imported. */
  apply(storage: Storage, model: Model, scope: ImportScope): void {
    for (const [uid, groups] of this.#groups) {
      const type = model.types.get(uid);
      if (type?.localized) this.#unite(storage, type, groups, scope);
    }
  }

  #unite(storage: Storage, type: ContentType, groups: Groups, scope: ImportScope): void {
    const table = quote(type.table);
    const sql = `UPDATE ${table} SET document_id = coalesce((SELECT document_id FROM ${table} WHERE id = ?), document_id) WHERE id = ?`;
    for (const [id, first] of groups.members()) storage.run(sql, [scope.findId(type, first), scope.findId(type, id)]);
  }
}
