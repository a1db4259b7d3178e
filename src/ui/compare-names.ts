const ASCII = /^[ -~]*$/;

/** For sorting by name. `Intl` is used only where it makes a difference: its first use takes a browser 20 to 30 ms. */
export function compareNames(left: string, right: string): number {
  if (!ASCII.test(left + right)) return left.localeCompare(right);
  const [a, b] = [left.toLowerCase(), right.toLowerCase()];
  return a < b ? -1 : a > b ? 1 : 0;
}
