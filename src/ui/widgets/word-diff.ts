/** Which words of a text another version of it does not have. */
import { diffWordsWithSpace } from "diff";

export interface TextPart {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Of more changes, or when it takes longer, all of what differs counts as changed. */
const MAX_CHANGES = 2_000;
const MAX_MS = 200;

/** The parts of `text`, in their order. */
export function changedParts(text: string, other: string): readonly TextPart[] {
  const changes = diffWordsWithSpace(other, text, { maxEditLength: MAX_CHANGES, timeout: MAX_MS });
  if (!changes) return [{ text, isChanged: true }];
  return changes.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, isChanged: added }));
}
