/**
 * A path of the server, relative to that of a request: browsers may have to put a prefix in front of both, which a proxy removes.
 */
export const relativePath = (from: string, path: string): string =>
  "../".repeat(from.split("/").length - 2) + path.slice(1);
