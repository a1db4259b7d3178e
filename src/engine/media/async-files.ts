/** Loads `node:fs/promises` on demand: no start needs it, and loading takes more than a millisecond. */
export const asyncFiles = (): typeof import("node:fs/promises") => require("node:fs/promises");
