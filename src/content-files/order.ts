/** In which order the types of content files are loaded, so that most links lead to documents that are there already. */

/** By type, the types that its entries name; true where a required relation does. */
export type Needs = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

/**
 * The types so that each comes after those it needs. Where types need each other, optional links are broken up before
 * required ones; of several possible orders it is the given one.
 */
export function loadingOrder(types: readonly string[], needs: Needs): string[] {
  const left = new Set(types);
  const order: string[] = [];
  const isFree = (type: string, requiredOnly: boolean): boolean =>
    [...(needs.get(type) ?? [])].every(
      ([other, required]) => other === type || !left.has(other) || (requiredOnly && !required),
    );
  while (left.size > 0) {
    const pending = [...left];
    const next = pending.find((type) => isFree(type, false)) ?? pending.find((type) => isFree(type, true));
    // types that require each other cannot be satisfied by any order
    const type = next ?? pending[0]!;
    left.delete(type);
    order.push(type);
  }
  return order;
}
