import { confirm } from "../widgets/confirm.tsx";
import type { NewerVersion } from "./document-requests.ts";
import { timeText } from "./time-text.ts";

/** Asks whether to save over a version of somebody else. */
export const confirmOverwrite = ({ at }: NewerVersion): Promise<boolean> =>
  confirm({
    title: "Somebody else saved this document",
    text: `It was saved${at === undefined ? "" : ` ${timeText(at)},`} after you had opened it. Your changes can be written over theirs; fields that you did not change stay as they are now. Or close this, and your text stays here.`,
    action: "Save mine over theirs",
    isDangerous: true,
  });
