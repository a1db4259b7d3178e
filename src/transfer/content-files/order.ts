/** Orders the types of content files, so that most links lead to documents that have already been created. */

/** Types that the entries of each type link to; true if through a required relation. */
export type Needs = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

/**
 * Sorts types topologically: each comes after those it needs. Cycles are broken at optional links if possible. Otherwise the
 * order of `types` is kept.
 */
export function loadingOrder(types: readonly string[], needs: Needs): string[] {
  const remaining = new Set(types);
  const order: string[] = [];
  const isReady = (type: string, requiredOnly: boolean): boolean =>
    [...(needs.get(type) ?? [])].every(
      ([other, required]) => other === type || !remaining.has(other) || (requiredOnly && !required),
    );
  while (remaining.size > 0) {
    const pending = [...remaining];
    const next = pending.find((type) => isReady(type, false)) ?? pending.find((type) => isReady(type, true));
    // no order satisfies types that require each other
    const type = next ?? pending[0]!;
    remaining.delete(type);
    order.push(type);
  }
  return order;
}
