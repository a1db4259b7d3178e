/** Node's file functions that return promises: no start needs them, and loading them takes more than a millisecond of it. */
export const asyncFiles = (): typeof import("node:fs/promises") => require("node:fs/promises");
