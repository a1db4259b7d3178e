/** Two texts as one, with conflict markers as git writes them around the lines that differ. */
import { diffLines } from "diff";

const OURS = "<<<<<<< ours";
const BETWEEN = "=======";
const THEIRS = ">>>>>>> theirs";

/** Of more added and removed lines, everything is marked as one conflict: the time grows with the square of this number. */
const MAX_CHANGES = 1_500;

/** Every line of each text is in the result, in its order: either side of the markers is that text. */
export function markConflicts(ours: string, theirs: string): string {
  const lineEnd = ours.includes("\r\n") ? "\r\n" : "\n";
  const ended = (lines: string): string => (lines === "" || lines.endsWith("\n") ? lines : `${lines}${lineEnd}`);
  const mark = (our: string, their: string): string =>
    our + their === "" ? "" : `${OURS}${lineEnd}${ended(our)}${BETWEEN}${lineEnd}${ended(their)}${THEIRS}${lineEnd}`;
  const changes = diffLines(ours, theirs, { maxEditLength: MAX_CHANGES });
  if (!changes) return mark(ours, theirs);
  let marked = "";
  let [our, their] = ["", ""];
  for (const { value, added, removed } of changes) {
    if (removed) our += value;
    else if (added) their += value;
    else {
      marked += mark(our, their) + value;
      [our, their] = ["", ""];
    }
  }
  return marked + mark(our, their);
}
