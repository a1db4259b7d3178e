/** What is to know about an open document, beside its form; in a narrow window, a sheet above it. */
import { useState } from "preact/hooks";
import { developerDetails } from "../developer-details.ts";
import { lazy } from "../lazy.tsx";
import { personName } from "../person-name.ts";
import { HISTORY_PARAM, setParams } from "../router.ts";
import { CopyButton } from "../widgets/copy-button.tsx";
import { Icon } from "../widgets/icon.tsx";
import { TimeAgo } from "../widgets/time-ago.tsx";
import { LocaleSelect } from "./locale-select.tsx";
import type { OpenDocument } from "./open-document.ts";

const Schedule = lazy(async () => (await import("../schedule/schedule-section.tsx")).Schedule);
const Uses = lazy(async () => (await import("./uses.tsx")).Uses);

function When({ label, time, by }: { readonly label: string; readonly time: string | undefined; readonly by: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <TimeAgo time={time} />
        {by ? <span class="muted"> by {by}</span> : null}
      </dd>
    </div>
  );
}

/** Requested when it is opened: it takes a request for each attribute that may link here. */
function UsesSection({ open, documentId }: { readonly open: OpenDocument; readonly documentId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="rail-more" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon name="down" />
        Where it is used
      </summary>
      {isOpen ? <Uses type={open.type} documentId={documentId} locale={open.locale} /> : null}
    </details>
  );
}

/** Requested when it is opened. */
function ScheduleSection({ open, documentId }: { readonly open: OpenDocument; readonly documentId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="rail-more" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon name="down" />
        Schedule
      </summary>
      {isOpen ? <Schedule open={open} documentId={documentId} /> : null}
    </details>
  );
}

export interface RailProps {
  readonly open: OpenDocument;
  readonly id: string;
  /** Absent where the document is beside another one. */
  readonly onOpen?: (documentId: string | undefined, locale: string | undefined) => void;
}

export function Rail({ open, id, onOpen }: RailProps) {
  const version = open.version.value;
  const isOwn = open.type.uid.startsWith("api::");
  return (
    <aside id={id} class="rail" popover="auto" aria-label="About this document">
      <LocaleSelect open={open} {...(onOpen ? { onOpen } : {})} />
      {version ? (
        <>
          <dl class="rail-times">
            <When label="Changed" time={version.updatedAt} by={personName(version.updatedBy)} />
            <When label="Created" time={version.createdAt} by={personName(version.createdBy)} />
          </dl>
          {isOwn && onOpen ? (
            <button
              type="button"
              class="button button-ghost rail-action"
              aria-haspopup="dialog"
              onClick={() => setParams({ [HISTORY_PARAM]: "1" }, { replace: true })}
            >
              <Icon name="history" />
              History
            </button>
          ) : null}
          {isOwn && onOpen && open.hasDrafts ? <ScheduleSection open={open} documentId={version.documentId} /> : null}
          {isOwn && onOpen ? <UsesSection open={open} documentId={version.documentId} /> : null}
          {developerDetails.value ? (
            <p class="rail-id">
              <code>{version.documentId}</code>
              <CopyButton text={version.documentId} label="Copy the document's id" />
            </p>
          ) : null}
        </>
      ) : null}
    </aside>
  );
}
