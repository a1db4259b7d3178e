/** Inserts links in batches. */
import { TIE_STEP, TOLERANCE } from "../../engine/documents/link-order.ts";
import { addPolymorphicLinks, type PolymorphicLink } from "../../engine/documents/polymorphic-links.ts";
import type { Storage } from "../../engine/storage/storage.ts";

/** Links per statement. */
const BATCH = 64;

type LinkTuple = readonly [
  field: number,
  owner: number,
  position: number,
  target: number,
  kind: number,
  inverse: number,
];

/** Whether an earlier link has the same position in the list of a target, where links are sorted by owner then. */
const HAS_TIE = `SELECT 1 FROM json_each(?) e WHERE EXISTS (SELECT 1 FROM galley_links
  WHERE field = e.value ->> 0 AND target = e.value ->> 3 AND inverse = e.value ->> 5 AND owner > e.value ->> 1) LIMIT 1`;

const LAST_OF_TIE = `SELECT inverse, owner FROM galley_links WHERE field = ? AND target = ? AND inverse BETWEEN ? AND ?
  ORDER BY inverse DESC, owner DESC LIMIT 1`;

export class LinkInserter {
  readonly #storage: Storage;
  #pending: LinkTuple[] = [];
  /** Those that are sorted by their target. */
  #pendingInverse: LinkTuple[] = [];
  written = 0;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** `position`: in the owner's list; `inverse`: in the target's list. An existing link is not changed. */
  add(field: number, owner: number, position: number, target: number, kind: number, inverse: number): void {
    this.#pending.push([field, owner, position, target, kind, inverse]);
    if (this.#pending.length === BATCH) this.flush();
  }

  /** Of equal positions in the target's list, that of the archive's earlier link is first, as in Strapi. */
  addInOrder(field: number, owner: number, position: number, target: number, inverse: number): void {
    this.#pendingInverse.push([field, owner, position, target, 0, inverse]);
    this.add(field, owner, position, target, 0, inverse);
  }

  /** Of a morphToMany relation, whose links may have the same order: they are read in that of the archive. */
  addPolymorphic(field: number, link: PolymorphicLink): void {
    this.written += addPolymorphicLinks(this.#storage, field, [link], 0);
  }

  flush(): void {
    const [pending, inverse] = [this.#pending, this.#pendingInverse];
    [this.#pending, this.#pendingInverse] = [[], []];
    if (pending.length === 0) return;
    if (!this.#hasTies(inverse)) return this.#insert(pending);
    const ordered = new Set(inverse.map((link) => link.join(" ")));
    for (const link of pending) this.#insert([ordered.has(link.join(" ")) ? this.#afterTie(link) : link]);
  }

  #hasTies(links: readonly LinkTuple[]): boolean {
    const owners = new Map<string, number>();
    for (const [field, owner, , target, , inverse] of links) {
      const place = `${field} ${target} ${inverse}`;
      const last = owners.get(place) ?? 0;
      if (last > owner) return true;
      owners.set(place, owner);
    }
    return links.length > 0 && this.#storage.first(HAS_TIE, [JSON.stringify(links)]) !== undefined;
  }

  #afterTie(link: LinkTuple): LinkTuple {
    const [field, owner, position, target, kind, inverse] = link;
    const last = this.#storage.first(LAST_OF_TIE, [field, target, inverse, inverse + TOLERANCE / 2]);
    if (!last || (last[1] as number) < owner)
      return last ? [field, owner, position, target, kind, last[0] as number] : link;
    return [field, owner, position, target, kind, (last[0] as number) + TIE_STEP];
  }

  #insert(links: readonly LinkTuple[]): void {
    const rows = links.map(() => "(?, ?, ?, ?, ?, ?, NULL)").join(", ");
    this.written += this.#storage.run(`INSERT OR IGNORE INTO galley_links VALUES ${rows}`, links.flat()).changes;
  }
}
