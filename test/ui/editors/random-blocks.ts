/** Random values of a blocks attribute: well-formed ones, ones with keys of others, and what no editor would write. */
import type { Random } from "../../random.ts";

const WORDS = [
  "ferry",
  "cold ",
  " map",
  "of\none",
  "é",
  "👩‍👩‍👧",
  "<b>",
  "&amp;",
  "\t",
  "  ",
  "\u2028",
  "مرحبا",
  "\\",
  "",
  "\n",
];
const KEYS = ["id", "color", "data-x", "__proto__x", "level", "format", "language", "textAlign", "1", "meta"];

export function randomJson(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 3 ? 5 : 7);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.below(10_000) / 8;
  if (kind < 5) return random.pick(WORDS);
  const items = Array.from({ length: random.below(4) }, () => randomJson(random, depth + 1));
  return kind === 5 ? items : Object.fromEntries(items.map((item) => [random.pick(KEYS), item]));
}

const extraKeys = (random: Random): Record<string, unknown> =>
  random.chance(0.8) ? {} : Object.fromEntries([[random.pick(KEYS), randomJson(random)]]);

const text = (random: Random): unknown => {
  const styles = ["bold", "italic", "underline", "strikethrough", "code"].filter(() => random.chance(0.15));
  return {
    type: "text",
    text: random.chance(0.02) ? randomJson(random) : random.pick(WORDS) + random.pick(WORDS),
    ...Object.fromEntries(styles.map((style) => [style, random.chance(0.9) ? true : randomJson(random)])),
    ...extraKeys(random),
  };
};

const many = (random: Random, most: number, make: () => unknown): unknown[] =>
  Array.from({ length: random.below(most + 1) }, make);

const link = (random: Random): unknown => ({
  type: "link",
  url: random.chance(0.9) ? "https://example.com/a?b=1" : randomJson(random),
  children: random.chance(0.95) ? many(random, 3, () => text(random)) : randomJson(random),
  ...extraKeys(random),
});

function inline(random: Random): unknown {
  if (random.chance(0.03)) return randomJson(random);
  if (random.chance(0.02)) return block(random, 3);
  return random.chance(0.2) ? link(random) : text(random);
}

const prose = (random: Random): unknown[] => many(random, 5, () => inline(random));

const item = (random: Random, depth: number): unknown => {
  if (random.chance(0.05)) return block(random, depth + 1);
  return random.chance(0.25) && depth < 6
    ? list(random, depth + 1)
    : { type: "list-item", children: prose(random), ...extraKeys(random) };
};

const list = (random: Random, depth: number): unknown => ({
  type: "list",
  format: random.chance(0.95) ? random.pick(["ordered", "unordered"]) : randomJson(random),
  children: many(random, 5, () => item(random, depth)),
  ...(random.chance(0.5) ? { indentLevel: depth } : {}),
  ...extraKeys(random),
});

const makers: readonly ((random: Random, depth: number) => unknown)[] = [
  (random) => ({ type: "paragraph", children: prose(random), ...extraKeys(random) }),
  (random) => ({ ...extraKeys(random), children: prose(random), type: "paragraph" }),
  (random) => ({ type: "heading", children: prose(random), level: random.below(8), ...extraKeys(random) }),
  (random) => ({ type: "quote", children: prose(random), ...extraKeys(random) }),
  (random) => ({
    type: "code",
    ...(random.chance(0.5) ? { language: random.pick(["typescript", null, 5]) } : {}),
    children: many(random, 3, () => (random.chance(0.1) ? inline(random) : text(random))),
  }),
  (random) => ({
    type: "image",
    image: random.chance(0.9) ? { url: "/uploads/a.png", name: "a.png", ...extraKeys(random) } : randomJson(random),
    children: [{ type: "text", text: "" }],
    ...extraKeys(random),
  }),
  list,
  (random) => ({ type: random.pick(["table", "list-item", "link", "toString", "text"]), children: prose(random) }),
  (random) => randomJson(random),
];

export const block = (random: Random, depth = 0): unknown => random.pick(makers)(random, depth);

/** As it comes from the API: a list, that has been JSON. */
export const randomBlocks = (random: Random): unknown[] =>
  JSON.parse(JSON.stringify(many(random, 5, () => block(random)))) as unknown[];
