/** The headers of a request that code may have changed. */

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : Array.isArray(value) ? value.join(", ") : String(value);

const isHeader = (name: string, value: string | undefined): boolean =>
  value !== undefined && /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

/** Undefined if they are as received. Those that cannot be sent are left out. */
export function changedHeaders(received: Headers, own: Readonly<Record<string, unknown>>): Headers | undefined {
  if (Bun.deepEquals(own, received.toJSON())) return undefined;
  const values = Object.entries(own).map(([name, value]) => [name, textOf(value)] as const);
  return new Headers(values.filter((entry): entry is [string, string] => isHeader(...entry)));
}
