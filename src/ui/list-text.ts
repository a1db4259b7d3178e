/** The first of several names, and how many more there are. `count`: of all, where `names` are not all of them. */
export function listText(names: readonly string[], most: number, count = names.length): string {
  const shown = names.slice(0, most);
  const more = count - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more.toLocaleString()} more` : "");
}
