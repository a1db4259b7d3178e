/** Bulk actions for the selected documents. */
import { useState } from "preact/hooks";
import { countText } from "../count-text.ts";
import { lazy } from "../lazy.tsx";
import { type ContentType, hasDrafts, isOfProject } from "../model.ts";
import { useDocumentEvent } from "../use-document-event.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { showDone } from "../widgets/toasts.tsx";
import type { Refused } from "./bulk-edit/bulk-edit-requests.ts";
import { Refusals } from "./bulk-edit/refusals.tsx";
import { outcomeText, sendBulk, withNames } from "./bulk-requests.ts";
import { selectRange } from "./select-many.ts";
import type { Selection } from "./selection.ts";

const BulkEditDialog = lazy(async () => (await import("./bulk-edit/bulk-edit-dialog.tsx")).BulkEditDialog);

interface BulkAction {
  readonly label: string;
  /** The content manager's name for it. */
  readonly name: "bulkPublish" | "bulkUnpublish" | "bulkDelete";
  readonly done: string;
  /** Only after a question. */
  readonly isQuestioned?: true;
  /** Why the server keeps the documents as they were. */
  readonly reason?: "deleted" | "unpublished";
}

const publish: BulkAction = { label: "Publish", name: "bulkPublish", done: "Published" };
const unpublish: BulkAction = { label: "Unpublish", name: "bulkUnpublish", done: "Unpublished", reason: "unpublished" };
const remove: BulkAction = {
  label: "Delete",
  name: "bulkDelete",
  done: "Deleted",
  reason: "deleted",
  isQuestioned: true,
};

/** Keys of the list: Delete and Escape. Not those of a dialog, a menu, or a field. */
function useSelectionKeys(keys: Readonly<Record<string, () => void>>): void {
  useDocumentEvent("keydown", ({ target, key, defaultPrevented, altKey, ctrlKey, metaKey, shiftKey }) => {
    const isElsewhere = (target as Element).closest("dialog, .menu, input:not([type='checkbox']), textarea, select");
    if (defaultPrevented || altKey || ctrlKey || metaKey || shiftKey || isElsewhere) return;
    keys[key]?.();
  });
}

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
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  /** The documents whose field is edited. */
  const [edited, setEdited] = useState<readonly string[]>();
  const path = `/content-manager/collection-types/${type.uid}`;
  const count = selection.ids.size;

  const isBusy = progress !== undefined || selection.isLoading.value;

  const run = async ({ label, name, done, isQuestioned, reason }: BulkAction): Promise<void> => {
    const ids = [...selection.ids];
    const title = `${label} ${countText(ids.length)}?`;
    const isKept = isOfProject(type);
    const [its, it] =
      ids.length === 1 ? ["Its draft and published version", "It"] : ["Their drafts and published versions", "They"];
    const what = hasDrafts(type) ? `${its} are deleted. ` : "";
    const text = `${what}${isKept ? `${it} can be restored from the trash for 30 days.` : "This cannot be undone."}`;
    if (isQuestioned && !(await confirm({ title, text, action: label, isDangerous: true }))) return;
    const settledIds: string[] = [];
    setProblem(undefined);
    setRefused([]);
    const outcome = await sendBulk(`${path}/actions/${name}`, locale ? { locale } : {}, ids, {
      onProgress: (handled) => setProgress(`${handled.toLocaleString()} of ${countText(ids.length)}`),
      onSettled: (settled) => {
        settledIds.push(...settled);
        selection.remove(...settled);
      },
    });
    setProgress(undefined);
    const result = outcomeText(done, outcome);
    if (outcome.problem !== undefined || outcome.refused.length > 0) setProblem(result);
    else if (reason === undefined || !isKept) showDone(result);
    else {
      const { showUndoable } = await import("../trash/trash-requests.ts");
      showUndoable(result, { contentType: type.uid, documentIds: settledIds, locale, reason }, onDone);
    }
    setRefused(await withNames(type, locale, outcome.refused));
    onDone();
  };

  const selectAll = (): Promise<void> => selectRange(type.uid, search, selection, 0, total - 1);
  useSelectionKeys({
    Escape: () => isBusy || selection.clear(),
    Delete: () => isBusy || void run(remove),
  });

  const actions = hasDrafts(type) ? [publish, unpublish, remove] : [remove];
  return (
    <section class="row bulk-bar" aria-label="Selected documents">
      <strong role="status">{progress ?? `${count.toLocaleString()} selected`}</strong>
      {count < total ? (
        <Button kind="link" text={`Select all ${total.toLocaleString()}`} disabled={isBusy} onClick={selectAll} />
      ) : null}
      <Button kind="link" text="Select none" disabled={isBusy} onClick={() => selection.clear()} />
      <div class="page-actions">
        {isOfProject(type) ? (
          <Button
            text="Edit a field"
            aria-haspopup="dialog"
            disabled={isBusy}
            onClick={() => setEdited([...selection.ids])}
          />
        ) : null}
        {actions.map((action) => (
          <Button
            key={action.name}
            kind={action.name === "bulkDelete" ? "remove" : "plain"}
            text={action.label}
            disabled={isBusy}
            onClick={() => run(action)}
          />
        ))}
      </div>
      <Alert class="field-problem bulk-problem" text={problem} />
      <Refusals refused={refused} />
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
