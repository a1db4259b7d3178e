import { confirm } from "../widgets/confirm.tsx";
import type { Version } from "./document-requests.ts";
import { timeText } from "./time-text.ts";

/** Asks whether to save over a version of somebody else. */
export const confirmOverwrite = ({ updatedAt }: Version): Promise<boolean> =>
  confirm({
    title: "Somebody else saved this document",
    text: `It was saved ${timeText(updatedAt)}, after you had opened it. Your changes can be written over theirs; fields that you did not change stay as they are now. Or close this, and your text stays here.`,
    action: "Save mine over theirs",
    isDangerous: true,
  });
