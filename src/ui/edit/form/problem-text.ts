/** Validation errors in the words of a form. The server's are for clients of its API: they name the attribute by its path. */

/** What the server says of an attribute, and how a form says it. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/^(must be defined|cannot be null)\.?$/, "Required"],
  [/^must be a `\w+` type, but the final value was: `null`\.?$/, "Required"],
  [/^must be a `number` type, .*$/s, "Must be a number"],
  [/^must be a `(\w+)` type, .*$/s, "Must be of type $1"],
  [/^must be one of the following values: (.*?),? *$/s, "Must be one of: $1"],
];

/** The message for the field of an attribute, whose name its label shows. */
export function problemText(message: string, name: string): string {
  const [path = "", ...words] = message.split(" ");
  if (path !== name && !path.endsWith(`.${name}`)) return message;
  const rest = words.join(" ");
  for (const [pattern, text] of phrases) if (pattern.test(rest)) return rest.replace(pattern, text);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
