/** One document that differs from the last commit. */

import { api } from "../api/client.ts";
import { documentHref } from "../document-href.ts";
import { listText } from "../list-text.ts";
import { findType } from "../model.ts";
import { Button } from "../widgets/button.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { attempt, showDone } from "../widgets/toasts.tsx";
import type { UncommittedDocument } from "./answers.ts";
import { Differences } from "./differences.tsx";
import { placeWords } from "./words.ts";

const kinds = { added: "New", changed: "Changed", removed: "Deleted" } as const;

/** Names of fields in a question. */
const MAX_NAMES = 5;

/** What a person loses. */
function losses({ kind, differences, more, formerPath, isUnreadable }: UncommittedDocument): string {
  if (kind === "added") return "It is new since the last commit: the document and its file are deleted.";
  if (kind === "removed") return "The document comes back as it is in the last commit.";
  if (isUnreadable) return "The document becomes what it is in the last commit. What its file says now is lost.";
  const names = [...new Set(differences.map(({ path }) => placeWords(path)))];
  const list = listText(names, MAX_NAMES, names.length + more);
  const what = names.length > 0 ? `What has changed since is lost: ${list}.` : "What has changed in its file is lost.";
  const name = formerPath === undefined ? "" : ` The file is called ${formerPath} again.`;
  return `The document becomes what it is in the last commit. ${what}${name} As it is now, it stays in its history.`;
}

function Details({ document }: { readonly document: UncommittedDocument }) {
  const { uid, kind, differences, more, isUnreadable, isCompletion, formerPath } = document;
  if (kind !== "changed") return null;
  if (isUnreadable) return <p class="muted">The file is not valid, or was not in the last commit.</p>;
  if (isCompletion) return <p class="muted">The server has added what a new file does not need to have.</p>;
  return (
    <>
      {differences.length > 0 ? <Differences differences={differences} attributes={findType(uid)?.attributes} /> : null}
      {more > 0 ? <p class="muted">And {more} more.</p> : null}
      {differences.length === 0 && formerPath === undefined ? (
        <p class="muted">Only comments, spaces or the order of keys have changed.</p>
      ) : null}
    </>
  );
}

interface DocumentChangeProps {
  readonly document: UncommittedDocument;
  readonly canDiscard: boolean;
  readonly reload: () => Promise<void>;
}

export function DocumentChange({ document, canDiscard, reload }: DocumentChangeProps) {
  const { path, formerPath, uid, documentId, kind } = document;
  const title = document.title ?? path;
  const discard = async (): Promise<void> => {
    const question = {
      title: `Discard the changes of “${title}”?`,
      text: losses(document),
      action: "Discard",
      isDangerous: kind !== "removed",
    };
    if (!(await confirm(question))) return;
    await attempt(async () => {
      const { data } = await api.post<{ readonly data: { readonly isServed: boolean } }>("/content-changes/discard", {
        path,
      });
      showDone(data.isServed ? "Discarded" : "The file is as in the last commit. It is not served yet");
    });
    await reload();
  };
  return (
    <li class="stack change">
      <header class="row change-head">
        <h3 dir="auto">
          {kind !== "removed" && documentId !== undefined ? (
            <a href={documentHref({ uid, documentId })}>{title}</a>
          ) : (
            title
          )}
        </h3>
        <span class={`badge change-${kind}`}>{kinds[kind]}</span>
        {canDiscard && !document.isCompletion ? (
          <Button kind="small" text="Discard" aria-label={`Discard: ${title}`} onClick={discard} />
        ) : null}
      </header>
      <p class="hint">
        <code>content/{path}</code>
        {formerPath === undefined ? null : (
          <>
            , before <code>content/{formerPath}</code>
          </>
        )}
      </p>
      <Details document={document} />
    </li>
  );
}
