/** Letter-case conversions, as the reference splits words. */

/** Words of a name: split at anything but letters and digits, and where a small letter meets a capital. */
export function words(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z\d]+/)
    .filter((word) => word !== "");
}

export const isKebabCase = (name: string): boolean => /^[a-z\d]+(-[a-z\d]+)*$/.test(name);

export const kebabCase = (name: string): string =>
  isKebabCase(name)
    ? name
    : words(name)
        .map((word) => word.toLowerCase())
        .join("-");
