/** Counts names from an archive, with limited memory. */
import { MAX_COUNTED_NAMES } from "../archive/limits.ts";

const OTHERS = "(others)";
const MAX_NAME_LENGTH = 200;

/** Further names beyond `MAX_COUNTED_NAMES` are counted together. */
export function countName(counts: Map<string, number>, name: string): void {
  const short = name.slice(0, MAX_NAME_LENGTH);
  const key = counts.size < MAX_COUNTED_NAMES || counts.has(short) ? short : OTHERS;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
