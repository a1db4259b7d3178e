/** Commands of Strapi, which people know from its documentation, with those of Galley that do the same. */
const counterparts: Readonly<Record<string, string>> = {
  develop: "serve",
  dev: "serve",
  start: "serve",
  new: "init",
  transfer: "push or galley pull",
  report: "doctor",
  "configuration:dump": "config dump",
  "config:dump": "config dump",
  "configuration:restore": "config restore",
  "config:restore": "config restore",
  "routes:list": "routes",
  "ts:generate-types": "types",
};

/** "; use …" for a command of Strapi; undefined for other words, and for commands without a counterpart. */
export function counterpartHint(word: string): string | undefined {
  if (word === "build") return "; nothing needs to be built";
  const name = Object.hasOwn(counterparts, word) ? counterparts[word] : undefined;
  return name && `; use galley ${name} instead of strapi ${word}`;
}
