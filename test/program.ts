/**
 * The command line of Galley before its arguments: the executable that `scripts/test.ts` has built, which starts in a fraction of the
 * processor time, or else the source.
 */
import { join } from "node:path";

export const FROM_SOURCE: readonly string[] = [process.execPath, join(import.meta.dir, "../src/main.ts")];

const { GALLEY_EXECUTABLE: executable } = process.env;
export const PROGRAM: readonly string[] = executable ? [executable] : FROM_SOURCE;
