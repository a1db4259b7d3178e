/** Keys that are pressed with Ctrl, or with Command on a Mac. */

type Pressed = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey">;

/**
 * The letter, or the name, of a key that is pressed with Ctrl; undefined without it. In layouts of other scripts, such as Cyrillic
 * or Hebrew, it is the letter of the key's place, as in browsers. Caps Lock changes nothing.
 */
export function commandKey({ key, code, ctrlKey, metaKey, altKey }: Pressed): string | undefined {
  if (altKey || !(ctrlKey || metaKey)) return undefined;
  const letter = key.length === 1 ? key.toLowerCase() : key;
  return !/^[a-z]$/.test(letter) && code.startsWith("Key") ? code.slice(3).toLowerCase() : letter;
}
