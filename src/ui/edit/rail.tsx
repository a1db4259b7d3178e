/** What is to know about an open document, beside its form; in a narrow window, a sheet above it. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { developerDetails } from "../developer-details.ts";
import { lazy } from "../lazy.tsx";
import { hasDrafts, isOfProject } from "../model.ts";
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

interface SectionProps {
  readonly title: string;
  readonly isOpenFirst?: boolean;
  readonly render: () => ComponentChildren;
}

/** Rendered when it is opened, since it takes requests. */
function Section({ title, isOpenFirst = false, render }: SectionProps) {
  const [isOpen, setIsOpen] = useState(isOpenFirst);
  return (
    <details class="rail-more" open={isOpenFirst} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon name="down" />
        {title}
      </summary>
      {isOpen ? render() : null}
    </details>
  );
}

interface ScheduleSectionProps {
  readonly open: OpenDocument;
  readonly documentId: string;
}

/** In sight where something is scheduled. */
function ScheduleSection({ open, documentId }: ScheduleSectionProps) {
  const target = { contentType: open.type.uid, documentId, locale: open.locale };
  const { data } = useAnswer<{ readonly data: readonly unknown[] }>("/schedule", target);
  const isScheduled = data !== undefined && data.data.length > 0;
  return (
    <Section
      key={String(isScheduled)}
      title="Schedule"
      isOpenFirst={isScheduled}
      render={() => <Schedule open={open} documentId={documentId} />}
    />
  );
}

export interface RailProps {
  readonly open: OpenDocument;
  readonly id: string;
  /** Absent where the document is beside another one. */
  readonly onOpen?: (documentId: string | undefined, locale: string | undefined) => void;
}

export function Rail({ open, id, onOpen }: RailProps) {
  const { type } = open;
  const version = open.version.value;
  const documentId = version?.documentId ?? "";
  return (
    <aside id={id} class="rail" popover="auto" aria-label="About this document">
      <LocaleSelect open={open} {...(onOpen ? { onOpen } : {})} />
      {version ? (
        <>
          <dl class="rail-times">
            <When label="Changed" time={version.updatedAt} by={personName(version.updatedBy)} />
            <When label="Created" time={version.createdAt} by={personName(version.createdBy)} />
          </dl>
          {isOfProject(type) && onOpen ? (
            <>
              <button
                type="button"
                class="button button-ghost rail-action"
                aria-haspopup="dialog"
                onClick={() => setParams({ [HISTORY_PARAM]: "1" }, { replace: true })}
              >
                <Icon name="history" />
                History
              </button>
              {hasDrafts(type) ? <ScheduleSection open={open} documentId={documentId} /> : null}
              <Section
                title="Where it is used"
                render={() => <Uses type={type} documentId={documentId} locale={open.locale} />}
              />
            </>
          ) : null}
          {developerDetails.value ? (
            <p class="row rail-id">
              <code>{documentId}</code>
              <CopyButton text={documentId} label="Copy the document's id" />
            </p>
          ) : null}
        </>
      ) : null}
    </aside>
  );
}
