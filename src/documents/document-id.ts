/** Document ids: 24 characters of a-z and 0-9, the first one a letter. */

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

function makeGenerator(): () => string {
  // a server that is only read makes no id
  const { customAlphabet } = require("nanoid") as typeof import("nanoid");
  const letter = customAlphabet(LETTERS, 1);
  const rest = customAlphabet(`${LETTERS}0123456789`, 23);
  return () => letter() + rest();
}

let generate: (() => string) | undefined;

export function createDocumentId(): string {
  generate ??= makeGenerator();
  return generate();
}
