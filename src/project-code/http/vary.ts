/** The header `Vary`. */

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Adds names that the header does not have yet; `*` replaces them all. Throws a TypeError for no name, and for an invalid one. */
export function varyBy(header: string, names: string | readonly string[]): string {
  if (!names || names.length === 0) throw new TypeError("field argument is required");
  const listOf = (text: string): string[] => text.split(",").map((name) => name.trim());
  const added = [names].flat().flatMap(listOf);
  if (!added.every((name) => NAME.test(name))) throw new TypeError("field argument contains an invalid header name");
  const known = new Map<string, string>();
  for (const name of [...listOf(header).filter(Boolean), ...added]) {
    const key = name.toLowerCase();
    if (!known.has(key)) known.set(key, name);
  }
  return known.has("*") ? "*" : [...known.values()].join(", ");
}
