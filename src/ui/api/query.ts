/** Query strings in the server's bracket form: `filters[title][$eq]=a&sort[0]=title`. */

function addPairs(pairs: string[], name: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) addPairs(pairs, `${name}[${encodeURIComponent(key)}]`, item);
  } else pairs.push(`${name}=${encodeURIComponent(String(value ?? ""))}`);
}

/** Undefined values are left out. */
export function toQuery(params: object): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(params)) addPairs(pairs, encodeURIComponent(name), value);
  return pairs.join("&");
}
