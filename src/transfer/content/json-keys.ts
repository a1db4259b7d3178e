/** Repeated keys in JSON, which `JSON.parse` accepts without a word. */

const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[[{}\]]/g;

/** Whether an object of a text that is valid JSON has a key twice. `value`: the parsed text. */
export function repeatsKey(text: string, value: unknown): boolean {
  // exact, and much faster than the search for tokens: a repeated key is not printed again
  if (JSON.stringify(value) === text) return false;
  const open: (Set<string> | undefined)[] = [];
  for (const [token, colon] of text.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (colon !== undefined) {
      const key: string = JSON.parse(token.slice(0, -colon.length));
      const keys = open.at(-1)!;
      if (keys.has(key)) return true;
      keys.add(key);
    }
  }
  return false;
}
