/** Values as the reference writes them into messages: strings in quotes, structures as JSON indented by two. */

function printSimple(value: unknown): string | undefined {
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "string") return `"${value}"`;
  if (typeof value === "bigint") return String(value);
  return undefined;
}

/** In structures every simple value is printed first and then encoded, so that strings stand in two pairs of quotes. */
export function printValue(value: unknown): string {
  return printSimple(value) ?? JSON.stringify(value, (_key, inner) => printSimple(inner) ?? inner, 2);
}

/** "must be a `T` type"; names the value before casting where casting changed it. */
export function typeMessage(path: string, expected: string, value: unknown, original: unknown): string {
  const cast = original !== null && original !== undefined && original !== value;
  const origin = cast ? ` (cast from the value \`${printValue(original)}\`).` : ".";
  return `${path} must be a \`${expected}\` type, but the final value was: \`${printValue(value)}\`${origin}`;
}
