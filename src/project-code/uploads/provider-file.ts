/** Finds the package of `config/plugins` that stores files. */
import { createRequire } from "node:module";
import { join } from "node:path";

/** The provider that stores files in the upload folder. */
export const LOCAL = "local";

/** The file of an installed provider, as the reference looks for it; undefined if it is not installed. */
export function providerFile(root: string, name: unknown): string | undefined {
  if (typeof name !== "string" || name === "" || name.toLowerCase() === LOCAL) return undefined;
  const { resolve } = createRequire(join(root, "package.json"));
  for (const id of [`@strapi/provider-upload-${name.toLowerCase()}`, name.toLowerCase(), name]) {
    try {
      return resolve(id);
    } catch {
      // the next name
    }
  }
  return undefined;
}
