/** Blocks beside another version of them. */
import type { Mount } from "../editor.ts";
import { BlocksEditor } from "./blocks.tsx";
import { changedWords } from "./changed-words.ts";

/** `other`: the value of the other version. */
export const mountBeside =
  (other: unknown, mark: "ins" | "del"): Mount<unknown> =>
  (parent, options) =>
    new BlocksEditor(parent, options, (doc) => [changedWords(doc, other, mark)]);
