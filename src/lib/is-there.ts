import { statSync } from "node:fs";

/** Unlike `existsSync`, this throws the error of the system for what may be there, but may not be seen. */
export const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
