const ASCII = /^[ -~]*$/;
const NUMBER = /(\d+)/;

const compare = <T>(left: T, right: T): number => (left < right ? -1 : left > right ? 1 : 0);

/** Digits by the number that they are, so that 2 comes before 10. Parts with odd indexes are digits. */
function compareParts(left: readonly string[], right: readonly string[]): number {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [a, b] = [left[index]!, right[index]!];
    const order = index % 2 === 1 ? compare(Number(a), Number(b)) : compare(a, b);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** For sorting by name. `Intl` is used only where it makes a difference: its first use takes a browser 20 to 30 ms. */
export function compareNames(left: string, right: string): number {
  if (!ASCII.test(left + right)) return left.localeCompare(right, undefined, { numeric: true });
  return compareParts(left.toLowerCase().split(NUMBER), right.toLowerCase().split(NUMBER));
}
