/** A text beside another version of it: the words that the other does not have are marked. */
import { changedParts } from "./word-diff.ts";

interface ChangedWordsProps {
  readonly text: string;
  readonly other: string;
  /** `ins` for the newer text, `del` for the older one. */
  readonly mark: "ins" | "del";
}

export const ChangedWords = ({ text, other, mark: Mark }: ChangedWordsProps) => (
  <div class="changed-words" dir="auto">
    {changedParts(text, other).map(({ text: part, isChanged }, index) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
      isChanged ? <Mark key={index}>{part}</Mark> : part,
    )}
  </div>
);
