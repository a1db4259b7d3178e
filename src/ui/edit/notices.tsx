/** What is rarely said of an open document. Loaded when it is. */
import { type ContentType, isOfProject } from "../model.ts";
import { hrefTo } from "../router.ts";
import { Button } from "../widgets/button.tsx";
import { TimeAgo } from "../widgets/time-ago.tsx";
import type { OpenDocument } from "./open-document.ts";
import { timeText } from "./time-text.ts";

export interface NoticeProps {
  readonly open: OpenDocument;
  /** Saves the form of a deleted document as a new one. */
  readonly onSaveAsNew: () => void;
}

export function RemoteChangeNotice({ open, onSaveAsNew }: NoticeProps) {
  const remoteChange = open.remoteChange.value;
  if (!remoteChange) return null;
  if (remoteChange.kind === "deleted")
    return (
      <div class="notice notice-problem" role="alert">
        <span>Somebody else deleted this document. What you see here is no longer stored.</span>
        <Button kind="link" text="Save it as a new one" disabled={open.isBusy.value} onClick={onSaveAsNew} />
      </div>
    );
  return (
    <div class="notice" role="status">
      <span>
        Somebody else saved this document{remoteChange.at === undefined ? "" : ` at ${timeText(remoteChange.at)}`}. Your
        changes are still here, and not saved.
      </span>
      <Button kind="link" text="Discard mine and show theirs" onClick={() => open.revert()} />
    </div>
  );
}

const MAX_TEXT = 1_000;

const formatValue = (value: unknown): string =>
  (typeof value === "string" ? value : JSON.stringify(value)).slice(0, MAX_TEXT);

export function RecoveredNotice({ open }: { readonly open: OpenDocument }) {
  const { recoveredAt } = open;
  if (recoveredAt.value === undefined) return null;
  return (
    <div class="notice" role="status">
      <span>
        Unsaved changes were restored. Last typed: <TimeAgo time={new Date(recoveredAt.value).toISOString()} />.
        {Object.entries(open.lost).map(
          ([name, value]) => ` The type has no ${name} any more, which was: ${formatValue(value)}`,
        )}
      </span>
      <Button kind="link" text="Discard them" onClick={() => open.revert()} />
    </div>
  );
}

/** Instead of a form without fields. */
export const NoFields = ({ type }: { readonly type: ContentType }) => (
  <p class="notice notice-neutral">
    <span>This content-type has no attributes to edit.</span>
    {isOfProject(type) ? (
      <a class="button-link" href={hrefTo("types", [type.uid])}>
        Add attributes
      </a>
    ) : null}
  </p>
);
