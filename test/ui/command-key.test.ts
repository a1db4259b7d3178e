/** Keys with Ctrl, in layouts of several scripts. */
import { expect, test } from "bun:test";
import { commandKey } from "../../src/ui/command-key.ts";

const pressed = (key: string, code: string, rest: object = {}) =>
  commandKey({ key, code, ctrlKey: true, metaKey: false, altKey: false, ...rest });

test.each([
  ["s", "KeyS", "s"],
  // Caps Lock
  ["S", "KeyS", "s"],
  // Cyrillic, Hebrew, Greek
  ["ы", "KeyS", "s"],
  ["ז", "KeyZ", "z"],
  ["κ", "KeyK", "k"],
  // Latin letters that are elsewhere: German, Dvorak
  ["z", "KeyY", "z"],
  ["s", "Semicolon", "s"],
  ["Enter", "Enter", "Enter"],
  ["ö", "Semicolon", "ö"],
])("%s of %s is %s", (key, code, letter) => {
  expect(pressed(key, code)).toBe(letter);
});

test("a key without Ctrl, or with Alt, is not a command", () => {
  expect(pressed("s", "KeyS", { ctrlKey: false })).toBeUndefined();
  expect(pressed("ś", "KeyS", { altKey: true })).toBeUndefined();
});
