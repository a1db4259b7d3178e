/** Changes one attribute of the selected documents: choose it, look at a preview, change it. */
import { useMemo } from "preact/hooks";
import { countText } from "../../count-text.ts";
import { EditProvider } from "../../edit/edit-context.ts";
import { FieldFrame, GroupFields } from "../../edit/field-frame.tsx";
import type { Group } from "../../edit/form/tree.ts";
import { OpenDocument } from "../../edit/open-document.ts";
import { useSideDocuments } from "../../edit/side-documents.tsx";
import { FilePicker } from "../../media/pick-files.tsx";
import { type ContentType, formatLabel, hasDrafts } from "../../model.ts";
import { Announcer } from "../../widgets/announce.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { SelectField } from "../../widgets/select.tsx";
import { showProblem } from "../../widgets/toasts.tsx";
import type { Preview } from "./bulk-edit-requests.ts";
import { BulkEditResult } from "./bulk-edit-result.tsx";
import { changeableAttributes, choicesFor, type EditChoiceName, editChoices } from "./edit-choices.ts";
import { Refusals } from "./refusals.tsx";
import { useBulkEdit } from "./use-bulk-edit.ts";

interface BulkEditDialogProps {
  readonly type: ContentType;
  readonly locale: string | undefined;
  readonly documentIds: readonly string[];
  /** Called when documents have been changed. */
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

const renderGroup = (group: Group) => <GroupFields group={group} />;

function PreviewText({ preview, type }: { readonly preview: Preview; readonly type: ContentType }) {
  const { changes, unchanged, refused } = preview;
  return (
    <>
      <p>
        <strong>{countText(changes.length)} will change.</strong>
        {unchanged > 0 ? ` ${unchanged.toLocaleString()} already have this value.` : ""}
        {refused.length > 0 ? ` ${refused.length.toLocaleString()} cannot be changed:` : ""}
      </p>
      <Refusals refused={refused} />
      {hasDrafts(type) && changes.length > 0 ? (
        <p class="hint">Only drafts change. What is published stays as it is until you publish it.</p>
      ) : null}
    </>
  );
}

export function BulkEditDialog({ type, locale, documentIds, onChanged, onClose }: BulkEditDialogProps) {
  const edit = useBulkEdit(type, locale, documentIds, onChanged);
  const { name, attribute, choice, form, preview, outcome, progress, problem } = edit;
  const { openBeside, dialogs } = useSideDocuments();
  // the fields of a new document, which is never opened or saved
  const document = useMemo(() => new OpenDocument(type, undefined, locale, showProblem), []);
  const context = useMemo(() => ({ document, isReadOnly: false, isInForm: true, openBeside, renderGroup }), [document]);
  if (outcome)
    return <BulkEditResult target={outcome.edit} outcome={outcome.outcome} onChanged={onChanged} onClose={onClose} />;
  const node = form?.nodes.get(name);
  const isBusy = progress !== undefined;
  const changes = preview?.changes.length ?? 0;
  const names = changeableAttributes(type).map(([own]) => [own, formatLabel(own)] as const);
  return (
    <>
      <FormDialog
        title={`Edit a field of ${countText(documentIds.length)}`}
        shape="wide"
        action={progress ?? (preview ? `Change ${countText(changes)}` : "Preview")}
        canSubmit={!isBusy && attribute !== undefined && (!preview || changes > 0)}
        problem={problem}
        onSubmit={edit.submit}
        onClose={() => {
          // the result says what has been changed until then
          if (!edit.stop()) onClose();
        }}
      >
        <div class="stack fields">
          <SelectField
            label="Field"
            value={name}
            isDisabled={isBusy}
            placeholder="Choose a field"
            options={names}
            onChoose={edit.chooseAttribute}
          />
          {attribute ? (
            <SelectField
              label="Change"
              value={choice}
              isDisabled={isBusy}
              options={choicesFor(attribute).map((own) => [own, editChoices[own].label])}
              onChoose={(chosen) => edit.choose(chosen as EditChoiceName)}
            />
          ) : null}
          {form && node && editChoices[choice].needsValue ? (
            <EditProvider value={context}>
              <FieldFrame key={form.key} node={node} group={form} />
            </EditProvider>
          ) : null}
        </div>
        <div role="status">{preview ? <PreviewText preview={preview} type={type} /> : null}</div>
        <Announcer />
      </FormDialog>
      {dialogs}
      <FilePicker />
    </>
  );
}
