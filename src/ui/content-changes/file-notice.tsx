/** On the page of a document: its file is not valid, or was changed together with the document. */
import { documentHref } from "../document-href.ts";
import { HISTORY_PARAM, hrefTo } from "../router.ts";
import type { ChangedDocument } from "./answers.ts";
import { conflictWords, fileAndLine } from "./attention.tsx";
import { summary } from "./followed.ts";

export function FileNotice({ uid, documentId }: ChangedDocument) {
  const isOwn = (item: Partial<ChangedDocument>): boolean => item.uid === uid && item.documentId === documentId;
  const problem = summary.value?.problems.find(isOwn);
  const conflict = summary.value?.conflicts.find(isOwn);
  return (
    <>
      {problem ? (
        <div class="notice notice-problem" role="status">
          <span>
            The file of this document is not valid ({fileAndLine(problem)}): {problem.key} {problem.reason}. What was
            valid last is served.
          </span>
          <a class="button-link" href={hrefTo("changes")}>
            Changes
          </a>
        </div>
      ) : null}
      {conflict ? (
        <div class="notice" role="status">
          <span>This document was changed here and in its file. {conflictWords(conflict)}</span>
          <a class="button-link" href={documentHref(conflict, { [HISTORY_PARAM]: "open" })}>
            Open the history
          </a>
        </div>
      ) : null}
    </>
  );
}
