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

/** The words of a name or uid without what is between them: `api::my-tag.my-tag` is `ApiMyTagMyTag`. */
export const pascalCase = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
