/** Bulk actions for the selected documents. */
import { useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { lazy } from "../lazy.tsx";
import { type ContentType, hasDrafts } from "../model.ts";
import { confirm } from "../widgets/confirm.tsx";
import { showDone, showProblem } from "../widgets/toasts.tsx";
import { outcomeText, sendBulk } from "./bulk-requests.ts";
import { countText } from "./count-text.ts";
import type { Row } from "./rows.ts";
import { rowsPath } from "./rows-path.ts";
import type { Selection } from "./selection.ts";

const BulkEditDialog = lazy(async () => (await import("./bulk-edit/bulk-edit-dialog.tsx")).BulkEditDialog);

interface BulkAction {
  readonly label: string;
  /** The content manager's name for it. */
  readonly name: "bulkPublish" | "bulkUnpublish" | "bulkDelete";
  readonly done: string;
  readonly question?: string;
}

const publish: BulkAction = { label: "Publish", name: "bulkPublish", done: "Published" };
const unpublish: BulkAction = { label: "Unpublish", name: "bulkUnpublish", done: "Unpublished" };
const remove: BulkAction = {
  label: "Delete",
  name: "bulkDelete",
  done: "Deleted",
  question: "Their drafts and published versions are deleted. This cannot be undone.",
};

/** Ids in a request. */
const PAGE_SIZE = 1000;

interface BulkBarProps {
  readonly type: ContentType;
  readonly locale: string | undefined;
  /** The query of the list's URL, so that all of the list can be selected. */
  readonly search: URLSearchParams;
  readonly total: number;
  readonly selection: Selection;
  readonly onDone: () => void;
}

export function BulkBar({ type, locale, search, total, selection, onDone }: BulkBarProps) {
  const [progress, setProgress] = useState<string>();
  /** In the bar, since a message would cover its buttons. */
  const [problem, setProblem] = useState<string>();
  /** The documents whose field is edited. */
  const [edited, setEdited] = useState<readonly string[]>();
  const path = `/content-manager/collection-types/${type.uid}`;
  const count = selection.ids.size;

  const selectAll = async (): Promise<void> => {
    const ids = new URLSearchParams(search);
    ids.set("columns", "documentId");
    try {
      for (let page = 1; (page - 1) * PAGE_SIZE < total; page++) {
        const { results } = await api.get<{ results: readonly Row[] }>(rowsPath(type.uid, ids, page, PAGE_SIZE));
        selection.add(...results.map(({ documentId }) => documentId));
        if (results.length === 0) return;
      }
    } catch (error) {
      showProblem(error);
    }
  };

  const run = async ({ label, name, done, question }: BulkAction): Promise<void> => {
    const ids = [...selection.ids];
    const title = `${label} ${countText(ids.length)}?`;
    if (question && !(await confirm({ title, text: question, action: label, isDangerous: true }))) return;
    setProblem(undefined);
    const outcome = await sendBulk(`${path}/actions/${name}`, locale ? { locale } : {}, ids, {
      onProgress: (handled) => setProgress(`${handled.toLocaleString()} of ${countText(ids.length)}`),
      onSettled: (settled) => selection.remove(...settled),
    });
    setProgress(undefined);
    const text = outcomeText(done, outcome);
    if (outcome.problem === undefined) showDone(text);
    else setProblem(text);
    onDone();
  };

  const actions = hasDrafts(type) ? [publish, unpublish, remove] : [remove];
  return (
    <section class="bulk-bar" aria-label="Selected documents">
      <strong role="status">{progress ?? `${count.toLocaleString()} selected`}</strong>
      {count < total ? (
        <button type="button" class="button-link" disabled={progress !== undefined} onClick={selectAll}>
          Select all {total.toLocaleString()}
        </button>
      ) : null}
      <button type="button" class="button-link" disabled={progress !== undefined} onClick={() => selection.clear()}>
        Select none
      </button>
      <div class="page-actions">
        {type.uid.startsWith("api::") ? (
          <button
            type="button"
            class="button"
            aria-haspopup="dialog"
            disabled={progress !== undefined}
            onClick={() => setEdited([...selection.ids])}
          >
            Edit a field
          </button>
        ) : null}
        {actions.map((action) => (
          <button
            key={action.name}
            type="button"
            class={action.name === "bulkDelete" ? "button button-danger" : "button"}
            disabled={progress !== undefined}
            onClick={() => run(action)}
          >
            {action.label}
          </button>
        ))}
      </div>
      {problem ? (
        <p class="field-problem bulk-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {edited ? (
        <BulkEditDialog
          type={type}
          locale={locale}
          documentIds={edited}
          onChanged={onDone}
          onClose={() => setEdited(undefined)}
        />
      ) : null}
    </section>
  );
}
