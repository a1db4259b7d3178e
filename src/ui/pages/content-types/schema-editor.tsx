/** One type or component: changed here, looked at as a difference of files, and written. */
import { useMemo, useState } from "preact/hooks";
import { developerDetails } from "../../developer-details.ts";
import { loadStart } from "../../model.ts";
import { goTo, hrefTo } from "../../router.ts";
import { Button } from "../../widgets/button.tsx";
import { attempt, showDone } from "../../widgets/toasts.tsx";
import { AttributeTable } from "./attribute-table.tsx";
import { ChangesDialog } from "./changes-dialog.tsx";
import { createRequest, type Draft } from "./draft.ts";
import { PropertiesForm } from "./properties-form.tsx";
import { refreshSchemas } from "./refresh-schemas.ts";
import type { Schemas } from "./schemas.ts";
import { draftNews, drafts, removeDraft, setDraft } from "./unsaved-drafts.ts";

export interface SchemaEditorProps {
  /** The uid, or the name of what is new. */
  readonly name: string;
  readonly saved: Draft;
  readonly schemas: Schemas;
  readonly canChange: boolean;
}

const formatTitle = ({ uid, what, displayName }: Draft): string =>
  uid ? displayName : what === "type" ? "New content-type" : "New component";

function DraftNotice({ name, discard }: { readonly name: string; readonly discard: () => void }) {
  const news = draftNews.value.get(name);
  if (!news) return null;
  const { restoredFrom, isMerged = false, conflicts = [] } = news;
  const sentences = [
    restoredFrom === undefined
      ? undefined
      : `Unsaved changes of ${new Date(restoredFrom).toLocaleString()} were restored.`,
    isMerged ? "The files have changed since. Your changes are kept: review what would be written." : undefined,
    conflicts.length > 0 ? `Changed on both sides, with your version kept: ${conflicts.join(", ")}.` : undefined,
  ];
  return (
    <div class="notice" role="status">
      <span>{sentences.filter(Boolean).join(" ")}</span>
      <Button kind="link" text="Discard them" onClick={discard} />
    </div>
  );
}

export function SchemaEditor({ name, saved, schemas, canChange }: SchemaEditorProps) {
  const [opened, setOpened] = useState<"changes" | "removal">();
  const draft = drafts.value.get(name) ?? saved;
  const isChanged = drafts.value.has(name);
  const { uid, what } = draft;
  const change = (next: Draft): void => setDraft(name, next, saved);
  // rows are not rendered with each key in the properties
  const attributes = useMemo(
    () => (
      <AttributeTable
        draft={draft}
        schemas={schemas}
        isReadOnly={!canChange}
        onChange={(changed) => change({ ...(drafts.peek().get(name) ?? saved), attributes: changed })}
      />
    ),
    [name, saved, draft.attributes, draft.pluginOptions, schemas, canChange],
  );
  const discard = (): void => {
    removeDraft(name);
    showDone("Your changes were discarded", { label: "Undo", run: () => setDraft(name, draft, saved) });
  };
  const review = async (): Promise<void> => {
    try {
      // a window that was asleep may have missed what others wrote
      await refreshSchemas();
    } catch {
      // the preview tells of a server that does not respond
    }
    if (drafts.peek().has(name)) setOpened("changes");
    else showDone("Nothing is left to write: the files have these changes by now");
  };
  const applied = async (next: string | undefined, text: string): Promise<void> => {
    setOpened(undefined);
    removeDraft(name);
    showDone(text);
    await attempt(() => Promise.all([refreshSchemas(), loadStart()]));
    goTo(hrefTo("types", next ? [next] : []), { replace: true });
  };
  const isOwn = uid === undefined || what === "component" || uid.startsWith("api::");
  const removal = { action: what === "type" ? "removeType" : "removeComponent", uid };
  return (
    <div class="type-editor">
      <header class="page-head">
        <h1>{formatTitle(draft)}</h1>
        {uid && developerDetails.value ? <code class="muted">{uid}</code> : null}
        {canChange ? (
          <div class="page-actions">
            {uid && isOwn ? (
              <Button text="Remove…" aria-haspopup="dialog" onClick={() => setOpened("removal")} />
            ) : null}
            <Button text="Discard changes" disabled={!isChanged} onClick={discard} />
            <Button
              kind="primary"
              text="Review changes…"
              aria-haspopup="dialog"
              disabled={!isChanged}
              onClick={() => void review()}
            />
          </div>
        ) : null}
      </header>
      <DraftNotice name={name} discard={discard} />
      <PropertiesForm draft={draft} schemas={schemas} isReadOnly={!canChange} onChange={change} />
      {attributes}
      {opened === "changes" ? (
        <ChangesDialog
          title={uid ? `Changes to ${formatTitle(draft)}` : `${formatTitle(draft)}: ${draft.displayName}`}
          request={createRequest(draft)}
          onApplied={(next) => void applied(next, "Saved: the API serves the new schema")}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
      {opened === "removal" ? (
        <ChangesDialog
          title={`Remove ${formatTitle(draft)}`}
          request={removal}
          isDangerous
          onApplied={() => void applied(undefined, `${formatTitle(draft)} is removed`)}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
    </div>
  );
}
